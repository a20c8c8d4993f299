/* The mean potential of a plate is the sum of charge / r, added up charge by charge in f64, for
 * plates with full and with incomplete rows, points in several layers, and lines of charges shorter
 * and longer than a vector. */
#include "tests/check.h"
#include "workloads/blocks.h"

static double middle(uint32_t cell, uint32_t columns, int axis) {
    return axis == 0 ? cell % columns : cell / columns;
}

static double wanted(uint32_t points, uint32_t over, uint32_t of, uint32_t fine, double apart) {
    uint32_t wide[2] = {1, 1};
    double sum = 0;
    while (wide[0] * wide[0] < over) {
        wide[0]++;
    }
    while (wide[1] * wide[1] < of) {
        wide[1]++;
    }
    for (uint32_t p = 0; p < points; p++) {
        const double z = apart + (1 + p / over) / 2.0;
        for (uint32_t c = 0; c < of; c++) {
            for (uint32_t q = 0; q < fine * fine; q++) {
                const double inside[2] = {(q % fine + 0.5) / fine - 0.5,
                                          (q / fine + 0.5) / fine - 0.5};
                double r2 = z * z;
                for (int axis = 0; axis < 2; axis++) {
                    r2 += pow(middle(p % over, wide[0], axis) - middle(c, wide[1], axis) -
                                  inside[axis],
                              2);
                }
                sum += 1 / sqrt(r2) / (of * fine * fine) / points;
            }
        }
    }
    return sum;
}

int main(void) {
    static const blocks_plates plates[] = {
        {1, 1, 1, 1, 0},    {4, 1, 1, 3, 0},      {7, 3, 5, 2, 4},          {12, 12, 12, 1, 16},
        {29, 11, 36, 5, 0}, {50, 50, 37, 8, -16}, {83, 40, 101, 4, -0.25F},
    };
    for (size_t m = 0; m < sizeof plates / sizeof *plates; ++m) {
        const blocks_plates *p = &plates[m];
        const double want = wanted(p->points, p->over, p->of, p->fine, p->apart);
        CHECK_NEAR(blocks_cpu_plates(p), want, 5e-7 * want, "%u points over %u of %u, %u, %g",
                   p->points, p->over, p->of, p->fine, (double)p->apart);
    }
    return check_result();
}
