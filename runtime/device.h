/** @file device.h  GPUs, as the layers above see them: nothing of CUDA in here, and no GPU without it. */
#ifndef PSG_RUNTIME_DEVICE_H
#define PSG_RUNTIME_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/** CUDA devices that can be used now.
 *  @param[out] words  why there are none: "" if there simply is none */
int psg_device_count(char *words, size_t size);

/** Can this process work on a CUDA device now? CUDA takes what it needs of it, as StarPU would,
 *  which ends the program where it cannot.
 *  @param[out] words  why not: another process has the device to itself, or its memory, ... */
bool psg_device_open(int device, char *words, size_t size);

/** Bytes of a CUDA device's memory that nobody has; SIZE_MAX: not known. */
size_t psg_device_free_bytes(int device);

/** The name that its maker gave a CUDA device; "" if there is no such device. */
void psg_device_model(int device, char *name, size_t size);

/** CUDA's version that this was built with, "13.0"; NULL without. */
const char *psg_device_version(void);

/** Whose memory somebody else's pointer points to. */
typedef struct psg_device_memory {
    int device;   /**< a CUDA device; -1: main memory, managed memory, or nothing that CUDA knows */
    bool managed; /**< of main memory and of all devices: CUDA moves it */
    const void *end; /**< of the allocation on the device; NULL: not known */
} psg_device_memory;
/** @param[in] named  the device that the caller takes it for; a simulation believes that */
psg_device_memory psg_device_ask(const void *pointer, int named);

/** May every CUDA worker of StarPU reach into the memory of every other's GPU? */
bool psg_device_peers(void);

/** Host memory that GPUs copy from and to at the link's full speed. @return NULL: it cannot be
 *  had */
void *psg_device_host_alloc(size_t bytes);
void psg_device_host_free(void *memory);

/** Page-lock memory of somebody else's, and let it go again.
 *  @param[out] already  it was page-locked before, all of it
 *  @return false: it stays as it was */
bool psg_device_pin(void *memory, size_t bytes, bool *already);
void psg_device_unpin(void *memory);

/** StarPU's block interface, which all data of plans have; with CUDA, or a simulation, one that times copies. */
struct starpu_data_interface_ops *psg_device_blocks(void);
/** Is it known how long copies to, from and between GPUs take? */
bool psg_device_times_copies(void);
/** Tell psg_copies_add() of those that have ended. */
void psg_device_read_copies(void);
/** Compare the GPUs' clocks with StarPU's, of those that copy nothing: before a solve. */
void psg_device_set_clocks(void);

/** Bytes per second through their own memory of all CUDA workers together, each copying there,
 *  both reading and writing counted; and the bytes of their caches. 0: not known. The workers are
 *  awake. */
void psg_device_memory_rate(double *rate, double *cache_bytes);

#endif
