/* The thread that talks to MPI. */
#include "runtime/messenger.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "runtime/mpi_channel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef struct process_state {
    pthread_mutex_t lock;
    pthread_cond_t posted_some; /* by the clock that nobody sets */
    psg_request *posted;        /* latest first; under the lock */
    bool stopping;              /* under the lock */
    pthread_t thread;
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What is under way: operation m is that of request m. */
typedef struct round {
    MPI_Request *operation;
    psg_request **request;
    int *ended;
    MPI_Status *status; /* of those that have ended */
    int count;
    int room;
    int hurried;        /* of those under way */
    psg_request *first; /* not begun yet, as there was no room; first come, first served */
    psg_request *last;
} round;

/* What ends the requests of an owner; begun by nobody. */
typedef struct dropping {
    psg_request request; /* first: it stands for the whole */
    pthread_cond_t ended;
    bool is_over; /* under the lock */
    size_t count;
} dropping;

/* What was there stays, whatever cannot be had. */
static bool make_room(round *r) {
    const size_t room = r->room > 0 ? 2 * (size_t)r->room : 64;
    bool good = true;
    r->operation = base_grown(r->operation, room, sizeof *r->operation, &good);
    r->request = base_grown(r->request, room, sizeof(psg_request *), &good);
    r->ended = base_grown(r->ended, room, sizeof *r->ended, &good);
    r->status = base_grown(r->status, room, sizeof *r->status, &good);
    r->room = good ? (int)room : r->room;
    return good;
}

static void start(round *r, psg_request *request) {
    psg_operation begun = {MPI_REQUEST_NULL};
    const int code = request->start(request, &begun);
    if (code != MPI_SUCCESS || (begun.mpi == MPI_REQUEST_NULL && request->look == NULL)) {
        request->ended(request, code);
        return;
    }
    r->operation[r->count] = begun.mpi;
    r->request[r->count++] = request;
    r->hurried += request->hurried ? 1 : 0;
}

/* Requests that have ended leave no gap. */
static void close_gaps(round *r) {
    int kept = 0;
    for (int m = 0; m < r->count; m++) {
        if (r->request[m] != NULL) {
            r->request[kept] = r->request[m];
            r->operation[kept++] = r->operation[m];
        }
    }
    r->count = kept;
}

/* Request m is over, and no longer the round's. */
static void finish(round *r, int m, int code) {
    psg_request *request = r->request[m];
    r->request[m] = NULL;
    r->hurried -= request->hurried ? 1 : 0;
    request->ended(request, code);
}

static void drop(round *r, dropping *d) {
    for (int m = 0; m < r->count; m++) {
        if (r->request[m]->owner == d->request.owner) {
            d->count += r->request[m]->look == NULL ? 1 : 0; /* MPI still has its memory */
            finish(r, m, PSG_COMM_GIVEN_UP);
        }
    }
    close_gaps(r);
    pthread_mutex_lock(&process.lock);
    d->is_over = true;
    pthread_cond_signal(&d->ended);
    pthread_mutex_unlock(&process.lock);
}

/* A request that there is no room for begins when another one has ended: the process at its other
 * end waits for it. */
static void take(round *r, psg_request *news) {
    while (news != NULL) {
        psg_request *next = news->next; /* the request is gone once it has ended */
        if (news->start == NULL) {
            drop(r, (dropping *)news);
        } else {
            news->next = NULL;
            *(r->first != NULL ? &r->last->next : &r->first) = news;
            r->last = news;
        }
        news = next;
    }
    while (r->first != NULL && (r->count < r->room || make_room(r))) {
        psg_request *request = r->first;
        r->first = request->next;
        start(r, request);
    }
}

/* @return how many have ended of those that MPI knows */
static int look_at_mpi(round *r) {
    int count = 0;
    const int code = MPI_Testsome(r->count, r->operation, &count, r->ended, r->status);
    const bool told = code == MPI_ERR_IN_STATUS; /* each has its own */
    if (code == MPI_SUCCESS && count == MPI_UNDEFINED) {
        return 0; /* there is none */
    }
    if (code != MPI_SUCCESS && !told) {
        for (count = 0; count < r->count; count++) { /* which one is not said: all have failed */
            r->ended[count] = count;
        }
    }
    for (int m = 0; m < count; m++) {
        if (r->request[r->ended[m]] != NULL) {
            finish(r, r->ended[m], told ? r->status[m].MPI_ERROR : code);
        }
    }
    return count;
}

