// Plans of the fused z kernel: choosing a kernel, its tables, its launch.
#include "kernels/kspace.h"
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_free.cuh"
#include "kernels/launch.cuh"
#include "kernels/line.cuh"
#include "kernels/segments.cuh"
#include <algorithm>
#include <cstdio>
#include <new>
#include <vector>

using namespace psg_cuda;

struct psg_cuda_kspace {
    psg_cuda_precision precision;
    psg_cuda_r2r kind;
    const void *function;
    kspace_list list;
    kspace_tile_shape tile;
    kspace_tile_shape few; // of launches of up to few_tiles tiles
    uint32_t few_tiles;
    uint32_t most_blocks; // in a launch
    bool early;           // see launch.cuh
    char *tables_d;       // planes, twiddles, factors along z, order, one after the other
    size_t twiddles_at, factors_at, order_at;
    char words[160];
};

namespace {

/// The fixed kernel number `variant` for this length, or NULL; *count: how many there are.
const kspace_entry *find_entry(psg_cuda_precision precision, psg_cuda_r2r kind, uint32_t n,
                               int variant, int *count) {
    const bool f64 = precision == PSG_CUDA_F64;
    const auto table = kind == PSG_CUDA_DFT    ? (f64 ? kspace_entries_f64 : kspace_entries_f32)
                       : kind == PSG_CUDA_FREE ? (f64 ? kspace_free_f64 : kspace_free_f32)
                       : kind == PSG_CUDA_TABLE_FREE ? (f64 ? kspace_table_f64 : kspace_table_f32)
                                                     : (f64 ? kspace_sides_f64 : kspace_sides_f32);
    size_t lines = 0;
    const kspace_entry *entry = table(&lines);
    const kspace_entry *found = nullptr;
    *count = 0;
    for (size_t i = 0; i < lines; i++)
        if (entry[i].n == n &&
            (kind == PSG_CUDA_TABLE_FREE || r2r_fuses(kind, entry[i].radix[0])) &&
            (*count)++ == variant)
            found = &entry[i];
    return found;
}

/// Has z a free end?
bool is_free(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_FREE || kind == PSG_CUDA_FREE_PAIRS || kind == PSG_CUDA_TABLE_FREE ||
           kind == PSG_CUDA_TABLE_PAIRS;
}

/// Is z solved without a transform?
bool is_line(psg_cuda_r2r kind) {
    return kind >= PSG_CUDA_LINE && kind <= PSG_CUDA_LINE_BESIDE;
}

bool has_table(psg_cuda_r2r kind) {
    return kind >= PSG_CUDA_TABLE_DFT;
}

/// May a number have two modes along x?
bool has_pairs(psg_cuda_r2r kind) {
    return kind != PSG_CUDA_DFT && kind != PSG_CUDA_FREE && kind != PSG_CUDA_TABLE_DFT &&
           kind != PSG_CUDA_TABLE_FREE && kind != PSG_CUDA_LINE && kind != PSG_CUDA_LINE_BESIDE;
}

/// Is there a kernel for any length that factors?
bool has_generic(psg_cuda_r2r kind) {
    return kind == PSG_CUDA_DFT || is_free(kind) || has_table(kind);
}

/// Bytes of shared memory of a tile beside its numbers.
size_t bytes_beside(psg_cuda_precision precision, psg_cuda_r2r kind) {
    return is_free(kind) ? kspace_free_room_bytes(complex_bytes(precision)) : 0;
}

/// The tile of the kernel for any length. @return false: there is none
bool choose_tile(psg_cuda_precision precision, psg_cuda_r2r kind, uint32_t nz, size_t max_shared,
                 kspace_list *list, kspace_tile_shape *tile) {
    return kspace_factor(nz, list) &&
           kspace_choose_tile(*list, complex_bytes(precision), max_shared, tile,
                              bytes_beside(precision, kind));
}

/// Columns of a plane in a tile: a free z takes two of the tile's for each.
uint32_t log2_columns_of(const psg_cuda_kspace *plan, const kspace_tile_shape &tile) {
    return tile.log2_columns - is_free(plan->kind);
}

/// Where each plane is, in elements from base. One block a segment.
__global__ void fill_planes(const __grid_constant__ segment_list list, const char *base,
                            int64_t element_bytes, int64_t *planes) {
    const uint32_t s = blockIdx.x;
    const int64_t first = (list.base[s] - base) / element_bytes;
    const int64_t pitch = (int64_t)list.pitch_bytes[s] / element_bytes;
    for (uint32_t z = list.z0[s] + threadIdx.x; z < list.z0[s + 1]; z += blockDim.x)
        planes[z] = first + (int64_t)(z - list.z0[s]) * pitch;
}

/// The logarithm of a power of 2.
uint32_t log2_of(uint32_t value) {
    uint32_t log2 = 0;
    while (value >> (log2 + 1))
        log2++;
    return log2;
}

/// Set the kernel of a plan: a fixed one, or kspace_generic where entry is NULL.
/// cudaErrorNotSupported: it does not fit this device.
cudaError_t choose_kernel(psg_cuda_kspace *plan, const kspace_entry *entry, size_t max_shared) {
    if (entry) {
        plan->function = entry->function;
        plan->list.passes = entry->radix[2] > 1 ? 3 : 2;
        for (uint32_t p = 0; p < plan->list.passes; p++)
            plan->list.pass[p].radix = entry->radix[p];
        kspace_list_finish(&plan->list);
        plan->few = plan->tile = {log2_of(entry->columns), entry->threads, entry->shared_bytes};
    } else {
        plan->function = kspace_generic_function(plan->precision == PSG_CUDA_F64,
                                                 is_free(plan->kind), has_table(plan->kind));
        if (!choose_tile(plan->precision, plan->kind, plan->list.n, max_shared, &plan->list,
                         &plan->tile))
            return cudaErrorNotSupported;
    }
    return plan->tile.bytes <= max_shared ? cudaSuccess : cudaErrorNotSupported;
}

/// Give the kernel its shared memory, leave the rest to the first-level cache, count its blocks.
cudaError_t prepare_kernel(psg_cuda_kspace *plan, const kspace_entry *entry, int device) {
    int blocks = 0, whole = 0, reserved = 0, processors = 0;
    cudaError_t e =
        cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device);
    // The limits belong to the kernel, not to the plan: a fixed kernel has one need, kspace_generic
    // many, so it gets the most that any length may need.
    int limit = (int)plan->tile.bytes;
    if (e == cudaSuccess && !entry)
        e = cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e == cudaSuccess)
        e = cudaFuncSetAttribute(plan->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 limit);
    if (e == cudaSuccess)
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, plan->function, (int)plan->tile.threads, plan->tile.bytes);
    if (e == cudaSuccess && blocks == 0)
        e = cudaErrorNotSupported;
    int few = 0;
    if (e == cudaSuccess && !entry &&
        kspace_few_tile(plan->list, complex_bytes(plan->precision), &plan->few,
                        bytes_beside(plan->precision, plan->kind)))
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, plan->function,
                                                          (int)plan->few.threads, plan->few.bytes);
    if (e == cudaSuccess)
        e = comes_early(plan->function, &plan->early);
    if (e == cudaSuccess && entry) {
        const size_t used = (size_t)blocks * (plan->tile.bytes + (size_t)reserved);
        const int percent = (int)((used * 100 + (size_t)whole - 1) / (size_t)whole);
        e = cudaFuncSetAttribute(plan->function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 percent < 100 ? percent : 100);
    }
    if (e != cudaSuccess)
        return e;
    plan->few_tiles = (uint32_t)(few * processors);
    plan->most_blocks = entry && entry->ahead ? (uint32_t)(blocks * processors) : UINT32_MAX;
    char radices[48] = "";
    int length = 0;
    for (uint32_t p = 0; p < plan->list.passes; p++)
        length += snprintf(radices + length, sizeof radices - (size_t)length, p ? "x%u" : "%u",
                           plan->list.pass[p].radix);
    char few_words[48] = "";
    if (plan->few_tiles > 0)
        snprintf(few_words, sizeof few_words, "; %u and %u for up to %u tiles",
                 1u << log2_columns_of(plan, plan->few), plan->few.threads, plan->few_tiles);
    snprintf(plan->words, sizeof plan->words, "%s %s, %u columns, %u threads, %zu KB, %d blocks%s",
             entry ? "fixed" : "generic", radices, 1u << log2_columns_of(plan, plan->tile),
             plan->tile.threads, plan->tile.bytes / 1024, blocks, few_words);
    return cudaSuccess;
}

