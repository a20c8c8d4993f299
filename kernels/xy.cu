// Plans of the 2-D transforms in one kernel: choosing it, its tables, its launch.
#include "kernels/kspace_tables.cuh"
#include "kernels/launch.cuh"
#include "kernels/xy.h"
#include "kernels/xy_fixed.cuh"
#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

using namespace psg_cuda;

static_assert(PSG_CUDA_XY_PARTS == xy_max_parts && PSG_CUDA_XY_FIELDS == xy_max_fields,
              "what callers are told is what the kernel takes");

struct psg_cuda_xy {
    psg_cuda_precision precision;
    psg_cuda_r2r kind[2];
    size_t field[2];                 // nx and ny of a field
    const xy_entry *entry, *strided; // of dense fields, and of fields with pitches
    uint32_t grid, strided_grid;
    uint32_t lag, slots;
    bool early; // see launch.cuh
    void *tables_d;
    uint32_t *counters_d;        // NULL for planes that stay in shared memory
    size_t x_factors, y_factors; // where they begin in the tables
};

namespace {

const xy_entry *entries_of(psg_cuda_precision precision, xy_form form, size_t *lines) {
    const bool f64 = precision == PSG_CUDA_F64;
    switch (form) {
    case xy_form::dense:
        return f64 ? xy_dense_f64(lines) : xy_dense_f32(lines);
    case xy_form::strided:
        return f64 ? xy_strided_f64(lines) : xy_strided_f32(lines);
    case xy_form::padded:
        return f64 ? xy_padded_f64(lines) : xy_padded_f32(lines);
    default:
        return f64 ? xy_sides_f64(lines) : xy_sides_f32(lines);
    }
}

/// Is a Fourier transform of more points than the field has among those along x and y?
bool is_padded(const psg_cuda_r2r kind[2]) {
    return psg_cuda_length(kind[0], 1) > 1 || psg_cuda_length(kind[1], 1) > 1;
}

/// @param form  of a periodic plane
const xy_entry *find_entry(psg_cuda_precision precision, const psg_cuda_r2r kind[2], size_t nx,
                           size_t ny, xy_form form = xy_form::dense) {
    size_t lines = 0;
    bool complex = true;
    for (int d = 0; d < 2; d++)
        complex = complex && (kind[d] == PSG_CUDA_DFT || kind[d] == PSG_CUDA_FREE);
    const xy_entry *entry = entries_of(precision,
                                       !complex          ? xy_form::sides
                                       : is_padded(kind) ? xy_form::padded
                                                         : form,
                                       &lines);
    for (size_t i = 0; i < lines; i++)
        if (entry[i].nx == psg_cuda_length(kind[0], nx) &&
            entry[i].ny == psg_cuda_length(kind[1], ny) && (complex || !is_padded(kind)) &&
            kind[0] != PSG_CUDA_R2HC && r2r_fuses(kind[0], 2) &&
            r2r_fuses(kind[1], entry[i].column_radix[0]))
            return &entry[i];
    return nullptr;
}

size_t plane_bytes(const psg_cuda_xy *plan) {
    const size_t n = (size_t)plan->entry->ny * (plan->entry->nx / 2 + 1);
    return div_up(n * complex_bytes(plan->precision), 128) * 128; // as xy_shape::PLANE
}

/// Of so many planes of all families.
size_t ring_bytes(const psg_cuda_xy *plan, size_t planes) {
    const size_t slots = plan->entry->whole ? 0 : std::min<size_t>(plan->slots, planes);
    return div_up(slots * plane_bytes(plan), 256) * 256;
}

/// Let the two kernels of an entry have their shared memory.
/// @param[out] grid  as many blocks as run at once
cudaError_t prepare_entry(const xy_entry *entry, int processors, uint32_t *grid) {
    cudaError_t e = cudaSuccess;
    int least = INT32_MAX;
    for (const void *function : {entry->forward, entry->inverse}) {
        int blocks = 0;
        if (e == cudaSuccess)
            e = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)entry->shared_bytes);
        if (e == cudaSuccess)
            e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &blocks, function, (int)entry->threads, entry->shared_bytes);
        least = blocks < least ? blocks : least;
    }
    if (e == cudaErrorInvalidValue || (e == cudaSuccess && least == 0))
        return cudaErrorNotSupported; // too much shared memory for this device
    *grid = (uint32_t)(least * processors);
    return e;
}

