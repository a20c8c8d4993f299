/* A node's network: messages go one after the other, in the order in which they were posted, and others come
 * at the same time, one after the other, too. */
#include "runtime/messenger.h"
#include "runtime/request_simulated.h"

#include <errno.h>
#include <starpu.h>
#include <stdlib.h>

typedef struct letter {
    struct letter *next;
    psg_errand *errand;
    psg_request request;
} letter;

/* A thread of the simulation for what goes, and one for what comes. */
typedef struct direction {
    starpu_pthread_t thread;
    starpu_pthread_cond_t posted_some;
    letter *first; /* under the lock */
    letter *last;  /* under the lock */
} direction;

static starpu_pthread_mutex_t lock;
static direction directions[2];
static bool stopping; /* under the lock */

/* @return NULL: no more will come */
static letter *take(direction *d) {
    starpu_pthread_mutex_lock(&lock);
    while (d->first == NULL && !stopping) {
        starpu_pthread_cond_wait(&d->posted_some, &lock);
    }
    letter *l = d->first;
    if (l != NULL) {
        d->first = l->next;
    }
    starpu_pthread_mutex_unlock(&lock);
    return l;
}

/* What is less than SimGrid's own accuracy it says something about. */
static const double shortest = 1e-9;

static void *carry(void *argument) {
    for (letter *l = take(argument); l != NULL; l = take(argument)) {
        if (l->request.seconds > shortest) {
            starpu_sleep((float)l->request.seconds);
        }
        l->errand->ended(l->errand, 0);
        free(l);
    }
    return NULL;
}

bool psg_messenger_start(void) {
    stopping = false;
    starpu_pthread_mutex_init(&lock, NULL);
    for (int d = 0; d < 2; d++) {
        directions[d].first = NULL;
        starpu_pthread_cond_init(&directions[d].posted_some, NULL);
        if (starpu_pthread_create(&directions[d].thread, NULL, carry, &directions[d]) != 0) {
            return false; /* which SimGrid never does */
        }
    }
    return true;
}

void psg_messenger_stop(void) {
    starpu_pthread_mutex_lock(&lock);
    stopping = true;
    for (int d = 0; d < 2; d++) {
        starpu_pthread_cond_signal(&directions[d].posted_some);
    }
    starpu_pthread_mutex_unlock(&lock);
    for (int d = 0; d < 2; d++) {
        (void)starpu_pthread_join(directions[d].thread, NULL);
        starpu_pthread_cond_destroy(&directions[d].posted_some);
    }
    starpu_pthread_mutex_destroy(&lock);
}

void psg_messenger_post(psg_errand *errand) {
    letter *l = malloc(sizeof *l);
    if (l == NULL) {
        errand->ended(errand, ENOMEM);
        return;
    }
    *l = (letter){.errand = errand};
    (void)errand->start(errand, &l->request);
    direction *d = &directions[l->request.received];
    starpu_pthread_mutex_lock(&lock);
    if (d->first == NULL) {
        d->first = l;
    } else {
        d->last->next = l;
    }
    d->last = l;
    starpu_pthread_cond_signal(&d->posted_some);
    starpu_pthread_mutex_unlock(&lock);
}

size_t psg_messenger_drop(const void *owner) {
    (void)owner; /* nobody is waited for too long */
    return 0;
}
