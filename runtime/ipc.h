/** @file ipc.h  Memory that processes of one node share: tasks of each write and read it by
 * addresses of their own.
 *
 * A process allocates memory, exports it, and tells the other processes the handle. Each of them
 * imports the memory by the handle, and closes it before the memory is freed. No process imports
 * its own memory. An imported address is for kernels and copies of this process, and not for MPI.
 *
 * A device is the CUDA device that works on the memory; -1: cores alone do.
 */
#ifndef PSG_RUNTIME_IPC_H
#define PSG_RUNTIME_IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where shared memory stands. */
typedef enum psg_ipc_kind {
    PSG_IPC_MAIN = 0, /**< main memory; for a device page-locked, and reached over its link */
    PSG_IPC_GPUS      /**< the memory of the device, by CUDA's interprocess communication */
} psg_ipc_kind;

/** Plain bytes, which messages carry. */
typedef struct psg_ipc_handle {
    unsigned char bytes[64];
} psg_ipc_handle;

/** Memory that can be exported, by its first address, aligned to 4096. @return NULL: there is none
 */
void *psg_ipc_allocate(psg_ipc_kind kind, int device, size_t bytes);
void psg_ipc_free(psg_ipc_kind kind, int device, void *memory);

/** Make a handle of memory. @param[out] words  why not, `size` bytes */
bool psg_ipc_export(psg_ipc_kind kind, int device, void *memory, psg_ipc_handle *handle,
                    char *words, size_t size);

/** Reach memory that another process exports. A GPU that has the memory need not be visible here.
 *  @param[out] words  why not, `size` bytes @return NULL: it cannot be reached */
void *psg_ipc_import(psg_ipc_kind kind, int device, const psg_ipc_handle *handle, char *words,
                     size_t size);
/** What works on the memory has ended. */
void psg_ipc_close(psg_ipc_kind kind, int device, void *imported);

/** Write a number to imported memory, and read one from memory of this process, as the device does.
 *  @param[out] words  why not, `size` bytes */
bool psg_ipc_put(int device, void *to, uint64_t number, char *words, size_t size);
bool psg_ipc_get(int device, const void *from, uint64_t *number, char *words, size_t size);

#endif