/// As many blocks as run at once, and so many planes between the two steps, and from the second to
/// the next use of its place in the ring, that what comes later seldom waits: at least those that
/// are worked on at once, and more while they stay in the second-level cache. The share of it is by
/// measurement: 20 MB of 60 are best for 256^2 and 512^2, 25 MB for 1024^2, of either precision.
cudaError_t prepare(psg_cuda_xy *plan) {
    const double share = 0.35;
    int device = 0, processors = 0, cache = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device);
    if (e == cudaSuccess)
        e = prepare_entry(plan->entry, processors, &plan->grid);
    if (e == cudaSuccess)
        e = prepare_entry(plan->strided, processors, &plan->strided_grid);
    if (e == cudaSuccess)
        e = comes_early(plan->entry->forward, &plan->early);
    if (e != cudaSuccess)
        return e;
    const size_t cached = (size_t)std::ceil(share * cache / (double)plane_bytes(plan));
    plan->lag = (uint32_t)std::max(div_up(plan->grid, plan->entry->items) + 1, cached);
    plan->slots = 2 * plan->lag;
    return cudaSuccess;
}

/// Make the counters of the ring, all 0. Each kernel leaves them at 0.
cudaError_t make_counters(psg_cuda_xy *plan) {
    if (plan->entry->whole)
        return cudaSuccess;
    const size_t bytes = xy_counters(plan->slots) * sizeof *plan->counters_d;
    cudaError_t e = cudaMalloc(&plan->counters_d, bytes);
    if (e == cudaSuccess)
        e = cudaMemset(plan->counters_d, 0, bytes);
    return e == cudaSuccess ? cudaStreamSynchronize(cudaStreamLegacy) : e;
}

kspace_list list_of(uint32_t n, const uint32_t *radix) {
    kspace_list list = kspace_list();
    list.n = n;
    for (; list.passes < 3 && radix[list.passes] > 1; list.passes++)
        list.pass[list.passes].radix = radix[list.passes];
    kspace_list_finish(&list);
    return list;
}

/// Compute the tables on the host and copy them.
template <class Real> cudaError_t make_tables(psg_cuda_xy *plan) {
    const uint32_t m = plan->entry->nx / 2, ny = plan->entry->ny;
    std::vector<complex_t<Real>> tables(m + ny);
    kspace_twiddles(list_of(m, plan->entry->line_radix), tables.data());
    kspace_twiddles(list_of(ny, plan->entry->column_radix), tables.data() + m);
    const auto x = xy_factors<Real>(r2r_kind_of(plan->kind[0]), m);
    const auto y = r2r_factors<Real>(r2r_kind_of(plan->kind[1]), ny);
    plan->x_factors = tables.size();
    tables.insert(tables.end(), x.begin(), x.end());
    plan->y_factors = tables.size();
    tables.insert(tables.end(), y.begin(), y.end());
    const cudaError_t e = cudaMalloc(&plan->tables_d, tables.size() * sizeof tables[0]);
    if (e != cudaSuccess)
        return e;
    return cudaMemcpy(plan->tables_d, tables.data(), tables.size() * sizeof tables[0],
                      cudaMemcpyHostToDevice);
}

bool aligned(const void *p, size_t bytes) {
    return reinterpret_cast<uintptr_t>(p) % bytes == 0;
}

bool suits_dense(const psg_cuda_xy *plan, const psg_cuda_xy_field *field) {
    return !field->by && psg_cuda_field_is_dense(&field->reals, plan->field[0], plan->field[1]) &&
           aligned(field->reals.base_d, complex_bytes(plan->precision));
}

template <class Real> xy_field<Real> field_of(const psg_cuda_xy_field &from) {
    xy_field<Real> field = xy_field<Real>();
    field.base = static_cast<Real *>(from.reals.base_d);
    field.row_pitch = (uint32_t)from.reals.row_pitch;
    field.plane_pitch = from.reals.plane_pitch;
    field.shifted = !aligned(field.base, 2 * sizeof(Real)) || field.row_pitch % 2 != 0 ||
                    field.plane_pitch % 2 != 0;
    if (from.by)
        field.by = {true,
                    {(Real)from.by->scale[0], (Real)from.by->scale[1]},
                    static_cast<const complex_t<Real> *>(from.by->kx_d)};
    return field;
}

