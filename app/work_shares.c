#include "app/work_shares.h"
#include "app/app.h"
#include "app/processes.h"

#include <stdio.h>
#include <stdlib.h>

/* Add tasks to those of their kind. Kinds are listed by their numbers. */
static void add(app_work_share *all, const psg_kind_tasks *tasks) {
    size_t k = 0;
    while (k < all->kinds && all->tasks[k].stage != tasks->stage) {
        k++;
    }
    if (k == all->kinds) {
        for (all->kinds++; k > 0 && all->tasks[k - 1].stage > tasks->stage; k--) {
            all->tasks[k] = all->tasks[k - 1];
        }
        all->tasks[k] = (psg_kind_tasks){.stage = tasks->stage};
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        all->tasks[k].tasks[gpu] += tasks->tasks[gpu];
        all->tasks[k].seconds[gpu] += tasks->seconds[gpu];
    }
}

static void sum_statistics(psg_run_statistics *s) {
    double counts[] = {(double)s->submit.starpu_tasks, (double)s->submit.placed_tasks};
    app_ranks_sum(counts, 2);
    s->submit.starpu_tasks = (size_t)counts[0];
    s->submit.placed_tasks = (size_t)counts[1];
    app_ranks_max(&s->make_seconds, 1);
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        double of_link[] = {(double)s->link[link].bytes, s->link[link].seconds};
        app_ranks_sum(of_link, 2);
        s->link[link] = (psg_link_statistics){(uint64_t)of_link[0], of_link[1]};
    }
}

int app_work_shares_join(app_work_share *all, app_work_share **shares, psg_run_statistics *s) {
    const size_t ranks = (size_t)app_ranks();
    app_work_share *list =
        app_rank() == 0 ? app_allocate(ranks, sizeof *list, "what each process did") : NULL;
    *shares = list;
    const int code = app_ranks_agree(list != NULL || app_rank() > 0 ? APP_DONE : APP_FAILED);
    if (code) {
        return code;
    }
    all->sent = (double)s->link[PSG_LINK_MESSAGE].bytes;
    app_ranks_gather(all, sizeof *all, list);
    for (size_t rank = 1; list != NULL && rank < ranks; rank++) {
        all->sent += list[rank].sent;
        for (size_t k = 0; k < list[rank].kinds; k++) {
            add(all, &list[rank].tasks[k]);
        }
    }
    sum_statistics(s);
    return APP_DONE;
}

void app_work_shares_print(const app_work_share *shares) {
    for (int rank = 0; rank < app_ranks() && app_ranks() > 1; rank++) {
        const app_work_share *s = &shares[rank];
        double seconds = 0;
        printf("rank %-4d ", rank);
        for (size_t k = 0; k < s->kinds; k++) {
            const psg_kind_tasks *t = &s->tasks[k];
            printf("%s%s %.0f", k > 0 ? ", " : "", psg_stage_name(t->stage),
                   (double)(t->tasks[0] + t->tasks[1]));
            seconds += t->seconds[0] + t->seconds[1];
        }
        printf(" in %.4g s; sent %.0f bytes\n", seconds, s->sent);
    }
}

json_t *app_work_share_json(const app_work_share *share) {
    json_t *kinds = json_object();
    for (size_t k = 0; k < share->kinds; k++) {
        const psg_kind_tasks *t = &share->tasks[k];
        app_json_put(kinds, psg_stage_name(t->stage),
                     json_pack("{s{sI sf} s{sI sf}}", "cores", "tasks", (json_int_t)t->tasks[0],
                               "seconds", t->seconds[0], "gpus", "tasks", (json_int_t)t->tasks[1],
                               "seconds", t->seconds[1]));
    }
    return kinds;
}

json_t *app_work_shares_json(const app_work_share *shares) {
    json_t *list = json_array();
    for (int rank = 0; rank < app_ranks(); rank++) {
        json_t *one = json_object();
        app_json_put(one, "rank", json_integer(rank));
        app_json_put(one, "tasks", app_work_share_json(&shares[rank]));
        app_json_put_real(one, "sent", shares[rank].sent);
        (void)json_array_append_new(list, one);
    }
    return list;
}
