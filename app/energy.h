/** @file energy.h  What the GPUs of this machine use, by NVIDIA's management library (NVML), which
 *  comes with the driver. */
#ifndef PSG_APP_ENERGY_H
#define PSG_APP_ENERGY_H

/** Joules of all GPUs that NVML shows, idle ones too, since the driver was loaded. The GPUs count
 *  some ten times a second. NAN: there is no NVML, or a GPU does not tell, as those before Volta */
double app_energy_now(void);

#endif
