#include "app/work_words.h"

#include "workloads/workload.h"

const app_choice app_work_orders[] = {
    {"listed", WORKLOAD_LISTED}, {"longest", WORKLOAD_LONGEST}, {NULL, 0}};
const app_choice app_work_barriers[] = {{"no", 0}, {"yes", 1}, {NULL, 0}};
const app_choice app_work_priorities[] = {
    {"none", WORKLOAD_EQUAL}, {"path", WORKLOAD_PATH}, {NULL, 0}};
const app_choice app_work_places[] = {
    {"free", WORKLOAD_FREE}, {"static", WORKLOAD_STATIC}, {"guided", WORKLOAD_GUIDED}, {NULL, 0}};
