#include "base/regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names that points get in one pass, of which some stand for the same region. */
typedef struct names {
    uint32_t *same; /* [count]: an earlier name of the same region; itself: the first one */
    size_t count, room;
} names;

static uint32_t first_name(const names *all, uint32_t name) {
    while (all->same[name] != name) {
        name = all->same[name] = all->same[all->same[name]];
    }
    return name;
}

/* @return 0: no memory */
static uint32_t new_name(names *all) {
    if (all->count == all->room) {
        const size_t room = 2 * all->room + 64;
        uint32_t *more = realloc(all->same, room * sizeof *more);
        if (more == NULL) {
            return 0;
        }
        all->same = more;
        all->room = room;
    }
    const uint32_t name = (uint32_t)all->count++;
    all->same[name] = name;
    return name;
}

static void unite(const names *all, uint32_t a, uint32_t b) {
    a = first_name(all, a);
    b = first_name(all, b);
    all->same[a > b ? a : b] = a > b ? b : a;
}

/* epsilon of a face of point `at`; that of the point itself, if it is known at points. At the
 * lower end of an axis the face above the point counts. */
static double face_of(const base_regions_box *box, const size_t at[3], int d, int side) {
    const size_t *n = box->n;
    const size_t j = at[1] * n[0];
    if (box->plane[1] == NULL) {
        return box->plane[0][at[2]][j + at[0]];
    }
    if (box->closed[d][side] && at[d] == (side == 0 ? 0 : n[d] - 1)) {
        return 0;
    }
    const size_t lower = at[d] > 0 ? at[d] - 1 : box->wraps[d] ? n[d] - 1 : 0;
    return side == 1    ? box->plane[d][at[2]][j + at[0]]
           : d == 0     ? box->plane[d][at[2]][j + lower]
           : d == 1     ? box->plane[d][at[2]][lower * n[0] + at[0]]
           : at[2] == 0 ? box->below[j + at[0]]
                        : box->plane[d][at[2] - 1][j + at[0]];
}

static bool is_fluid(const base_regions_box *box, const size_t at[3]) {
    bool open = box->all;
    for (int m = 0; m < (box->plane[1] == NULL ? 1 : 6) && !open; m++) {
        open = face_of(box, at, m / 2, m % 2) > 0;
    }
    return open;
}

/* Point `at` has the name of its lower neighbours, or a new one. @return false: no memory */
static bool name_point(base_regions *g, names *all, const size_t at[3], size_t m,
                       const base_regions_box *box) {
    const size_t stride[3] = {1, g->n[0], g->n[0] * g->n[1]};
    uint32_t name = 0;
    for (int d = 0; d < 3; d++) {
        const size_t last = g->n[d] - 1;
        const bool opens = at[d] > 0 && face_of(box, at, d, 0) > 0;
        const bool closes =
            box->wraps[d] && at[d] == last && last > 0 && face_of(box, at, d, 1) > 0;
        const uint32_t near[2] = {opens ? g->of[m - stride[d]] : 0,
                                  closes ? g->of[m - last * stride[d]] : 0};
        for (int side = 0; side < 2; side++) {
            if (near[side] != 0 && name != 0) {
                unite(all, name, near[side]);
            }
            name = name == 0 ? near[side] : name;
        }
    }
    name = name == 0 ? new_name(all) : name;
    g->of[m] = name;
    return name != 0;
}

static bool name_all(base_regions *g, names *all, const base_regions_box *box) {
    bool good = true;
    size_t m = 0;
    (void)new_name(all); /* that of solid points */
    for (size_t k = 0; k < g->n[2] && all->count > 0; k++) {
        for (size_t j = 0; j < g->n[1]; j++) {
            for (size_t i = 0; i < g->n[0]; i++, m++) {
                const size_t at[3] = {i, j, k};
                if (is_fluid(box, at)) {
                    good = good && name_point(g, all, at, m, box);
                }
            }
        }
    }
    return good && all->count > 0;
}

/* The first names get the numbers of regions. */
static bool number(base_regions *g, const names *all) {
    uint32_t *number = calloc(all->count, sizeof *number);
    bool good = number != NULL;
    for (uint32_t name = 1; name < all->count && good; name++) {
        const uint32_t first = first_name(all, name);
        number[name] = first == name ? (uint32_t)++g->count : number[first];
    }
    g->region = good ? calloc(g->count + 1, sizeof *g->region) : NULL;
    g->sum = good ? calloc(BASE_REGIONS_DIGITS * (g->count + 1), sizeof *g->sum) : NULL;
    good = g->region != NULL && g->sum != NULL;
    for (size_t m = 0; m < g->n[0] * g->n[1] * g->n[2] && good; m++) {
        g->of[m] = number[g->of[m]];
    }
    free(number);
    return good;
}

