#include "runtime/teamwork.h"

#include "base/tuning.h"
#include "runtime/task.h"

#include <sched.h>
#include <stdlib.h>

void psg_team_relax(unsigned *looks) {
    if (++*looks < TUNING_TEAM_LOOKS) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    } else {
        (void)sched_yield();
    }
}

/* ------------------------------------------------------------------------------------ gathering */

psg_teamwork *psg_teamwork_create(size_t steps, size_t seats) {
    psg_teamwork *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    const size_t counters = PSG_TEAM_PHASES * seats;
    w->steps_most = steps;
    w->step = calloc(steps + 1, sizeof *w->step);
    w->range = calloc(steps + 1, sizeof *w->range);
    w->counter = aligned_alloc(PSG_TEAM_LINE, counters * sizeof *w->counter);
    if (w->step == NULL || w->range == NULL || w->counter == NULL) {
        psg_teamwork_destroy(w);
        return NULL;
    }
    return w;
}

void psg_teamwork_wait(psg_teamwork *w) {
    for (unsigned looks = 0; atomic_load(&w->inside) > 0;) {
        psg_team_relax(&looks);
    }
}

void psg_teamwork_destroy(psg_teamwork *w) {
    if (w == NULL) {
        return;
    }
    psg_teamwork_wait(w);
    free(w->step);
    free(w->data);
    free(w->range);
    free(w->counter);
    free(w);
}

/* Steps of the same part that were submitted in a row are a range. Ranges along the same axis, each
 * with a higher number than the one before it, are a phase. */
static void put_step(psg_teamwork *w, const psg_task_args *args) {
    const psg_step *before = w->steps > 0 ? &w->step[w->steps - 1] : NULL;
    const int axis = psg_label_axis(&args->label);
    const bool same_phase = before != NULL && psg_label_axis(&before->args.label) == axis &&
                            before->args.label.index[axis] <= args->label.index[axis];
    if (!same_phase || before->args.label.index[axis] != args->label.index[axis]) {
        w->range[w->ranges++] = (psg_span){w->steps, w->steps};
    }
    if (!same_phase) {
        w->phase[w->phases++] = (psg_span){w->ranges - 1, w->ranges - 1};
    }
    w->phase[w->phases - 1].end = w->ranges;
    w->range[w->ranges - 1].end = w->steps + 1;
}

static bool make_data_room(psg_teamwork *w, size_t count) {
    const size_t room = 2 * (w->data_count + count);
    if (w->data_count + count <= w->data_room) {
        return true;
    }
    void *more = realloc(w->data, room * sizeof *w->data);
    if (more == NULL) {
        return false;
    }
    w->data = more;
    w->data_room = room;
    return true;
}

/* A run of several right-hand sides may have any number of steps. */
static bool make_step_room(psg_teamwork *w) {
    const size_t room = 2 * w->steps_most + 1;
    if (w->steps < w->steps_most) {
        return true;
    }
    psg_step *step = realloc(w->step, (room + 1) * sizeof *w->step);
    if (step == NULL) {
        return false;
    }
    w->step = step;
    psg_span *range = realloc(w->range, (room + 1) * sizeof *w->range);
    if (range == NULL) {
        return false;
    }
    w->range = range;
    w->steps_most = room;
    return true;
}

static void add_step(psg_run *run, struct starpu_task *task) {
    psg_teamwork *w = run->work;
    const psg_task_args *args = task->cl_arg;
    const size_t count = (size_t)STARPU_TASK_GET_NBUFFERS(task);
    if (make_data_room(w, count) && make_step_room(w)) {
        put_step(w, args);
        w->step[w->steps++] =
            (psg_step){.call = task->cl->cpu_funcs[0], .args = *args, .first = w->data_count};
        for (size_t m = 0; m < count; m++) {
            w->data[w->data_count++] = starpu_data_get_interface_on_node(
                STARPU_TASK_GET_HANDLE(task, (int)m), STARPU_MAIN_RAM);
        }
    } else {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for a step");
    }
    task->destroy = 0;
    starpu_task_destroy(task);
}

void psg_teamwork_begin(psg_run *run, const size_t key[2]) {
    psg_teamwork *w = run->work;
    psg_teamwork_wait(w);
    run->gather = add_step;
    w->key[0] = key[0];
    w->key[1] = key[1];
    w->steps = w->ranges = w->phases = w->data_count = 0;
}

void psg_teamwork_drop(psg_run *run) {
    run->gather = NULL;
    run->work->steps = 0;
}

bool psg_teamwork_repeats(const psg_run *run, const size_t key[2]) {
    const psg_teamwork *w = run->work;
    return w->steps > 0 && w->key[0] == key[0] && w->key[1] == key[1] && !run->engine->record;
}

/* -------------------------------------------------------------------------------------- working */

void psg_teamwork_do(psg_teamwork *w, size_t p, int worker) {
    for (size_t s = w->range[p].first; s < w->range[p].end; s++) {
        psg_step *it = &w->step[s];
        it->args.as_worker = 1 + worker;
        it->between[0] = starpu_timing_now();
        it->call(&w->data[it->first], &it->args);
        it->between[1] = starpu_timing_now();
    }
}

/* A member's own ranges are the same ones in each solve, so that its core may have them in its
 * caches. */
size_t psg_teamwork_claim(psg_teamwork *w, size_t phase, size_t rank) {
    psg_counter *all = &w->counter[phase * w->members];
    for (size_t m = 0; m < w->members; m++) {
        psg_counter *c = &all[rank + m < w->members ? rank + m : rank + m - w->members];
        if (atomic_load_explicit(&c->next, memory_order_relaxed) < c->end) {
            const size_t p = atomic_fetch_add(&c->next, 1);
            if (p < c->end) {
                return p;
            }
        }
    }
    return SIZE_MAX;
}

void psg_teamwork_count(psg_teamwork *w) {
    for (size_t s = 0; s < w->steps; s++) {
        psg_task_count(&w->step[s].args, w->step[s].between);
    }
}

void psg_teamwork_deal(psg_teamwork *w) {
    for (size_t m = 0; m < w->phases; m++) {
        const size_t first = w->phase[m].first;
        const size_t ranges = w->phase[m].end - first;
        atomic_store(&w->done[m], 0);
        for (size_t r = 0; r < w->members; r++) {
            psg_counter *c = &w->counter[m * w->members + r];
            atomic_store(&c->next, first + ranges * r / w->members);
            c->end = first + ranges * (r + 1) / w->members;
        }
    }
}
