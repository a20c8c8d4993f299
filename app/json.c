/* JSON: members, and files. */
#include "app/json.h"
#include "app/words.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void app_json_put(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value != NULL ? value : json_null());
}

void app_json_put_real(json_t *object, const char *key, double value) {
    app_json_put(object, key, json_real(value));
}

void app_json_put_size(json_t *object, const char *key, size_t value) {
    app_json_put(object, key, json_integer((json_int_t)value));
}

void app_json_put_text(json_t *object, const char *key, const char *value) {
    /* a file's name need not be UTF-8, which JSON is */
    app_json_put(object, key, value != NULL ? json_string(value) : NULL);
}

int app_json_write(json_t *root, const char *path, const char *shown) {
    if (root == NULL) {
        return app_error(APP_FAILED, "out of memory for the JSON report");
    }
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    const bool failed = file == NULL ||
                        json_dumpf(root, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) ||
                        fputc('\n', file) == EOF;
    int why = failed ? errno : 0;
    if (file != NULL && path != NULL) {
        const int closed = base_close(file);
        why = failed ? why : closed;
    }
    json_decref(root);
    return !failed && why == 0
               ? APP_DONE
               : app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(why));
}

int app_json_deliver(json_t *root, const char *path, bool force) {
    app_output output;
    if (strcmp(path, "-") == 0) {
        return app_json_write(root, NULL, path);
    }
    const int code = app_output_begin(&output, path, force ? APP_OUTPUT_ANY : APP_OUTPUT_JSON, 0);
    if (code) {
        json_decref(root);
        return code;
    }
    return app_output_end(&output, app_json_write(root, output.temporary, path));
}