/// The kernel of equations along z has its tables from the symbol, but for planes.
cudaError_t make_line(psg_cuda_kspace *plan) {
    const bool pairs = has_pairs(plan->kind), f64 = plan->precision == PSG_CUDA_F64;
    const bool beside = plan->kind == PSG_CUDA_LINE_BESIDE;
    const uint32_t log2_threads = f64 || beside ? line_log2_threads<double>(plan->list.n)
                                                : line_log2_threads<float>(plan->list.n);
    const uint32_t log2_columns = line_log2_columns(log2_threads);
    const uint32_t threads = 1u << (log2_threads + log2_columns);
    plan->function = kspace_line_function(f64, pairs, beside);
    plan->tile = {log2_columns, threads,
                  2 * threads *
                      (pairs ? sizeof(line_room<line_pair<double>>) : sizeof(line_room<double>))};
    plan->few = plan->tile;
    plan->most_blocks = UINT32_MAX;
    snprintf(plan->words, sizeof plan->words, "line%s, %u columns, %u threads, %zu KB",
             beside ? " and derivative" : "", 1u << log2_columns, threads, plan->tile.bytes / 1024);
    void *device = nullptr;
    cudaError_t e = cudaMalloc(&device, 6 * plan->list.n * sizeof(int64_t));
    plan->tables_d = static_cast<char *>(device);
    if (e == cudaSuccess)
        e = cudaFuncSetAttribute(plan->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)plan->tile.bytes);
    return e == cudaSuccess ? comes_early(plan->function, &plan->early) : e;
}

