/* psg_options_init() and psg_grid_init() give the documented defaults, and write no byte more than the
 * caller's struct has. */
#include "graph/psg.h"
#include "tests/check.h"

#include <string.h>

static void option_defaults(void) {
    psg_options o;
    memset(&o, 0xff, sizeof o);
    psg_options_init(&o);
    CHECK(o.struct_size == sizeof o, "struct_size is %zu", o.struct_size);
    CHECK(o.precision == PSG_F64, "precision is %d", o.precision);
    CHECK(o.symbol == PSG_SYMBOL_SPECTRAL, "symbol is %d", o.symbol);
    CHECK_NEAR(o.lambda, 0, 0, "lambda");
    CHECK(o.mean == PSG_MEAN_DROP, "mean is %d", o.mean);
    CHECK_NEAR(o.mean_tolerance, 0, 0, "mean_tolerance");
    CHECK(o.graph == PSG_GRAPH_AUTO, "graph is %d", o.graph);
    CHECK(o.exchange == PSG_EXCHANGE_AUTO, "exchange is %d", o.exchange);
    CHECK(o.z_layout == PSG_Z_AUTO, "z_layout is %d", o.z_layout);
    CHECK(o.segment_planes == 0, "segment_planes is %zu", o.segment_planes);
    CHECK(o.sheets == 0, "sheets is %zu", o.sheets);
    CHECK(o.cpus == -1, "cpus is %d", o.cpus);
    CHECK(o.gpus == -1, "gpus is %d", o.gpus);
    CHECK(o.gpu_ids == NULL, "gpu_ids is not NULL");
    CHECK(o.policy == NULL, "policy is not NULL");
    CHECK(o.effort == PSG_EFFORT_MEASURE, "effort is %d", o.effort);
    CHECK(o.cache_dir == NULL, "cache_dir is not NULL");
    CHECK(o.in_flight == 2, "in_flight is %u", o.in_flight);
    CHECK(o.calibrate == 0, "calibrate is %d", o.calibrate);
    CHECK(o.tuned == 1, "tuned is %d", o.tuned);
    CHECK(o.nodes == 1, "nodes is %u", o.nodes);
    CHECK_NEAR(o.network, 0, 0, "network");
    CHECK_NEAR(o.time_limit, 0, 0, "time_limit");
    CHECK_NEAR(o.factor, 1, 0, "factor");
    CHECK(o.cpu_share == PSG_CPU_SHARE_AUTO, "cpu_share is %g", o.cpu_share);
    CHECK(o.placement == PSG_PLACEMENT_PINNED, "placement is %d", o.placement);
    CHECK(o.kernel == PSG_KERNEL_AUTO, "kernel is %d", o.kernel);
    CHECK(o.wire_bits == 64, "wire_bits is %d", o.wire_bits);
}

/** The program was compiled with a smaller struct than the library's. */
static void smaller_struct(void) {
    static const size_t sizes[] = {
        offsetof(psg_options, symbol),    offsetof(psg_options, sheets),
        offsetof(psg_options, policy),    offsetof(psg_options, in_flight),
        offsetof(psg_options, calibrate), offsetof(psg_options, cpu_share),
        offsetof(psg_options, network),   offsetof(psg_options, time_limit),
        offsetof(psg_options, factor),    offsetof(psg_options, batch),
        offsetof(psg_options, placement), offsetof(psg_options, wire_bits)};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; ++n) {
        union {
            psg_options options;
            unsigned char byte[sizeof(psg_options)];
        } o;
        memset(&o, 0xa5, sizeof o);
        (psg_options_init)(&o.options, sizes[n]);
        CHECK(o.options.struct_size == sizes[n], "struct_size is %zu instead of %zu",
              o.options.struct_size, sizes[n]);
        CHECK(o.options.precision == PSG_F64, "precision is %d", o.options.precision);
        for (size_t b = sizes[n]; b < sizeof o; ++b) {
            CHECK(o.byte[b] == 0xa5, "byte %zu beyond a struct of %zu was written", b, sizes[n]);
        }
    }
}

static void grid_init(void) {
    static const double length[3] = {0.5, 3.25, 7};
    static const size_t n[3] = {3, 4, 50000000000u};
    psg_grid grid;
    memset(&grid, 0xff, sizeof grid);
    psg_grid_init(&grid, n[0], n[1], n[2], length[0], length[1], length[2]);
    for (int a = 0; a < 3; ++a) {
        CHECK(grid.axis[a].n == n[a], "axis %d has %zu points", a, grid.axis[a].n);
        CHECK_NEAR(grid.axis[a].length, length[a], 0, "length of axis %d", a);
        CHECK(grid.axis[a].bc[0] == PSG_BC_PERIODIC && grid.axis[a].bc[1] == PSG_BC_PERIODIC,
              "axis %d is not periodic", a);
    }
    psg_grid_init(&grid, 0, 0, 0, -1, 0, NAN); /* checks nothing */
    CHECK(grid.axis[0].n == 0, "n is %zu", grid.axis[0].n);
}

int main(void) {
    option_defaults();
    smaller_struct();
    grid_init();
    return check_result();
}