static void describe(base_regions *g, const base_regions_box *box) {
    const size_t *n = g->n;
    for (size_t m = 0; m < n[0] * n[1] * n[2]; m++) {
        const size_t at[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
        if (g->of[m] == 0) {
            continue;
        }
        base_region *region = &g->region[g->of[m] - 1];
        region->first = region->points++ == 0 ? m : region->first;
        region->fixed = region->fixed || box->all;
        for (int f = 0; f < 6; f++) {
            const int d = f / 2;
            const bool end = at[d] == (f % 2 == 0 ? 0 : n[d] - 1);
            region->fixed =
                region->fixed || (box->fixes[d][f % 2] && end && face_of(box, at, d, f % 2) > 0);
        }
    }
}

base_regions *base_regions_create(const base_regions_box *box) {
    const size_t *n = box->n;
    base_regions *g = calloc(1, sizeof *g);
    names all = {.same = NULL};
    bool good = g != NULL;
    if (good) {
        g->counts = box->counts;
        for (int d = 0; d < 3; d++) {
            g->n[d] = n[d];
        }
        g->of = calloc(n[0] * n[1] * n[2] + 1, sizeof *g->of);
        good = g->of != NULL && name_all(g, &all, box) && number(g, &all);
    }
    if (good) {
        describe(g, box);
    } else {
        base_regions_destroy(g);
    }
    free(all.same);
    return good ? g : NULL;
}

void base_regions_destroy(base_regions *g) {
    if (g != NULL) {
        free(g->of);
        free(g->region);
        free(g->sum);
        free(g);
    }
}

/* ------------------------------------------------------------------------------------- means */

/* What point m adds to a sum. @param[in] plane  NULL: numbers that are 1 */
static double share_of(const base_regions *g, double *const *plane, size_t m) {
    const size_t points = g->n[0] * g->n[1];
    return (plane != NULL ? plane[m / points][m % points] : 1) *
           (g->counts != NULL ? g->counts[m / points] : 1);
}

static double largest_share(const base_regions *g, double *const *plane) {
    double largest = 0;
    for (size_t m = 0; m < g->n[0] * g->n[1] * g->n[2]; m++) {
        const double share = g->of[m] != 0 ? fabs(share_of(g, plane, m)) : 0;
        largest = share > largest ? share : largest;
    }
    return largest;
}

/* A number as a sum of digits of BITS bits, which add up without rounding in any order, for up to
 * 2^33 numbers. (J. Demmel, H. D. Nguyen, IEEE Trans. Comput. 64, 2060 (2015), have more of them.)
 * What the last digit leaves out is 2^-60 of the largest number.
 * @param[in] unit  a power of 2 above the largest number */
static void add_digits(double *sum[BASE_REGIONS_DIGITS], size_t at, double value, double unit) {
    enum { BITS = 20 };
    const double rounds = 1.5 * 0x1p52;
    for (int digit = 0; digit < BASE_REGIONS_DIGITS; digit++) {
        unit *= 1. / (1 << BITS);
        const double shift = rounds * unit;
        const double part = (value + shift) - shift; /* a multiple of the unit */
        sum[digit][at] += part;
        value -= part;
    }
}

/* The sums of the regions -> g->sum, by label. */
static void add_up(base_regions *g, double *const *plane, const base_regions_joins *joins) {
    double *sum[BASE_REGIONS_DIGITS];
    double largest = largest_share(g, plane);
    int exponent = 0;
    if (joins != NULL) {
        joins->largest(&largest, joins->to);
    }
    (void)frexp(largest, &exponent);
    const double unit = ldexp(1, exponent);
    for (int digit = 0; digit < BASE_REGIONS_DIGITS; digit++) {
        sum[digit] = g->sum + (size_t)digit * (g->count + 1);
    }
    memset(g->sum, 0, BASE_REGIONS_DIGITS * (g->count + 1) * sizeof *g->sum);
    for (size_t m = 0; m < g->n[0] * g->n[1] * g->n[2]; m++) {
        if (g->of[m] != 0) {
            add_digits(sum, g->of[m], share_of(g, plane, m), unit);
        }
    }
    for (int digit = 0; digit < BASE_REGIONS_DIGITS && joins != NULL; digit++) {
        joins->sum(sum[digit] + 1, joins->to);
    }
    for (size_t r = 1; r <= g->count; r++) {
        double all = 0;
        for (int digit = BASE_REGIONS_DIGITS - 1; digit >= 0; digit--) {
            all += sum[digit][r];
        }
        g->sum[r] = all;
    }
}

void base_regions_count(base_regions *g, const base_regions_joins *joins) {
    add_up(g, NULL, joins);
    for (size_t r = 0; r < g->count; r++) {
        g->region[r].counts = g->sum[r + 1];
    }
}

/* Take the mean of each region that is not fixed off, and add it to its `mean`. */
static void drop_once(base_regions *g, double *const *plane, const base_regions_joins *joins) {
    const size_t points = g->n[0] * g->n[1];
    double *mean = g->sum;
    add_up(g, plane, joins);
    for (size_t r = 0; r < g->count; r++) {
        base_region *region = &g->region[r];
        mean[r + 1] = region->fixed ? 0 : mean[r + 1] / region->counts;
        region->mean += mean[r + 1];
    }
    for (size_t m = 0; m < points * g->n[2]; m++) {
        double *value = &plane[m / points][m % points];
        *value = g->of[m] != 0 ? *value - mean[g->of[m]] : 0;
    }
}

void base_regions_drop(base_regions *g, double *const *plane, const base_regions_joins *joins) {
    for (size_t r = 0; r < g->count; r++) {
        g->region[r].mean = 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        drop_once(g, plane, joins);
    }
}
