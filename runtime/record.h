/** @file record.h  What the tasks and messages of a solve read and write, in the order of their
 *  submission: all that StarPU has to derive their dependencies from. */
#ifndef PSG_RUNTIME_RECORD_H
#define PSG_RUNTIME_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The number of what has no place in the record. */
#define PSG_RECORD_NONE SIZE_MAX

/** How something uses data: flags. What adds to data, as STARPU_REDUX and STARPU_COMMUTE say, does
 * so in no order with others that add. It comes after who wrote the data, and who reads the data
 * comes after all that added to them. */
enum { PSG_USE_READS = 1, PSG_USE_WRITES = 2, PSG_USE_ADDS = 4 };

typedef struct psg_record_use {
    const void *data; /**< a StarPU handle, to be compared only: it may be gone */
    size_t number;    /**< of the task or message */
    unsigned how;     /**< flags */
    size_t bytes;     /**< of the data */
} psg_record_use;

/** All zero before the first use. */
typedef struct psg_record {
    size_t count;        /**< of tasks and messages */
    psg_record_use *use; /**< in the order of their numbers */
    size_t uses;
    size_t room;
    bool lost; /**< there was no memory for some of it */
} psg_record;

/** Begin anew, in the room there is. */
void psg_record_clear(psg_record *record);
void psg_record_free(psg_record *record);

/** One task or message more. @return its number */
size_t psg_record_add(psg_record *record);
/** What the latest one uses. @param[in] how  flags; 0 is left out: scratch @param[in] bytes  of the
 * data */
void psg_record_use_data(psg_record *record, const void *data, unsigned how, size_t bytes);

#endif
