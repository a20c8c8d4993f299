#include "cpu/ep.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Two uniform numbers of [-1, 1) in the circle become two normal ones by Marsaglia's polar method. */
static void add_leaf(uint64_t first, double numbers[PSG_CPU_EP_NUMBERS]) {
    uint64_t x = base_random_after(BASE_RANDOM_SEED, 2 * first);
    uint64_t ring[PSG_CPU_EP_RINGS] = {0};
    double sum[PSG_CPU_EP_SUMS] = {0, 0};
    for (unsigned pair = 0; pair < 1U << PSG_CPU_EP_LEAF_LOG2; pair++) {
        x = base_random_next(x);
        const double u = 2 * base_random_real(x) - 1;
        x = base_random_next(x);
        const double v = 2 * base_random_real(x) - 1;
        const double t = u * u + v * v;
        if (t <= 1) {
            const double scale = sqrt(-2 * log(t) / t);
            const double l = fmax(fabs(u * scale), fabs(v * scale));
            ring[l < PSG_CPU_EP_RINGS ? (unsigned)l : PSG_CPU_EP_RINGS - 1]++;
            sum[0] += u * scale;
            sum[1] += v * scale;
        }
    }
    memcpy(numbers, sum, sizeof sum);
    for (int l = 0; l < PSG_CPU_EP_RINGS; l++) {
        numbers[PSG_CPU_EP_SUMS + l] = (double)ring[l];
    }
}

void psg_cpu_ep_add(double sum[PSG_CPU_EP_NUMBERS], const double numbers[PSG_CPU_EP_NUMBERS]) {
    for (int m = 0; m < PSG_CPU_EP_NUMBERS; m++) {
        sum[m] += numbers[m];
    }
}

/* Sums wait in a stack until they have a neighbour of their size: that of leaves 0 to 3 is added to that of 4 to 7. */
void psg_cpu_ep(uint64_t first, uint64_t count, double numbers[PSG_CPU_EP_NUMBERS]) {
    double waiting[64][PSG_CPU_EP_NUMBERS];
    int top = 0;
    for (uint64_t leaf = 0; leaf < count >> PSG_CPU_EP_LEAF_LOG2; leaf++) {
        add_leaf(first + (leaf << PSG_CPU_EP_LEAF_LOG2), waiting[top++]);
        for (uint64_t pairs = leaf; (pairs & 1) != 0; pairs >>= 1, top--) {
            psg_cpu_ep_add(waiting[top - 2], waiting[top - 1]);
        }
    }
    memcpy(numbers, waiting[0], sizeof waiting[0]);
}
