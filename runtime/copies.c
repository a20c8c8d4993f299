#include "runtime/copies.h"

#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct process_state {
    pthread_mutex_t lock; /* of all that follows */
    psg_copy_sum sum[PSG_COPY_WAYS];
    psg_copy_list kept;
    unsigned solves; /* that want them to be kept */
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void append(psg_copy_list *list, const psg_copy_record *record) {
    if (list->count == list->room) {
        bool good = true;
        const size_t room = 2 * list->room + 64;
        list->record = base_grown(list->record, room, sizeof *list->record, &good);
        if (!good) {
            return;
        }
        list->room = room;
    }
    list->record[list->count++] = *record;
}

void psg_copies_add(const psg_copy_record *record) {
    pthread_mutex_lock(&process.lock);
    psg_copy_sum *sum = &process.sum[record->way];
    sum->seconds += (record->end - record->start) * 1e-6;
    sum->task_bytes += record->task ? record->bytes : 0;
    if (process.solves > 0 && !record->task) {
        append(&process.kept, record);
    }
    pthread_mutex_unlock(&process.lock);
}

void psg_copies_lose(psg_copy_way way) {
    pthread_mutex_lock(&process.lock);
    process.sum[way].seconds = NAN;
    pthread_mutex_unlock(&process.lock);
}

void psg_copies_sums(psg_copy_sum result[PSG_COPY_WAYS]) {
    pthread_mutex_lock(&process.lock);
    for (int way = 0; way < PSG_COPY_WAYS; way++) {
        result[way] = process.sum[way];
    }
    pthread_mutex_unlock(&process.lock);
}

void psg_copies_keep(void) {
    pthread_mutex_lock(&process.lock);
    process.solves++;
    pthread_mutex_unlock(&process.lock);
}

/* What nobody took was nobody's: of tasks of the host program's, or from before a solve. */
void psg_copies_let_go(void) {
    pthread_mutex_lock(&process.lock);
    if (--process.solves == 0) {
        free(process.kept.record);
        process.kept = (psg_copy_list){.record = NULL};
    }
    pthread_mutex_unlock(&process.lock);
}

void psg_copies_take(psg_copy_list *list,
                     bool (*wanted)(const psg_copy_record *record, const void *argument),
                     const void *argument) {
    size_t left = 0;
    list->count = 0;
    pthread_mutex_lock(&process.lock);
    for (size_t m = 0; m < process.kept.count; m++) {
        if (wanted(&process.kept.record[m], argument)) {
            append(list, &process.kept.record[m]);
        } else {
            process.kept.record[left++] = process.kept.record[m];
        }
    }
    process.kept.count = left;
    pthread_mutex_unlock(&process.lock);
}
