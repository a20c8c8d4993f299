/** @file plates.h  The potential of a charged plate: sums of 1/r, which are the work of workload `blocks`. */
#ifndef PSG_CPU_PLATES_H
#define PSG_CPU_PLATES_H

#include "base/plates.h"

/** The mean over the points of the potential, which is the sum of charge / r over all charges. Each 1/r and the sum of a
 *  line of charges are f32; the sum of lines and of points is f64. */
double psg_cpu_plates(const base_plates *plates);

#endif
