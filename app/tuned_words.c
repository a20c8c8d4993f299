/* Entries of psg tune in words and as JSON. */
#include "app/tuned_words.h"
#include "app/app.h"
#include "app/json.h"
#include "graph/psg_machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int app_tuned_find(const psg_options *options, app_tuned *tuned) {
    *tuned = (app_tuned){.list = NULL};
    size_t there = 0;
    psg_status status = psg_tuned_list(options, NULL, 0, &there);
    if (status == PSG_OK && there > 0) {
        tuned->list = app_allocate(there, sizeof *tuned->list, "what psg tune has stored");
        if (tuned->list == NULL) {
            return APP_FAILED;
        }
        status = psg_tuned_list(options, tuned->list, there, &tuned->count);
        tuned->count = tuned->count < there ? tuned->count : there;
    }
    return status == PSG_OK ? APP_DONE : app_error(app_exit_code(status), "%s", psg_last_error());
}

/* Add to a list with commas. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...) {
    va_list arguments;
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, size - length, "%s", length ? ", " : "");
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* A choice in words: "fused, 32 planes a segment, 4 sheets, policy lws"; "the default". */
static void choice_text(const psg_tuned *t, char *text, size_t size) {
    text[0] = '\0';
    if (t->graph != PSG_GRAPH_AUTO) {
        add(text, size, "%s", app_graph_name(t->graph));
    }
    if (t->graph == PSG_GRAPH_STAGED && t->z_layout != PSG_Z_AUTO) {
        add(text, size, "z %s", app_layout_name(t->z_layout));
    }
    if (t->segment_planes > 0) {
        add(text, size, "%zu plane%s a segment", t->segment_planes,
            t->segment_planes > 1 ? "s" : "");
    }
    if (t->sheets > 0) {
        add(text, size, "%zu sheet%s", t->sheets, t->sheets > 1 ? "s" : "");
    }
    if (t->exchange != PSG_EXCHANGE_AUTO) {
        add(text, size, "%s exchange", app_exchange_name(t->exchange));
    }
    if (t->policy[0]) {
        add(text, size, "policy %s", t->policy);
    }
    if (!text[0]) {
        snprintf(text, size, "the default");
    }
}

/* NULL for 0, which is the default. */
static json_t *count_json(size_t count) {
    return count > 0 ? json_integer((json_int_t)count) : NULL;
}

/* The options of a choice, named as those of `psg solve`; null is the default. */
static json_t *choice_json(const psg_tuned *t) {
    return json_pack("{s:s?, s:s?, s:s?, s:o?, s:o?, s:s?}", "graph",
                     t->graph != PSG_GRAPH_AUTO ? app_graph_name(t->graph) : NULL, "z",
                     t->z_layout != PSG_Z_AUTO ? app_layout_name(t->z_layout) : NULL, "exchange",
                     t->exchange != PSG_EXCHANGE_AUTO ? app_exchange_name(t->exchange) : NULL,
                     "segment_planes", count_json(t->segment_planes), "sheets",
                     count_json(t->sheets), "sched", t->policy[0] ? t->policy : NULL);
}

static void print_one(const psg_tuned *t) {
    char text[256];
    if (t->state == PSG_TUNED_DAMAGED) {
        app_say("  %s: %s, not used\n", t->name, psg_tuned_state_name(t->state));
        return;
    }
    choice_text(t, text, sizeof text);
    app_say("  %zux%zux%zu %s on %zu %s: %s; %.4g ms, %.2f of the default's time; %s\n", t->n[0],
            t->n[1], t->n[2], app_precision_name(t->precision), t->cpus + t->gpus,
            t->gpus > 0 ? "GPU" : "CPU", text, 1e3 * t->seconds, t->seconds / t->default_seconds,
            t->date);
    if (t->state != PSG_TUNED_USABLE) {
        app_say("    %s, not used: %s, %s%s%s; %s\n", psg_tuned_state_name(t->state), t->host,
                t->cpu_model, t->gpu_model[0] ? ", " : "", t->gpu_model, t->versions);
    }
}

void app_tuned_print(const app_tuned *tuned) {
    printf("\nStored by psg tune:%s\n", tuned->count ? "" : " nothing");
    for (size_t m = 0; m < tuned->count; m++) {
        print_one(&tuned->list[m]);
    }
}

static json_t *one_json(const psg_tuned *t) {
    json_t *one = json_object();
    app_json_put_text(one, "name", t->name);
    app_json_put_text(one, "state", psg_tuned_state_name(t->state));
    if (t->state == PSG_TUNED_DAMAGED) {
        return one;
    }
    app_json_put(one, "grid",
                 json_pack("[III]", (json_int_t)t->n[0], (json_int_t)t->n[1], (json_int_t)t->n[2]));
    app_json_put_text(one, "precision", app_precision_name(t->precision));
    app_json_put_size(one, "cpus", t->cpus);
    app_json_put_size(one, "gpus", t->gpus);
    app_json_put(one, "choice", choice_json(t));
    app_json_put_real(one, "seconds", t->seconds);
    app_json_put_real(one, "default_seconds", t->default_seconds);
    app_json_put_text(one, "date", t->date);
    app_json_put_text(one, "host", t->host);
    app_json_put_text(one, "cpu_model", t->cpu_model);
    app_json_put_text(one, "gpu_model", t->gpu_model[0] ? t->gpu_model : NULL);
    app_json_put_text(one, "versions", t->versions);
    return one;
}

json_t *app_tuned_json(const app_tuned *tuned) {
    json_t *array = json_array();
    for (size_t m = 0; m < tuned->count; m++) {
        json_array_append_new(array, one_json(&tuned->list[m]));
    }
    return array;
}
