#include "runtime/step_list.h"

#include "base/memory.h"
#include "runtime/task.h"

#include <stdlib.h>

psg_step_list *psg_step_list_create(void) {
    return calloc(1, sizeof(psg_step_list));
}

void psg_step_list_destroy(psg_step_list *list) {
    if (list != NULL) {
        free(list->step);
        free(list->moment);
        free(list->use);
        free(list->buffer);
        free(list->data);
        free(list->number);
        free(list);
    }
}

/* The list gets room for one more step and its data. */
static bool make_room(psg_step_list *list, size_t uses) {
    bool good = true;
    if (list->steps == list->step_room) {
        const size_t room = 2 * list->steps + 16;
        list->step = base_grown(list->step, room, sizeof *list->step, &good);
        list->moment = base_grown(list->moment, room + 1, sizeof *list->moment, &good);
        list->step_room = good ? room : list->step_room;
    }
    if (list->uses + uses > list->use_room) {
        const size_t room = 2 * (list->uses + uses) + 64;
        list->use = base_grown(list->use, room, sizeof *list->use, &good);
        list->buffer = base_grown(list->buffer, room, sizeof *list->buffer, &good);
        list->data = base_grown(list->data, room, sizeof *list->data, &good);
        list->number = base_grown(list->number, room, sizeof *list->number, &good);
        list->use_room = good ? room : list->use_room;
    }
    return good;
}

static void add(psg_run *run, struct starpu_task *task) {
    psg_step_list *list = run->steps;
    const size_t count = (size_t)STARPU_TASK_GET_NBUFFERS(task);
    if (make_room(list, count)) {
        list->step[list->steps++] = (psg_step){.on_cpu = task->cl->cpu_funcs[0],
                                               .on_gpu = task->cl->cuda_funcs[0],
                                               .args = *(const psg_task_args *)task->cl_arg,
                                               .first = list->uses};
        for (size_t m = 0; m < count; m++) {
            const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, (int)m);
            list->use[list->uses] = (psg_step_data){handle, STARPU_TASK_GET_MODE(task, (int)m)};
            list->buffer[list->uses++] = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
        }
    } else {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for a step");
    }
    task->destroy = 0;
    starpu_task_destroy(task);
}

bool psg_step_list_repeats(const psg_run *run, const size_t key[2]) {
    const psg_step_list *list = run->steps;
    return list->whole && list->key[0] == key[0] && list->key[1] == key[1] && !run->engine->record;
}

bool psg_step_list_begin(psg_run *run, const size_t key[2]) {
    psg_step_list *list = run->steps;
    if (psg_step_list_repeats(run, key)) {
        return false;
    }
    run->gather = add;
    list->key[0] = key[0];
    list->key[1] = key[1];
    list->steps = list->uses = list->count = 0;
    list->whole = false;
    return true;
}

bool psg_step_list_end(psg_run *run) {
    run->gather = NULL;
    run->steps->whole = run->steps->steps > 0 && !psg_run_failed(run);
    return run->steps->whole;
}