/* @return how many have ended */
static int look(round *r) {
    int count = 0;
    for (int m = 0; m < r->count; m++) {
        psg_request *request = r->request[m];
        const int code = request->look != NULL ? request->look(request) : PSG_COMM_UNDER_WAY;
        if (code != PSG_COMM_UNDER_WAY) {
            finish(r, m, code);
            count++;
        }
    }
    close_gaps(r);
    if (r->count > 0) {
        count += look_at_mpi(r);
        close_gaps(r);
    }
    return count;
}

/* Wait for something new: as long as it takes where nothing is under way, else for a nap. Under
 * the lock. */
static void wait_for_news(bool under_way) {
    if (!under_way) {
        pthread_cond_wait(&process.posted_some, &process.lock);
        return;
    }
    const struct timespec until = base_after(CLOCK_MONOTONIC, TUNING_MESSENGER_NAP);
    (void)pthread_cond_timedwait(&process.posted_some, &process.lock, &until);
}

/* In the order in which they were posted. */
static psg_request *reversed(psg_request *list) {
    psg_request *first = NULL;
    while (list != NULL) {
        psg_request *next = list->next;
        list->next = first;
        first = list;
        list = next;
    }
    return first;
}

static void free_round(round *r) {
    if (r != NULL) {
        free(r->operation);
        free(r->request);
        free(r->ended);
        free(r->status);
        free(r);
    }
}

static void *run(void *argument) {
    round *r = argument;
    int idle = 0;
    pthread_mutex_lock(&process.lock);
    while (!process.stopping || process.posted != NULL || r->count > 0 || r->first != NULL) {
        const bool naps = idle >= TUNING_MESSENGER_LOOKS && r->hurried == 0;
        if (process.posted == NULL && (r->count == 0 || naps)) {
            wait_for_news(r->count > 0);
        }
        psg_request *news = reversed(process.posted);
        process.posted = NULL;
        pthread_mutex_unlock(&process.lock);
        idle = news != NULL ? 0 : idle + 1;
        take(r, news);
        idle = look(r) > 0 ? 0 : idle;
        if (idle >= TUNING_MESSENGER_LOOKS && r->hurried > 0) {
            (void)sched_yield();
        }
        pthread_mutex_lock(&process.lock);
    }
    pthread_mutex_unlock(&process.lock);
    free_round(r);
    return NULL;
}

/* The thread has room from the beginning on: what it cannot begin for want of memory begins later.
 */
bool psg_messenger_start(void) {
    pthread_condattr_t attribute;
    round *r = calloc(1, sizeof *r);
    process.stopping = false;
    if (r == NULL || !make_room(r) || pthread_condattr_init(&attribute) != 0) {
        free_round(r);
        return false;
    }
    bool running = pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC) == 0 &&
                   pthread_cond_init(&process.posted_some, &attribute) == 0;
    pthread_condattr_destroy(&attribute);
    if (running && pthread_create(&process.thread, NULL, run, r) != 0) {
        pthread_cond_destroy(&process.posted_some);
        running = false;
    }
    if (!running) {
        free_round(r);
    }
    return running;
}

void psg_messenger_stop(void) {
    pthread_mutex_lock(&process.lock);
    process.stopping = true;
    pthread_cond_signal(&process.posted_some);
    pthread_mutex_unlock(&process.lock);
    pthread_join(process.thread, NULL);
    pthread_cond_destroy(&process.posted_some);
}

void psg_messenger_post(psg_request *request) {
    pthread_mutex_lock(&process.lock);
    request->next = process.posted;
    process.posted = request;
    pthread_cond_signal(&process.posted_some);
    pthread_mutex_unlock(&process.lock);
}

size_t psg_messenger_drop(const void *owner) {
    dropping d = {.request = {.owner = owner}, .ended = PTHREAD_COND_INITIALIZER};
    psg_messenger_post(&d.request);
    pthread_mutex_lock(&process.lock);
    while (!d.is_over) {
        pthread_cond_wait(&d.ended, &process.lock);
    }
    pthread_mutex_unlock(&process.lock);
    pthread_cond_destroy(&d.ended);
    return d.count;
}