/// Compute the tables on the host and copy them.
template <class Real> cudaError_t make_tables(psg_cuda_kspace *plan) {
    const size_t n = plan->list.n, last = plan->list.pass[plan->list.passes - 1].radix;
    plan->twiddles_at =
        div_up(4 * n * sizeof(int64_t), 256) * 256; // planes of two bands, read and written
    plan->factors_at = plan->twiddles_at + n * sizeof(complex_t<Real>);
    const auto factors = is_free(plan->kind) ? kspace_free_factors<Real>(n)
                                             : r2r_factors<Real>(r2r_kind_of(plan->kind), n);
    plan->order_at = plan->factors_at + factors.size() * sizeof(complex_t<Real>);
    const size_t bytes = plan->order_at + n / last * sizeof(uint32_t);
    std::vector<complex_t<Real>> tables(div_up(bytes, sizeof(complex_t<Real>)));
    char *host = reinterpret_cast<char *>(tables.data());
    kspace_twiddles(plan->list, reinterpret_cast<complex_t<Real> *>(host + plan->twiddles_at));
    std::copy(factors.begin(), factors.end(),
              reinterpret_cast<complex_t<Real> *>(host + plan->factors_at));
    kspace_order(plan->list, reinterpret_cast<uint32_t *>(host + plan->order_at));
    void *device = nullptr;
    cudaError_t e = cudaMalloc(&device, bytes);
    if (e != cudaSuccess)
        return e;
    plan->tables_d = static_cast<char *>(device);
    return cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
}

cudaError_t make_plan(psg_cuda_kspace *plan, size_t nz, int variant) {
    int device = 0, max_shared = 0, fixed = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e != cudaSuccess)
        return e;
    plan->list.n = (uint32_t)nz;
    if (is_line(plan->kind))
        return make_line(plan);
    const kspace_entry *entry =
        find_entry(plan->precision, plan->kind, (uint32_t)nz, variant, &fixed);
    e = cudaErrorNotSupported;
    if (entry || (variant == fixed && has_generic(plan->kind))) {
        plan->list.n = (uint32_t)nz;
        e = choose_kernel(plan, entry, (size_t)max_shared);
    }
    // What is too large for this device gives way to the next kernel, and the last to
    // kspace_generic.
    for (int next = 1; e == cudaErrorNotSupported && variant == 0 && entry; next++) {
        entry = find_entry(plan->precision, plan->kind, (uint32_t)nz, next, &fixed);
        if (entry || has_generic(plan->kind))
            e = choose_kernel(plan, entry, (size_t)max_shared);
    }
    if (e == cudaSuccess)
        e = prepare_kernel(plan, entry, device);
    if (e != cudaSuccess)
        return e;
    return plan->precision == PSG_CUDA_F64 ? make_tables<double>(plan) : make_tables<float>(plan);
}

