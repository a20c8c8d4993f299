/* Messages, names and small helpers of the psg command. */
#include "app/app.h"
#include "app/processes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "graph/psg_machine.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int app_exit_code(psg_status status) {
    switch (status) {
    case PSG_OK:
        return APP_DONE;
    case PSG_ERR_ARG:
    case PSG_ERR_UNSUPPORTED:
    case PSG_ERR_DATA:
    case PSG_ERR_MEAN:
        return APP_USAGE;
    default:
        return APP_FAILED;
    }
}

void app_print_version(const char *name) {
    printf("%s (PoissonGraph) %s\n", name, psg_component_version(PSG_COMPONENT_PSG));
}

double app_now(void) {
    return base_now();
}

const char *app_word(const char *option, const psg_options *options) {
    static _Thread_local char words[8][32];
    static _Thread_local unsigned next;
    char *text = words[next++ % 8];
    (void)psg_options_get(options, option, text, sizeof words[0]);
    return text;
}

size_t app_element_bytes(psg_precision precision) {
    return precision == PSG_F32 ? sizeof(float) : sizeof(double);
}

size_t app_points(const psg_grid *grid) {
    return grid->axis[0].n * grid->axis[1].n * grid->axis[2].n;
}

int app_turn(const psg_grid *grid, int d) {
    return grid->axes == 2 && d > 0 ? 3 - d : d;
}

psg_grid app_turned(const psg_grid *grid) {
    psg_grid turned = *grid;
    for (int d = 0; d < 3; d++) {
        turned.axis[d] = grid->axis[app_turn(grid, d)];
    }
    return turned;
}

app_planes app_planes_of(const psg_grid *grid, int rank) {
    const size_t nz = grid->axis[app_turn(grid, 2)].n;
    app_planes planes = {0, 0};
    /* fails for no planes and wrong ranks only, and there are neither */
    (void)psg_local_extent(nz, app_ranks(), rank, &planes.z0, &planes.count);
    return planes;
}

app_planes app_own_planes(const psg_grid *grid) {
    return app_planes_of(grid, app_rank());
}

int app_plane_owner(size_t nz, size_t plane) {
    for (int rank = 0; rank < app_ranks(); rank++) {
        size_t z0 = 0, count = 0;
        (void)psg_local_extent(nz, app_ranks(), rank, &z0, &count);
        if (plane >= z0 && plane < z0 + count) {
            return rank;
        }
    }
    return 0;
}

size_t app_plane_points(const psg_grid *grid, app_planes planes) {
    return grid->axis[0].n * grid->axis[app_turn(grid, 1)].n * planes.count;
}

double app_epsilon(psg_precision precision) {
    return precision == PSG_F32 ? FLT_EPSILON : DBL_EPSILON;
}

/* A number is rounded on its way there and on its way back, each time by at most half of its last
 * bit. This is twice the sum. */
double app_wire_rounding(const psg_options *options) {
    const int exponent_bits = options->wire_bits == 32 ? 8 : 11;
    const bool rounds = options->precision == PSG_F64 && options->wire_bits < 64;
    return rounds && app_ranks() > 1 ? ldexp(4, exponent_bits - options->wire_bits) : 0;
}

void app_get_row(const void *field, psg_precision precision, size_t first, size_t count,
                 double *row) {
    if (precision == PSG_F64) {
        memcpy(row, (const double *)field + first, count * sizeof *row);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        row[i] = ((const float *)field)[first + i];
    }
}

void app_put_row(void *field, psg_precision precision, size_t first, size_t count,
                 const double *row) {
    if (precision == PSG_F64) {
        memcpy((double *)field + first, row, count * sizeof *row);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ((float *)field)[first + i] = (float)row[i];
    }
}

int app_room(void) {
    enum { MEGABYTES = 16 };
    return base_memory_fits((double)(MEGABYTES << 20))
               ? APP_DONE
               : app_error(
                     APP_FAILED,
                     "out of memory: psg needs %d MB for its libraries, and they cannot be had",
                     MEGABYTES);
}

void *app_allocate(size_t count, size_t element_bytes, const char *what) {
    void *memory = NULL;
    if (count <= SIZE_MAX / element_bytes) {
        memory = malloc(count * element_bytes);
    }
    if (memory == NULL) {
        char text[32];
        app_bytes_text(text, sizeof text, (double)count * (double)element_bytes);
        app_error(APP_FAILED, "out of memory: %s for %s could not be had", text, what);
    }
    return memory;
}

/* splitmix64 by S. Vigna: any seed is a good one */
uint64_t app_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