/// Fields with the same factors along y are a family.
template <class Real>
void put_families(xy_args<Real> *a, const psg_cuda_xy_field *fields, size_t count) {
    bool put[PSG_CUDA_XY_FIELDS] = {};
    uint32_t next = 0;
    a->families = 0;
    for (size_t m = 0; m < count; m++) {
        const void *ky = fields[m].by ? fields[m].by->ky_d : nullptr;
        const uint32_t first = next;
        for (size_t o = m; o < count; o++)
            if (!put[o] && (fields[o].by ? fields[o].by->ky_d : nullptr) == ky) {
                a->field[next++] = field_of<Real>(fields[o]);
                put[o] = true;
            }
        if (next > first)
            a->family[a->families++] = {static_cast<const complex_t<Real> *>(ky), first, next};
    }
}

template <class Real>
cudaError_t launch(const psg_cuda_xy *plan, psg_cuda_direction direction,
                   const psg_cuda_xy_field *fields, size_t fields_count, size_t planes,
                   const psg_cuda_xy_part *parts, size_t count, void *work_d, cudaStream_t stream) {
    const bool strided = fields_count > 1 || !suits_dense(plan, fields);
    const xy_entry *entry = strided ? plan->strided : plan->entry;
    xy_args<Real> a = xy_args<Real>();
    put_families(&a, fields, fields_count);
    const size_t ring_planes = a.families * planes;
    a.ring = static_cast<complex_t<Real> *>(work_d);
    a.counters = plan->counters_d;
    a.tables = static_cast<const complex_t<Real> *>(plan->tables_d);
    a.planes = (uint32_t)ring_planes;
    a.slots = (uint32_t)std::min<size_t>(plan->slots, std::max<size_t>(ring_planes, 2));
    a.slots_magic = divisor_magic(a.slots);
    a.lag = (uint32_t)std::min<size_t>(plan->lag, ring_planes);
    a.points = (int)plan->field[0];
    a.rows = (int)plan->field[1];
    a.nxc = plan->entry->nx / 2 + (plan->kind[0] == PSG_CUDA_DFT || plan->kind[0] == PSG_CUDA_FREE);
    a.x = xy_make_step(plan->kind[0], (int)plan->entry->nx, a.tables + plan->x_factors);
    a.y = r2r_make_step(plan->kind[1], (int)plan->entry->ny, a.tables + plan->y_factors);
    a.parts = (uint32_t)count;
    for (size_t p = 0; p < count; p++)
        a.part[p] = {static_cast<complex_t<Real> *>(parts[p].base_d), parts[p].plane_pitch,
                     (uint32_t)parts[p].y0, (uint32_t)parts[p].rows};
    const size_t most = strided ? plan->strided_grid : plan->grid;
    const size_t grid = entry->whole ? std::min<size_t>(ring_planes, most) : most;
    void *args[] = {&a};
    return launch_after(direction == PSG_CUDA_FORWARD ? entry->forward : entry->inverse,
                        plan->early, dim3((unsigned)grid), dim3(entry->threads), args,
                        entry->shared_bytes, stream);
}

bool field_valid(const psg_cuda_xy *plan, const psg_cuda_field *field) {
    const size_t nx = plan->field[0], ny = plan->field[1];
    return field->base_d && aligned(field->base_d, complex_bytes(plan->precision) / 2) &&
           field->row_pitch >= nx && field->row_pitch <= UINT32_MAX &&
           field->plane_pitch >= ny * field->row_pitch;
}

bool fields_valid(const psg_cuda_xy *plan, psg_cuda_direction direction,
                  const psg_cuda_xy_field *fields, size_t count) {
    const bool derives = direction == PSG_CUDA_INVERSE && plan->kind[0] == PSG_CUDA_DFT &&
                         plan->kind[1] == PSG_CUDA_DFT;
    bool valid = fields && count > 0 && count <= (derives ? PSG_CUDA_XY_FIELDS : 1);
    for (size_t m = 0; valid && m < count; m++)
        valid = field_valid(plan, &fields[m].reals) && (derives || !fields[m].by);
    return valid;
}

