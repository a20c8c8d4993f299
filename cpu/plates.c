#include "cpu/plates.h"
#include "cpu/clones.h"

enum { LANES = 16 };

/* Charges x = first, first + step, ..., `count` of them, on a line whose distance from the point has the square `rest`. Sums in
 * lanes are what a vector unit adds. */
PSG_CLONES static float line_sum(float first, float step, uint32_t count, float rest) {
    float lane[LANES] = {0};
    float sum = 0;
    uint32_t m = 0;
    for (; m + LANES <= count; m += LANES) {
        for (uint32_t l = 0; l < LANES; l++) {
            const float x = first + step * (float)(m + l);
            lane[l] += 1 / sqrtf(x * x + rest);
        }
    }
    for (; m < count; m++) {
        const float x = first + step * (float)m;
        sum += 1 / sqrtf(x * x + rest);
    }
    for (uint32_t l = 0; l < LANES; l++) {
        sum += lane[l];
    }
    return sum;
}

double psg_cpu_plates(const base_plates *p) {
    const uint32_t over = base_plate_columns(p->over);
    const uint32_t of = base_plate_columns(p->of);
    const float step = 1 / (float)p->fine;
    const float corner = 0.5F * step - 0.5F; /* of the first charge of a cell */
    double sum = 0;
    for (uint32_t point = 0; point < p->points; point++) {
        const uint32_t cell = point % p->over;
        const float x = corner - (float)(cell % over);
        const float y = corner - (float)(cell / over);
        const float z = p->apart + 0.5F * (float)(1 + point / p->over);
        for (uint32_t begin = 0; begin < p->of; begin += of) {
            const uint32_t cells = p->of - begin < of ? p->of - begin : of;
            for (uint32_t line = 0; line < p->fine; line++) {
                const float dy = y + (float)(begin / of) + step * (float)line;
                sum += (double)line_sum(x, step, cells * p->fine, dy * dy + z * z);
            }
        }
    }
    return sum / ((double)p->points * p->of * p->fine * p->fine);
}
