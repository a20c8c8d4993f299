/* Which event of a solve needed which other: from the record of what was submitted, by the rule
 * by which StarPU orders tasks: a reader comes after the last writer submitted before it. What no
 * worker runs, as the taking of a bundle for its blocks, is no event: its readers come after what
 * it read from. */
#include "graph/internal.h"

#include <stdlib.h>

/* Data that the record names, numbered by their place among all when sorted. */
typedef struct name {
    const void *data;
    size_t use;
} name;

static int by_data(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t)((const name *)a)->data;
    const uintptr_t y = (uintptr_t)((const name *)b)->data;
    return (x > y) - (x < y);
}

/* @return by use, the number of its data; NULL: no memory */
static size_t *number_data(const psg_record *record) {
    name *names = malloc((record->uses + 1) * sizeof *names);
    size_t *numbers = malloc((record->uses + 1) * sizeof *numbers);
    if (names == NULL || numbers == NULL) {
        free(names);
        free(numbers);
        return NULL;
    }
    for (size_t m = 0; m < record->uses; m++) {
        names[m] = (name){record->use[m].data, m};
    }
    qsort(names, record->uses, sizeof *names, by_data);
    size_t number = 0;
    for (size_t m = 0; m < record->uses; m++) {
        number += m > 0 && names[m].data != names[m - 1].data;
        numbers[names[m].use] = number;
    }
    free(names);
    return numbers;
}

typedef struct search {
    const psg_record *record;
    size_t *data;   /* [uses] */
    size_t *writer; /* [uses], by data: who wrote them last */
    size_t *event;  /* [count]: the event of each; PSG_RECORD_NONE: it has none */
    size_t *first;  /* [count + 1]: where what each came after begins in `before` */
    size_t *before;
    size_t found;
    size_t room;
    size_t *seen; /* [count]: for whom each was found last */
} search;

static void finish(search *s) {
    free(s->data);
    free(s->writer);
    free(s->event);
    free(s->first);
    free(s->before);
    free(s->seen);
}

static bool begin(search *s, const psg_plan *plan) {
    const size_t count = plan->record.count + 1;
    *s = (search){.record = &plan->record,
                  .data = number_data(&plan->record),
                  .writer = malloc((plan->record.uses + 1) * sizeof(size_t)),
                  .event = malloc(count * sizeof(size_t)),
                  .first = calloc(count + 1, sizeof(size_t)),
                  .seen = malloc(count * sizeof(size_t))};
    if (s->data == NULL || s->writer == NULL || s->event == NULL || s->first == NULL ||
        s->seen == NULL) {
        return false;
    }
    for (size_t m = 0; m < plan->record.uses; m++) {
        s->writer[m] = PSG_RECORD_NONE;
    }
    for (size_t m = 0; m < plan->record.count; m++) {
        s->event[m] = s->seen[m] = PSG_RECORD_NONE;
    }
    for (size_t m = 0; m < plan->events; m++) {
        if (plan->event[m].number < plan->record.count) {
            s->event[plan->event[m].number] = m;
        }
    }
    return true;
}

/* `number` comes after `before`, once. */
static bool add(search *s, size_t number, size_t before) {
    if (s->seen[before] == number) {
        return true;
    }
    if (s->found == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 256;
        size_t *more = realloc(s->before, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        s->before = more;
        s->room = room;
    }
    s->seen[before] = number;
    s->before[s->found++] = before;
    return true;
}

/* After the last writer of what it reads; where that is no event, after what that came after. */
static bool add_writer(search *s, size_t number, size_t writer) {
    if (writer == PSG_RECORD_NONE || s->event[writer] != PSG_RECORD_NONE) {
        return writer == PSG_RECORD_NONE || add(s, number, writer);
    }
    bool room = true;
    for (size_t m = s->first[writer]; m < s->first[writer + 1] && room; m++) {
        room = add(s, number, s->before[m]);
    }
    return room;
}

static bool find(search *s) {
    const psg_record *r = s->record;
    size_t use = 0;
    for (size_t number = 0; number < r->count; number++) {
        const size_t first = use;
        s->first[number] = s->found;
        for (; use < r->uses && r->use[use].number == number; use++) {
            if (r->use[use].reads && !add_writer(s, number, s->writer[s->data[use]])) {
                return false;
            }
        }
        for (size_t m = first; m < use; m++) {
            if (r->use[m].writes) {
                s->writer[s->data[m]] = number;
            }
        }
        s->first[number + 1] = s->found;
    }
    return true;
}

/* @return NULL: no memory */
static psg_dependency *list_found(const search *s, size_t *count) {
    psg_dependency *list = malloc((s->found + 1) * sizeof *list);
    for (size_t number = 0; list != NULL && number < s->record->count; number++) {
        for (size_t m = s->first[number];
             s->event[number] != PSG_RECORD_NONE && m < s->first[number + 1]; m++) {
            list[(*count)++] =
                (psg_dependency){.before = s->event[s->before[m]], .after = s->event[number]};
        }
    }
    return list;
}

psg_status psg_dependencies_find(const psg_plan *plan, psg_dependency **list, size_t *count) {
    *list = NULL;
    *count = 0;
    if (!plan->context.record) {
        return psg_fail(PSG_ERR_STATE, "the plan was made without psg_options.record");
    }
    if (!plan->record.lost && !plan->events_lost) {
        search s;
        if (begin(&s, plan) && find(&s)) {
            *list = list_found(&s, count);
        }
        finish(&s);
    }
    return *list != NULL ? PSG_OK
                         : psg_fail(PSG_ERR_MEMORY, "no memory for the dependencies of %zu tasks",
                                    plan->record.count);
}

psg_status psg_plan_dependencies(const psg_plan *plan, psg_dependency *dependencies,
                                 size_t capacity, size_t *count) {
    psg_dependency *list = NULL;
    size_t found = 0;
    psg_clear_error();
    if (plan == NULL || count == NULL || (dependencies == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan, count or dependencies is NULL");
    }
    const psg_status status = psg_dependencies_find(plan, &list, &found);
    if (status == PSG_OK) {
        *count = found;
        for (size_t m = 0; m < found && m < capacity; m++) {
            dependencies[m] = list[m];
        }
    }
    free(list);
    return status;
}
