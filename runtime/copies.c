#include "runtime/copies.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static psg_copy_sum sums[PSG_COPY_WAYS]; /* under the lock, with all that follow here */
static psg_copy_list kept;
static unsigned solves;

static void append(psg_copy_list *list, const psg_copy_record *record) {
    if (list->count == list->room) {
        const size_t room = list->room > 0 ? 2 * list->room : 64;
        psg_copy_record *more = realloc(list->record, room * sizeof *more);
        if (more == NULL) {
            return;
        }
        list->record = more;
        list->room = room;
    }
    list->record[list->count++] = *record;
}

void psg_copies_add(const psg_copy_record *record) {
    pthread_mutex_lock(&lock);
    psg_copy_sum *sum = &sums[record->way];
    sum->seconds += (record->end - record->start) * 1e-6;
    sum->task_bytes += record->task ? record->bytes : 0;
    if (solves > 0 && !record->task) {
        append(&kept, record);
    }
    pthread_mutex_unlock(&lock);
}

void psg_copies_lose(psg_copy_way way) {
    pthread_mutex_lock(&lock);
    sums[way].seconds = NAN;
    pthread_mutex_unlock(&lock);
}

void psg_copies_sums(psg_copy_sum result[PSG_COPY_WAYS]) {
    pthread_mutex_lock(&lock);
    for (int way = 0; way < PSG_COPY_WAYS; way++) {
        result[way] = sums[way];
    }
    pthread_mutex_unlock(&lock);
}

void psg_copies_keep(void) {
    pthread_mutex_lock(&lock);
    solves++;
    pthread_mutex_unlock(&lock);
}

/* What nobody took was nobody's: of tasks of the host program's, or from before a solve. */
void psg_copies_let_go(void) {
    pthread_mutex_lock(&lock);
    if (--solves == 0) {
        free(kept.record);
        kept = (psg_copy_list){.record = NULL};
    }
    pthread_mutex_unlock(&lock);
}

void psg_copies_take(psg_copy_list *list,
                     bool (*wanted)(const psg_copy_record *record, const void *argument),
                     const void *argument) {
    size_t left = 0;
    list->count = 0;
    pthread_mutex_lock(&lock);
    for (size_t m = 0; m < kept.count; m++) {
        if (wanted(&kept.record[m], argument)) {
            append(list, &kept.record[m]);
        } else {
            kept.record[left++] = kept.record[m];
        }
    }
    kept.count = left;
    pthread_mutex_unlock(&lock);
}