/// Fill a table of planes.
cudaError_t fill_table(const psg_cuda_kspace *plan, const psg_cuda_segment *segments, size_t count,
                       const char *base, int64_t *planes, cudaStream_t stream) {
    segment_list list;
    size_t z0 = 0;
    for (size_t first = 0; first < count;) {
        const size_t bytes = complex_bytes(plan->precision);
        const size_t taken = segment_list_fill(&list, segments, count, first, z0, bytes);
        fill_planes<<<(unsigned)taken, 128, 0, stream>>>(list, base, (int64_t)bytes, planes);
        const cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess)
            return e;
        z0 = list.z0[taken];
        first += taken;
    }
    return cudaSuccess;
}

/// Where one array of planes is all there is, no table. @param number  of the table
cudaError_t set_place(kspace_place *place, const psg_cuda_kspace *plan,
                      const psg_cuda_segment *segments, size_t count, const char *base,
                      size_t number, cudaStream_t stream) {
    place->planes = nullptr;
    place->pitch = segments[0].plane_pitch;
    place->first = (static_cast<const char *>(segments[0].base_d) - base) /
                   (int64_t)complex_bytes(plan->precision);
    if (count == 1)
        return cudaSuccess;
    int64_t *planes = reinterpret_cast<int64_t *>(plan->tables_d) + number * plan->list.n;
    place->planes = planes;
    place->first = 0;
    return fill_table(plan, segments, count, base, planes, stream);
}

/// Bands, and how many tiles of 2^log2_columns they are.
template <class Real>
cudaError_t set_bands(kspace_args<Real> *a, line_tables *line, const psg_cuda_kspace *plan,
                      const psg_cuda_band *bands, size_t count, uint32_t log2_columns,
                      const psg_cuda_symbol *symbol, cudaStream_t stream) {
    const char *base = static_cast<const char *>(bands[0].segments[0].base_d);
    a->base = static_cast<complex_t<Real> *>(bands[0].segments[0].base_d);
    size_t row = 0, tiles[2] = {0, 0};
    for (size_t b = 0; b < count; b++) {
        kspace_band<Real> *band = &a->band[b];
        band->ey = static_cast<const Real *>(symbol->ey_d) + row;
        band->rows = (uint32_t)bands[b].rows;
        band->row0 = (uint32_t)row;
        band->columns = (uint32_t)(bands[b].rows * a->nxc);
        tiles[b] = div_up(band->columns, 1u << log2_columns);
        row += bands[b].rows;
        cudaError_t e =
            set_place(&band->from, plan, bands[b].segments, bands[b].count, base, 2 * b, stream);
        band->to = band->from;
        if (e == cudaSuccess && bands[b].to)
            e = set_place(&band->to, plan, bands[b].to, bands[b].to_count, base, 2 * b + 1, stream);
        if (e == cudaSuccess && bands[b].beside)
            e = set_place(&line->beside[b], plan, bands[b].beside, bands[b].beside_count, base,
                          4 + b, stream);
        if (e != cudaSuccess)
            return e;
    }
    a->tiles = (uint32_t)(tiles[0] + tiles[1]);
    a->turns = (uint32_t)div_up((uint64_t)tiles[1] << 32, a->tiles);
    return cudaSuccess;
}

