/** @file device.h  GPUs, as the layers above see them: nothing of CUDA in here. */
#ifndef PSG_RUNTIME_DEVICE_H
#define PSG_RUNTIME_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/** Whose memory somebody else's pointer points to. */
typedef struct psg_device_memory {
    int device;   /**< a CUDA device; -1: main memory, managed memory, or nothing that CUDA knows */
    bool managed; /**< of main memory and of all devices: CUDA moves it */
    const void *end; /**< of the allocation on the device; NULL: not known */
} psg_device_memory;

/** GPUs, by CUDA or of a simulated machine. A device is CUDA's number. */
typedef struct psg_device_table {
    /** CUDA's version that this was built with, "13.0". NULL: a simulation. */
    const char *(*version)(void);
    /** Devices that can be used now. @param[out] words  why there are none: "" if there simply is
     * none */
    int (*count)(char *words, size_t size);
    /** Can this process work on a device now? CUDA takes what it needs of it, as StarPU would,
     * which ends the program where it cannot.
     *  @param[out] words  why not: another process has the device to itself, or its memory, ... */
    bool (*open)(int device, char *words, size_t size);
    /** @param[in] device  becomes the calling thread's device; -1: it stays the one it is
     *  @return the thread's device until now; -1: not known. NULL: a simulation. */
    int (*current)(int device);
    /** Bytes of a device's memory that nobody has; SIZE_MAX: not known. */
    size_t (*free_bytes)(int device);
    /** The name that its maker gave a device; "" if there is no such device. */
    void (*model)(int device, char *name, size_t size);
    /** @param[in] named  the device that the caller takes it for; a simulation believes that */
    psg_device_memory (*ask)(const void *pointer, int named);
    /** May every CUDA worker of StarPU reach into the memory of every other's GPU? */
    bool (*peers)(void);
    /** Host memory that GPUs copy from and to at the link's full speed. @return NULL: it cannot be
     * had */
    void *(*host_alloc)(size_t bytes);
    void (*host_free)(void *memory);
    /** Copy to a device's memory, at once.
     *  @param[in] copy    where it goes, of an earlier call; NULL: to new memory, for free_copy()
     *  @param[in] memory  NULL: nothing is copied, there is room
     *  @return where it is; NULL: no memory there */
    void *(*copy_to)(int device, void *copy, const void *memory, size_t bytes);
    void (*free_copy)(int device, void *copy); /**< NULL is fine */
    /** Page-lock memory of somebody else's, and let it go again.
     *  @param[out] already  it was page-locked before, all of it
     *  @return false: it stays as it was */
    bool (*pin)(void *memory, size_t bytes, bool *already);
    void (*unpin)(void *memory);
    /** StarPU's block interface, which all data of plans have, with copies that are timed. */
    struct starpu_data_interface_ops *(*blocks)(void);
    /** Is it known how long copies to, from and between GPUs take? */
    bool (*times_copies)(void);
    /** Tell psg_copies_add() of those that have ended. */
    void (*read_copies)(void);
    /** Compare the GPUs' clocks with StarPU's, of those that copy nothing: before a solve. */
    void (*set_clocks)(void);
    /** Bytes per second through their own memory of all CUDA workers together, each copying there,
     * both reading and writing counted; and the bytes of their caches. 0: not known. The workers
     * are awake. */
    void (*memory_rate)(double *rate, double *cache_bytes);
} psg_device_table;

/** Those of device_cuda.c and device_simulated.c, where these are built. */
extern const psg_device_table psg_cuda_devices, psg_simulated_devices;

/** NULL: built without CUDA, and no plan has a GPU. */
extern const psg_device_table *const psg_devices;

/** Members of the table, with an answer where there is none: no device, nothing that is known,
 * StarPU's own blocks. */
const char *psg_device_version(void);
int psg_device_count(char *words, size_t size);
int psg_device_current(int device);
psg_device_memory psg_device_ask(const void *pointer, int named);
struct starpu_data_interface_ops *psg_device_blocks(void);
bool psg_device_times_copies(void);
void psg_device_read_copies(void);

#endif
