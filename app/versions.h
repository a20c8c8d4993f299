/** @file versions.h  What psg was built with. */
#ifndef PSG_APP_VERSIONS_H
#define PSG_APP_VERSIONS_H

#include <jansson.h>

/** Print a line for each component with its version, from psg_component number `first` on. */
void app_versions_print(int first);

/** The versions by component; null: not built in. @return NULL when out of memory */
json_t *app_json_versions(void);

#endif
