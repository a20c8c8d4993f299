#include "runtime/record.h"

#include "base/memory.h"

#include <stdlib.h>

void psg_record_clear(psg_record *record) {
    record->count = 0;
    record->uses = 0;
    record->lost = false;
}

void psg_record_free(psg_record *record) {
    free(record->use);
}

size_t psg_record_add(psg_record *record) {
    return record->count++;
}

void psg_record_use_data(psg_record *record, const void *data, unsigned how, size_t bytes) {
    if (how == 0) {
        return;
    }
    if (record->uses == record->room) {
        bool good = true;
        const size_t room = 2 * record->room + 256;
        record->use = base_grown(record->use, room, sizeof *record->use, &good);
        if (!good) {
            record->lost = true;
            return;
        }
        record->room = room;
    }
    record->use[record->uses++] = (psg_record_use){data, record->count - 1, how, bytes};
}