template <class Real>
cudaError_t launch(const psg_cuda_kspace *plan, const psg_cuda_band *bands, size_t count,
                   const psg_cuda_columns *columns, const psg_cuda_symbol *symbol, size_t sheets,
                   cudaStream_t stream) {
    kspace_args<Real> a = kspace_args<Real>();
    a.nxc = (uint32_t)columns->nxc;
    a.strip = (uint32_t)(columns->strip ? columns->strip : columns->nxc);
    // At most so many tiles of `few`: the last one of a band may not be full.
    const size_t most = (columns->rows * columns->nxc >> log2_columns_of(plan, plan->few)) + count;
    const kspace_tile_shape *tile = most * sheets <= plan->few_tiles ? &plan->few : &plan->tile;
    line_tables line = plan->kind == PSG_CUDA_LINE_BESIDE
                           ? line_tables_of<double>(symbol->line, plan->list.n)
                           : line_tables_of<Real>(symbol->line, plan->list.n);
    const cudaError_t e =
        set_bands(&a, &line, plan, bands, count, log2_columns_of(plan, *tile), symbol, stream);
    if (e != cudaSuccess)
        return e;
    a.twiddles = reinterpret_cast<const complex_t<Real> *>(plan->tables_d + plan->twiddles_at);
    a.order = reinterpret_cast<const uint32_t *>(plan->tables_d + plan->order_at);
    a.ex = static_cast<const Real *>(symbol->ex_d);
    a.ez = static_cast<const Real *>(symbol->ez_d);
    a.waves = static_cast<const Real *>(symbol->waves_d);
    a.pairs = symbol->pairs;
    a.z =
        r2r_make_step(plan->kind, (int)plan->list.n,
                      reinterpret_cast<const complex_t<Real> *>(plan->tables_d + plan->factors_at));
    a.mode0 = static_cast<complex_t<Real> *>(symbol->mode0_d);
    a.nonfinite = symbol->nonfinite_d;
    a.sheet_pitch = plan->list.n * bands[0].segments[0].plane_pitch; // read where there are several
    a.lambda = (Real)symbol->lambda;
    a.scale = (Real)(symbol->scale * (is_line(plan->kind) ? line.norm : 1));
    a.log2_columns = tile->log2_columns;
    a.list = plan->list;
    a.free = kspace_free_of<Real>(symbol->free, plan->list.n, symbol->scale);
    a.table = table_of<Real>(symbol->table);
    void *args[] = {&a, &line}; // the second one is kspace_line's alone
    const uint32_t blocks = a.tiles < plan->most_blocks ? a.tiles : plan->most_blocks;
    return launch_after(plan->function, plan->early, dim3(blocks, (unsigned)sheets),
                        dim3(tile->threads), args, tile->bytes, stream);
}

/// Whether planes are such as psg_cuda_kspace_run() says.
bool planes_valid(const psg_cuda_kspace *plan, const psg_cuda_segment *segments, size_t count,
                  size_t columns) {
    return segments && count > 0 &&
           segments_valid(segments, count, plan->list.n, columns, complex_bytes(plan->precision));
}

/// The same of bands.
bool bands_valid(const psg_cuda_kspace *plan, const psg_cuda_band *bands, size_t count,
                 const psg_cuda_columns *columns) {
    size_t rows = 0;
    const bool beside = plan->kind == PSG_CUDA_LINE_BESIDE;
    for (size_t b = 0; b < count; b++) {
        const psg_cuda_band &band = bands[b];
        const size_t numbers = band.rows * columns->nxc;
        if (band.rows > columns->rows - rows || (count > 1 && band.rows == 0) ||
            !planes_valid(plan, band.segments, band.count, numbers) ||
            (band.to && !planes_valid(plan, band.to, band.to_count, numbers)) ||
            beside != (band.beside != nullptr) ||
            (beside && !planes_valid(plan, band.beside, band.beside_count, numbers)))
            return false;
        rows += bands[b].rows;
    }
    return rows == columns->rows;
}

/// psg_cuda_kspace_run() of several sheets, whose planes follow one another.
cudaError_t run(const psg_cuda_kspace *plan, const psg_cuda_band *bands, size_t count,
                const psg_cuda_columns *columns, const psg_cuda_symbol *symbol, size_t sheets,
                cudaStream_t stream) {
    if (!plan || !bands || count < 1 || count > 2 || !columns || columns->nxc == 0 || !symbol ||
        !symbol->ex_d || !symbol->ey_d || !symbol->ez_d ||
        (symbol->pairs && !has_pairs(plan->kind)) ||
        has_table(plan->kind) != (symbol->table.values_d != nullptr) ||
        (is_line(plan->kind) && !symbol->line.tables_d) ||
        columns->rows > INT32_MAX / columns->nxc || columns->strip > columns->nxc ||
        !bands_valid(plan, bands, count, columns))
        return cudaErrorInvalidValue;
    if (columns->rows == 0)
        return cudaSuccess;
    return plan->precision == PSG_CUDA_F64
               ? launch<double>(plan, bands, count, columns, symbol, sheets, stream)
               : launch<float>(plan, bands, count, columns, symbol, sheets, stream);
}

} // namespace

