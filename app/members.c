#include "app/members.h"
#include "workloads/workload.h"

#include <string.h>

const app_choice app_data_choices[] = {{"host", 0}, {"resident", 1}, {NULL, 0}};
const app_choice app_work_orders[] = {
    {"listed", WORKLOAD_LISTED}, {"longest", WORKLOAD_LONGEST}, {NULL, 0}};
const app_choice app_work_barriers[] = {{"no", 0}, {"yes", 1}, {NULL, 0}};
const app_choice app_work_priorities[] = {
    {"none", WORKLOAD_EQUAL}, {"path", WORKLOAD_PATH}, {NULL, 0}};
const app_choice app_work_places[] = {
    {"free", WORKLOAD_FREE}, {"static", WORKLOAD_STATIC}, {"guided", WORKLOAD_GUIDED}, {NULL, 0}};

/* Is it a workload, "ep:S"? */
static int parse_workload(const char *text, void *field, const app_choice *choices) {
    const workload_facts *w = NULL;
    for (size_t m = 0; (w = workload_at(m)) != NULL; m++) {
        const size_t length = strlen(w->name);
        if (strncmp(text, w->name, length) == 0 && text[length] == ':') {
            return app_value_text(text, field, choices);
        }
    }
    return -1;
}

#define FIELD(member) offsetof(app_members, member)

const app_option_row app_member_rows[] = {
    {NULL, "grid", "N|NXxNYxNZ|NXxNY", app_value_grid, FIELD(grid), NULL,
     "N, NXxNYxNZ or NXxNY, whole numbers from 1",
     "numbers of points: 64,128,200x100x50; NXxNY is measured, and named, as NXx1xNY, which has "
     "the same tasks",
     true},
    {NULL, "data", "host|resident", app_value_choice, FIELD(data), app_data_choices, NULL,
     "from and to arrays in main memory, or kept where they are computed, as in a simulation on "
     "GPUs; default: host",
     false},
    {NULL, "workload", "NAME:SIZE", parse_workload, FIELD(workload), NULL,
     "NAME:SIZE of a workload: psg run --help has them",
     "in place of --grid: workloads, as psg run has them. Of the options above --cpus, --gpus, "
     "--sched and --precision mean something to them",
     false},
    {NULL, "tile", "T", app_value_unsigned, FIELD(tile), NULL, "a whole number from 1",
     "of a workload: the size of a task; default: the workload's own", false},
    {NULL, "order", "listed|longest", app_value_choice, FIELD(order), app_work_orders, NULL,
     "of a workload: in which order tasks are submitted that need nothing; default: listed", false},
    {NULL, "barrier", "no|yes", app_value_choice, FIELD(barrier), app_work_barriers, NULL,
     "of a workload: each phase begins when the one before has ended; default: no", false},
    {NULL, "priority", "none|path", app_value_choice, FIELD(priority), app_work_priorities, NULL,
     "of a workload: the priority of a task; default: none", false},
    {NULL, "place", "free|static|guided", app_value_choice, FIELD(place), app_work_places, NULL,
     "of a workload: who takes a task that needs nothing; default: free", false},
    {.name = NULL}};
