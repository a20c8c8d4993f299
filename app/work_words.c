#include "app/work_words.h"

#include "graph/psg_work.h"

const app_choice app_work_orders[] = {
    {"listed", PSG_ORDER_LISTED}, {"longest", PSG_ORDER_LONGEST}, {NULL, 0}};
const app_choice app_work_barriers[] = {{"no", 0}, {"yes", 1}, {NULL, 0}};
const app_choice app_work_priorities[] = {
    {"none", PSG_PRIORITY_NONE}, {"path", PSG_PRIORITY_PATH}, {NULL, 0}};
const app_choice app_work_places[] = {{"free", PSG_PLACE_FREE},
                                      {"static", PSG_PLACE_STATIC},
                                      {"guided", PSG_PLACE_GUIDED},
                                      {NULL, 0}};