bool parts_valid(const psg_cuda_xy *plan, const psg_cuda_xy_part *parts, size_t count) {
    size_t rows = 0;
    for (size_t p = 0; p < count; p++) {
        if (!parts[p].base_d || parts[p].y0 != rows || parts[p].rows > plan->entry->ny - rows ||
            !aligned(parts[p].base_d, complex_bytes(plan->precision)))
            return false;
        rows += parts[p].rows;
    }
    return rows == plan->entry->ny;
}

} // namespace

size_t psg_cuda_xy_strip(psg_cuda_precision precision, const psg_cuda_r2r kind[2], size_t nx,
                         size_t ny) {
    const xy_entry *entry = find_entry(precision, kind, nx, ny);
    return entry ? entry->strip : 0;
}

bool psg_cuda_xy_suits(psg_cuda_precision precision, const psg_cuda_r2r kind[2], size_t nx,
                       size_t ny, int device) {
    const xy_entry *entry = find_entry(precision, kind, nx, ny);
    int most = 0;
    return entry &&
           cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
               cudaSuccess &&
           entry->shared_bytes + entry->static_bytes <= (size_t)most;
}

void psg_cuda_xy_modes(psg_cuda_r2r kind, size_t nx, size_t number, size_t modes[2]) {
    xy_modes(kind, nx / 2, number, modes);
}

cudaError_t psg_cuda_xy_create(psg_cuda_xy **plan, psg_cuda_precision precision,
                               const psg_cuda_r2r kind[2], size_t nx, size_t ny) {
    if (!plan)
        return cudaErrorInvalidValue;
    *plan = nullptr;
    const xy_entry *entry = find_entry(precision, kind, nx, ny);
    if (!entry)
        return cudaErrorNotSupported;
    psg_cuda_xy *made = new (std::nothrow) psg_cuda_xy();
    if (!made)
        return cudaErrorMemoryAllocation;
    made->precision = precision;
    made->kind[0] = kind[0];
    made->kind[1] = kind[1];
    made->field[0] = nx;
    made->field[1] = ny;
    made->entry = entry;
    made->strided = find_entry(precision, kind, nx, ny, xy_form::strided);
    cudaError_t e = prepare(made);
    try {
        if (e == cudaSuccess)
            e = precision == PSG_CUDA_F64 ? make_tables<double>(made) : make_tables<float>(made);
        if (e == cudaSuccess)
            e = make_counters(made);
    } catch (...) { // the host's tables
        e = cudaErrorMemoryAllocation;
    }
    if (e != cudaSuccess) {
        psg_cuda_xy_destroy(made);
        return e;
    }
    *plan = made;
    return cudaSuccess;
}

void psg_cuda_xy_destroy(psg_cuda_xy *plan) {
    if (!plan)
        return;
    cudaFree(plan->tables_d);
    cudaFree(plan->counters_d);
    delete plan;
}

size_t psg_cuda_xy_work_bytes(const psg_cuda_xy *plan, size_t planes) {
    return ring_bytes(plan, PSG_CUDA_XY_FIELDS * planes);
}

cudaError_t psg_cuda_xy_run(const psg_cuda_xy *plan, psg_cuda_direction direction,
                            const psg_cuda_xy_field *fields, size_t fields_count, size_t planes,
                            const psg_cuda_xy_part *parts, size_t count, void *work_d,
                            cudaStream_t stream) {
    if (!plan || !parts || count == 0 || count > PSG_CUDA_XY_PARTS ||
        (!work_d && !plan->entry->whole) || !fields_valid(plan, direction, fields, fields_count) ||
        !aligned(work_d, 256) || !parts_valid(plan, parts, count))
        return cudaErrorInvalidValue;
    const size_t rounds = fields_count * planes + plan->lag;
    if (planes > INT32_MAX || rounds > INT32_MAX / plan->entry->items ||
        (!plan->entry->whole && rounds > UINT32_MAX / plan->slots))
        return cudaErrorInvalidValue;
    if (planes == 0)
        return cudaSuccess;
    return plan->precision == PSG_CUDA_F64 ? launch<double>(plan, direction, fields, fields_count,
                                                            planes, parts, count, work_d, stream)
                                           : launch<float>(plan, direction, fields, fields_count,
                                                           planes, parts, count, work_d, stream);
}
