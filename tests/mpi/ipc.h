/** @file ipc.h  What the tests of exchange direct between processes do to memory that processes share. */
#ifndef PSG_TESTS_IPC_H
#define PSG_TESTS_IPC_H

typedef enum ipc_call { IPC_EXPORT, IPC_IMPORT, IPC_CALLS } ipc_call;

/** From now on every call of a kind fails in this process, for any memory. */
void ipc_fail(ipc_call call);
/** From now on no memory of GPUs is imported in this process. */
void ipc_fail_gpus(void);
/** No call fails any more. */
void ipc_mend(void);

#endif
