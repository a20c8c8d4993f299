/** @file json.h  What the reports in JSON are made of. */
#ifndef PSG_APP_JSON_H
#define PSG_APP_JSON_H

#include "app/output.h"

#include <jansson.h>

/** Add a member to an object. JSON has no NaN: what is not finite becomes null, as does a NULL.
 *  @param[in] value  taken over */
void app_json_put(json_t *object, const char *key, json_t *value);
void app_json_put_real(json_t *object, const char *key, double value);
void app_json_put_size(json_t *object, const char *key, size_t value);
void app_json_put_text(json_t *object, const char *key, const char *value);

/** Write `root` and release it. NULL is out of memory.
 *  @param[in] path  the file to write, NULL = stdout; `shown` is its name in messages
 *  @return APP_DONE; APP_FAILED after a message */
int app_json_write(json_t *root, const char *path, const char *shown);

/** The same where a command's --json says: on stdout, or into a file that appears whole or not at
 *  all. @param[in] force  replace what is no report of psg's */
int app_json_deliver(json_t *root, const char *path, bool force);

#endif
