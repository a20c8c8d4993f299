/* The thread that talks to MPI. */
#include "codelets/messenger.h"
#include "codelets/comm_mpi.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted_some; /* by the clock that nobody sets */
static psg_errand *posted;         /* latest first; under the lock, as is the following */
static bool stopping;
static pthread_t thread;

/* Looks without anything new before the thread sleeps, and for how long then. */
enum { LOOKS = 20, NAP_NANOSECONDS = 20000 };

/* What is under way: request m is that of errand m. */
typedef struct round {
    MPI_Request *request;
    psg_errand **errand;
    int *ended;
    MPI_Status *status; /* of those that have ended */
    int count;
    int room;
} round;

/* What was there stays, whatever cannot be had. */
static bool make_room(round *r) {
    const size_t room = r->room > 0 ? 2 * (size_t)r->room : 64;
    MPI_Request *request = realloc(r->request, room * sizeof *request);
    if (request == NULL) {
        return false;
    }
    r->request = request;
    psg_errand **errand = realloc(r->errand, room * sizeof(psg_errand *));
    if (errand == NULL) {
        return false;
    }
    r->errand = errand;
    int *ended = realloc(r->ended, room * sizeof *ended);
    if (ended == NULL) {
        return false;
    }
    r->ended = ended;
    MPI_Status *status = realloc(r->status, room * sizeof *status);
    if (status == NULL) {
        return false;
    }
    r->status = status;
    r->room = (int)room;
    return true;
}

static void start(round *r, psg_errand *errand) {
    if (r->count == r->room && !make_room(r)) {
        errand->ended(errand, MPI_ERR_NO_MEM);
        return;
    }
    psg_request begun = {MPI_REQUEST_NULL};
    const int code = errand->start(errand, &begun);
    if (code != MPI_SUCCESS || begun.mpi == MPI_REQUEST_NULL) {
        errand->ended(errand, code);
        return;
    }
    r->request[r->count] = begun.mpi;
    r->errand[r->count++] = errand;
}

/* @return how many have ended */
static int look(round *r) {
    int count = 0;
    if (r->count == 0) {
        return 0;
    }
    const int code = MPI_Testsome(r->count, r->request, &count, r->ended, r->status);
    const bool told = code == MPI_ERR_IN_STATUS; /* each has its own */
    if ((code != MPI_SUCCESS && !told) || count == MPI_UNDEFINED) {
        for (count = 0; count < r->count; count++) { /* which one is not said: all have failed */
            r->ended[count] = count;
        }
    }
    for (int m = 0; m < count; m++) {
        psg_errand *errand = r->errand[r->ended[m]];
        r->errand[r->ended[m]] = NULL;
        errand->ended(errand, told ? r->status[m].MPI_ERROR : code);
    }
    int kept = 0;
    for (int m = 0; m < r->count; m++) {
        if (r->errand[m] != NULL) {
            r->errand[kept] = r->errand[m];
            r->request[kept++] = r->request[m];
        }
    }
    r->count = kept;
    return count;
}

/* Wait for something new: as long as it takes where nothing is under way, else for a nap. Under
 * the lock. */
static void wait_for_news(bool under_way) {
    if (!under_way) {
        pthread_cond_wait(&posted_some, &lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += NAP_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(&posted_some, &lock, &until);
}

/* In the order in which they were posted. */
static psg_errand *reversed(psg_errand *list) {
    psg_errand *first = NULL;
    while (list != NULL) {
        psg_errand *next = list->next;
        list->next = first;
        first = list;
        list = next;
    }
    return first;
}

static void *run(void *argument) {
    round r = {NULL, NULL, NULL, NULL, 0, 0};
    int idle = 0;
    (void)argument;
    pthread_mutex_lock(&lock);
    while (!stopping || posted != NULL || r.count > 0) {
        if (posted == NULL && (r.count == 0 || idle >= LOOKS)) {
            wait_for_news(r.count > 0);
        }
        psg_errand *news = reversed(posted);
        posted = NULL;
        pthread_mutex_unlock(&lock);
        idle = news != NULL ? 0 : idle + 1;
        while (news != NULL) {
            psg_errand *next = news->next; /* the errand is gone once it has ended */
            start(&r, news);
            news = next;
        }
        idle = look(&r) > 0 ? 0 : idle;
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    free(r.request);
    free(r.errand);
    free(r.ended);
    free(r.status);
    return NULL;
}

bool psg_messenger_start(void) {
    pthread_condattr_t attribute;
    stopping = false;
    if (pthread_condattr_init(&attribute) != 0) {
        return false;
    }
    const bool ready = pthread_condattr_setclock(&attribute, CLOCK_MONOTONIC) == 0 &&
                       pthread_cond_init(&posted_some, &attribute) == 0;
    pthread_condattr_destroy(&attribute);
    if (ready && pthread_create(&thread, NULL, run, NULL) != 0) {
        pthread_cond_destroy(&posted_some);
        return false;
    }
    return ready;
}

void psg_messenger_stop(void) {
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_signal(&posted_some);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&posted_some);
}

void psg_messenger_post(psg_errand *errand) {
    pthread_mutex_lock(&lock);
    errand->next = posted;
    posted = errand;
    pthread_cond_signal(&posted_some);
    pthread_mutex_unlock(&lock);
}