int psg_cuda_kspace_supported(psg_cuda_precision precision, psg_cuda_r2r kind, size_t nz) {
    kspace_list list;
    kspace_tile_shape tile;
    int fixed = 0;
    if (is_line(kind))
        return precision_valid(precision) && nz >= 1 && nz <= PSG_LINE_GPU_MOST;
    if (!precision_valid(precision) || nz < 1 || nz > kspace_least_shared ||
        !choose_tile(precision, kind, (uint32_t)nz, kspace_least_shared, &list, &tile))
        return 0;
    find_entry(precision, kind, (uint32_t)nz, 0, &fixed);
    return fixed + has_generic(kind);
}

bool psg_cuda_kspace_suits(psg_cuda_precision precision, psg_cuda_r2r kind, size_t nz, int device) {
    kspace_list list;
    kspace_tile_shape tile;
    int most = 0, fixed = 0;
    if (psg_cuda_kspace_supported(precision, kind, nz) == 0 ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess)
        return false;
    if (is_line(kind))
        return true;
    if (has_generic(kind))
        return choose_tile(precision, kind, (uint32_t)nz, (size_t)most, &list, &tile);
    const kspace_entry *entry;
    for (int v = 0; (entry = find_entry(precision, kind, (uint32_t)nz, v, &fixed)) != nullptr; v++)
        if (entry->shared_bytes <= (size_t)most)
            return true;
    return false;
}

cudaError_t psg_cuda_kspace_create(psg_cuda_kspace **plan, psg_cuda_precision precision,
                                   psg_cuda_r2r kind, size_t nz, int variant) {
    if (!plan)
        return cudaErrorInvalidValue;
    *plan = nullptr;
    if (variant < 0 || variant >= psg_cuda_kspace_supported(precision, kind, nz))
        return cudaErrorNotSupported;
    psg_cuda_kspace *made = new (std::nothrow) psg_cuda_kspace();
    if (!made)
        return cudaErrorMemoryAllocation;
    made->precision = precision;
    made->kind = kind;
    cudaError_t e;
    try {
        e = make_plan(made, nz, variant);
    } catch (...) { // the host's tables
        e = cudaErrorMemoryAllocation;
    }
    if (e != cudaSuccess) {
        psg_cuda_kspace_destroy(made);
        return e;
    }
    *plan = made;
    return cudaSuccess;
}

void psg_cuda_kspace_destroy(psg_cuda_kspace *plan) {
    if (!plan)
        return;
    cudaFree(plan->tables_d);
    delete plan;
}

const char *psg_cuda_kspace_words(const psg_cuda_kspace *plan) {
    return plan->words;
}

cudaError_t psg_cuda_kspace_run(const psg_cuda_kspace *plan, const psg_cuda_band *bands,
                                size_t count, const psg_cuda_columns *columns,
                                const psg_cuda_symbol *symbol, cudaStream_t stream) {
    return run(plan, bands, count, columns, symbol, 1, stream);
}

cudaError_t psg_cuda_kspace_run_many(const psg_cuda_kspace *plan, void *sheets_d, size_t sheets,
                                     size_t plane_pitch, const psg_cuda_columns *columns,
                                     const psg_cuda_symbol *symbol, cudaStream_t stream) {
    if (!plan || !columns || sheets > PSG_CUDA_KSPACE_SHEETS)
        return cudaErrorInvalidValue;
    const psg_cuda_segment first = {sheets_d, plan->list.n, plane_pitch};
    const psg_cuda_band band = {&first, 1, columns->rows, NULL, 0, NULL, 0};
    return sheets == 0 ? cudaSuccess : run(plan, &band, 1, columns, symbol, sheets, stream);
}
