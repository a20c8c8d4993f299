/* Arrays that no solve can use are refused with words that name the array and the value; nothing is done, and the plan
 * works on. */
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX 8
#define NY 7
#define NZ 6
#define POINTS ((size_t)NX * NY * NZ)
/** Of an array with a ghost layer around it. */
#define ROW (NX + 2)
#define PLANE ((NX + 2) * (NY + 2))
#define ROOM ((size_t)PLANE * (NZ + 2))

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

static psg_array array_of(void *data, ptrdiff_t x, ptrdiff_t y, ptrdiff_t z) {
    psg_array a = harness_view(data);
    a.stride[0] = x;
    a.stride[1] = y;
    a.stride[2] = z;
    return a;
}

static void refused(psg_plan *plan, const psg_array *f, const psg_array *u, psg_status status,
                    const char *words) {
    CHECK_STATUS(psg_solve_arrays(plan, 1, f, u, NULL), status);
    CHECK(strstr(psg_last_error(), words) != NULL, "'%s' is not in '%s'", words, psg_last_error());
    CHECK_STATUS(psg_submit_arrays(plan, 1, f, u, NULL), status);
    CHECK(strstr(psg_last_error(), words) != NULL, "'%s' is not in '%s'", words, psg_last_error());
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

/** As f, as u. @param[in] before, behind  the array's name in the words */
static void both(psg_plan *plan, const psg_array *bad, const psg_array *good, psg_status status,
                 const char *before, const char *behind) {
    char text[96];
    (void)snprintf(text, sizeof text, "%sf%s", before, behind);
    refused(plan, bad, good, status, text);
    (void)snprintf(text, sizeof text, "%su%s", before, behind);
    refused(plan, good, bad, status, text);
}

static void strides(psg_plan *plan, double *a, double *b) {
    static const struct {
        ptrdiff_t stride[3];
        psg_status status;
        const char *before, *behind;
    } bad[] = {
        {{2, ROW, PLANE}, PSG_ERR_ARG, "stride[0] of ", " is 2"},
        {{-1, ROW, PLANE}, PSG_ERR_ARG, "stride[0] of ", " is -1"},
        {{0, ROW, PLANE}, PSG_ERR_ARG, "stride[0] of ", " is 0"},
        {{1, 0, 0}, PSG_ERR_ARG, "stride[1] of ", " is 0"},
        {{1, NX - 1, PLANE}, PSG_ERR_ARG, "stride[1] of ", " is 7"},
        {{1, -ROW, PLANE}, PSG_ERR_ARG, "stride[1] of ", " is -10"},
        {{1, ROW, 0}, PSG_ERR_ARG, "stride[2] of ", " is 0"},
        {{1, ROW, -PLANE}, PSG_ERR_ARG, "stride[2] of ", " is -90"},
        {{1, ROW, (NY - 1) * ROW + NX - 1}, PSG_ERR_ARG, "stride[2] of ", " is 67"},
        {{1, ROW, (ptrdiff_t)1 << 32}, PSG_ERR_UNSUPPORTED, "stride[2] of ", " is 4294967296"},
        {{1, (ptrdiff_t)1 << 32, (ptrdiff_t)1 << 36},
         PSG_ERR_UNSUPPORTED,
         "stride[1] of ",
         " is 42"},
        {{1, PTRDIFF_MAX, 1}, PSG_ERR_UNSUPPORTED, "stride[1] of ", " is 92"},
        {{1, PTRDIFF_MIN, PLANE}, PSG_ERR_ARG, "stride[1] of ", " is -92"},
    };
    const psg_array good = array_of(b, 1, ROW, PLANE);
    for (size_t m = 0; m < sizeof bad / sizeof *bad; ++m) {
        const ptrdiff_t *s = bad[m].stride;
        const psg_array array = array_of(a, s[0], s[1], s[2]);
        both(plan, &array, &good, bad[m].status, bad[m].before, bad[m].behind);
    }
    /* the closest that points can stand */
    const psg_array close = array_of(a, 1, ROW, (NY - 1) * ROW + NX);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &close, &good, NULL), PSG_OK);
}

