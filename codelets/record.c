#include "codelets/record.h"

#include <stdlib.h>

void psg_record_clear(psg_record *record) {
    record->count = 0;
    record->uses = 0;
    record->lost = false;
}

void psg_record_free(psg_record *record) {
    free(record->shape);
    free(record->use);
}

/* Room for one more. @return the array; NULL: no memory, and the old one stays */
static void *grow(void *array, size_t count, size_t *room, size_t bytes) {
    if (count < *room) {
        return array;
    }
    const size_t more = *room > 0 ? 2 * *room : 64;
    void *larger = realloc(array, more * bytes);
    if (larger != NULL) {
        *room = more;
    }
    return larger;
}

size_t psg_record_add(psg_record *record, uint32_t shape) {
    uint32_t *shapes = grow(record->shape, record->count, &record->room, sizeof *shapes);
    if (shapes == NULL) {
        record->lost = true;
        return PSG_RECORD_NONE;
    }
    record->shape = shapes;
    shapes[record->count] = shape;
    return record->count++;
}

void psg_record_use_data(psg_record *record, const void *data, bool reads, bool writes) {
    psg_record_use *uses = grow(record->use, record->uses, &record->use_room, sizeof *uses);
    if (uses == NULL || record->lost) {
        record->use = uses != NULL ? uses : record->use;
        record->lost = true;
        return;
    }
    record->use = uses;
    uses[record->uses++] = (psg_record_use){data, record->count - 1, reads, writes};
}