static void pointers(psg_plan *plan, double *a, double *b) {
    const psg_array good = array_of(b, 1, ROW, PLANE);
    const psg_array none = array_of(NULL, 0, 0, 0);
    const psg_array off = array_of((char *)a + 3, 0, 0, 0);
    psg_array here = array_of(a, 0, 0, 0);
    refused(plan, &none, &good, PSG_ERR_ARG, "f is NULL");
    refused(plan, &good, &none, PSG_ERR_ARG, "u is NULL");
    refused(plan, &off, &good, PSG_ERR_ARG, "not aligned for a number of 8 bytes");
    refused(plan, &good, &off, PSG_ERR_ARG, "not aligned for a number of 8 bytes");
    for (size_t count = 0; count < 4; count += count == 0 ? 2 : 1) {
        CHECK_SAYS(psg_solve_arrays(plan, count, &here, &good, NULL), PSG_ERR_ARG, " arrays: ");
    }
    CHECK_STATUS(psg_solve_arrays(plan, 1, NULL, &good, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &here, NULL, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit_arrays(NULL, 1, &here, &good, NULL), PSG_ERR_ARG);
    here.device = -3;
    both(plan, &here, &good, PSG_ERR_ARG, "device of ", " is -3");
    here.device = 0;
    both(plan, &here, &good, PSG_ERR_ARG, "",
         " is said to be on GPU 0, and CUDA knows of no memory");
}

/** u is f with the same strides, or apart from it, as far as its first and last points reach. */
static void overlaps(psg_plan *plan, double *a) {
    const psg_array f = array_of(a + PLANE + ROW + 1, 1, ROW, PLANE);
    const size_t last = (size_t)(NZ - 1) * PLANE + (NY - 1) * ROW + NX;
    psg_array u = f;
    u.stride[2]++;
    refused(plan, &f, &u, PSG_ERR_ARG, "f and u overlap");
    u = f;
    u.data = a; /* between the same rows, but for a ghost layer */
    refused(plan, &f, &u, PSG_ERR_ARG, "f and u overlap");
    u.data = (double *)f.data + last - 1;
    refused(plan, &f, &u, PSG_ERR_ARG, "f and u overlap");
    u.data = (double *)f.data + last;
    CHECK_STATUS(psg_submit_arrays(plan, 1, &f, &u, NULL), PSG_OK);
    CHECK_SAYS(psg_submit_arrays(plan, 1, &u, &f, NULL), PSG_ERR_ARG,
               "u overlaps an array of a solve in flight");
    CHECK_STATUS(psg_submit_arrays(plan, 1, &f, &f, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &f, &f, NULL), PSG_OK);
}

static void boxes(const psg_plan *plan) {
    size_t lo[3], n[3];
    for (int device = PSG_HOST; device < 2; ++device) {
        CHECK_STATUS(psg_plan_local_box(plan, device, lo, n), PSG_OK);
        CHECK(lo[0] == 0 && lo[1] == 0 && lo[2] == 0 && n[0] == NX && n[1] == NY && n[2] == NZ,
              "without GPUs the box is the grid, not %zux%zux%zu", n[0], n[1], n[2]);
    }
    CHECK_STATUS(psg_plan_local_box(plan, PSG_ASK, lo, n), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_local_box(NULL, PSG_HOST, lo, n), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_local_box(plan, PSG_HOST, NULL, n), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_local_box(plan, PSG_HOST, lo, NULL), PSG_ERR_ARG);
}

/** In place f is gone when it would be looked at. */
static void in_place(psg_grid *grid, double *a) {
    psg_options options = harness_with(PSG_F64, "mean=error");
    psg_plan *plan = NULL;
    if (CHECK_STATUS(psg_plan_create(&plan, grid, &options), PSG_OK)) {
        CHECK_SAYS(psg_solve(plan, a, a), PSG_ERR_ARG, "PSG_MEAN_ERROR");
    }
    psg_plan_destroy(plan);
    options.mean = PSG_MEAN_DROP;
    if (CHECK_STATUS(psg_plan_create(&plan, grid, &options), PSG_OK)) {
        a[POINTS / 2] = (double)INFINITY;
        CHECK_SAYS(psg_solve(plan, a, a), PSG_ERR_DATA, "in place, so f is gone");
    }
    psg_plan_destroy(plan);
}

int main(void) {
    FREED double *a = oracle_array(2 * ROOM), *b = oracle_array(ROOM), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(PSG_F64, "segment_planes=2 sheets=2");
    psg_plan *plan = NULL;
    oracle_random(4, 2 * ROOM, a);
    oracle_random(5, ROOM, b);
    FREED double *before = oracle_array(2 * ROOM);
    memcpy(before, a, 2 * ROOM * sizeof *a);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        strides(plan, a, b);
        pointers(plan, a, b);
        CHECK(memcmp(before, a, 2 * ROOM * sizeof *a) == 0, "something was done");
        overlaps(plan, a);
        boxes(plan);
        oracle_solve(&box, ORACLE_SPECTRAL, 0, a, want);
        CHECK_STATUS(psg_solve(plan, a, b), PSG_OK);
        CHECK_CLOSE(b, want, NX, NY, NZ, 1e-12, "after all the failures");
    }
    psg_plan_destroy(plan);
    in_place(&grid, a);
    return check_result();
}
