/* Scheduling policies, by their names: StarPU's own, and those of a user's library. */
#include "graph/policy.h"
#include "base/nearest.h"
#include "graph/psg_machine.h"
#include "graph/status.h"
#include "runtime/starpu_inside.h"

#include <dlfcn.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library that STARPU_SCHED_LIB names. It stays loaded, so that what it has is static. */
typedef struct library {
    const char *path; /* of its file; NULL: there is none, or it cannot be used */
    struct starpu_sched_policy *(*find)(const char *name); /* by which StarPU gets a policy */
    struct starpu_sched_policy **list; /* of policies, ends with NULL; NULL: it has no list */
} library;

typedef struct policy {
    const struct starpu_sched_policy *is; /* NULL: there is none */
    const char *path;                     /* of the library that has it; NULL: it is StarPU's own */
} policy;

/* What a library has by a name. */
typedef union symbol {
    void *address; /* NULL: nothing */
    struct starpu_sched_policy *(*find)(const char *name);
    struct starpu_sched_policy **(*list)(void);
} symbol;

static symbol look_up(void *handle, const char *name) {
    return (symbol){.address = handle != NULL ? dlsym(handle, name) : NULL};
}

/* @param[out] words  why the library cannot be used; "": it can, or there is none */
static library open_library(char *words, size_t size) {
    const char *name = getenv("STARPU_SCHED_LIB");
    const bool there = name != NULL && name[0] != '\0';
    void *handle = there ? dlopen(name, RTLD_NOW) : NULL; /* counted, and never closed */
    const symbol list = look_up(handle, "starpu_get_sched_lib_policies");
    const symbol find = look_up(handle, "starpu_get_sched_lib_policy");
    const char *why = there && find.address == NULL ? dlerror() : NULL;
    Dl_info info;
    library found = {.path = NULL};
    (void)snprintf(words, size, "%s%s", why != NULL ? "STARPU_SCHED_LIB: " : "",
                   why != NULL ? why : "");
    if (find.address != NULL && dladdr(find.address, &info) != 0) {
        found.path = info.dli_fname;
        found.find = find.find;
        found.list = list.address != NULL ? list.list() : NULL;
    }
    return found;
}

/* A policy in the list of the library. @return NULL: there are no more */
static const char *listed(const library *l, size_t index) {
    return l->list != NULL && l->list[index] != NULL ? l->list[index]->policy_name : NULL;
}

/* StarPU's own policy of this name. @return NULL: it has none */
static const struct starpu_sched_policy *find_own(const char *name) {
    struct starpu_sched_policy **own = starpu_sched_get_predefined_policies();
    while (*own != NULL && strcmp((*own)->policy_name, name) != 0) {
        own++;
    }
    return *own;
}

/* As StarPU finds it: first in the library. */
static policy find(const library *l, const char *name) {
    const struct starpu_sched_policy *theirs = l->path != NULL ? l->find(name) : NULL;
    return theirs != NULL ? (policy){theirs, l->path} : (policy){find_own(name), NULL};
}

/* StarPU's own ones, then those that the library adds to them. */
static policy policy_at(size_t index) {
    struct starpu_sched_policy **own = starpu_sched_get_predefined_policies();
    char words[1];
    const library l = open_library(words, sizeof words);
    const char *name = NULL;
    for (size_t m = 0; own[m] != NULL; m++) {
        if (index-- == 0) {
            return find(&l, own[m]->policy_name);
        }
    }
    for (size_t m = 0; (name = listed(&l, m)) != NULL; m++) {
        if (find_own(name) == NULL && find(&l, name).is != NULL && index-- == 0) {
            return find(&l, name);
        }
    }
    return (policy){NULL, NULL};
}

const char *psg_policy_name(size_t index) {
    const policy p = policy_at(index);
    return p.is != NULL ? p.is->policy_name : NULL;
}

const char *psg_policy_description(size_t index) {
    const policy p = policy_at(index);
    return p.is == NULL ? NULL : p.is->policy_description != NULL ? p.is->policy_description : "";
}

const char *psg_policy_library(size_t index) {
    return policy_at(index).path;
}

/* Appends " word" where it fits. */
static void append(char *list, size_t size, const char *word) {
    const size_t used = strlen(list);
    if (used + strlen(word) + 2 <= size) {
        (void)snprintf(list + used, size - used, " %s", word);
    }
}

static psg_status refuse(const library *l, const char *name, const char *where) {
    enum { MOST = 127 };
    const char *names[MOST + 1] = {NULL};
    const char *theirs = NULL;
    char all[640] = "";
    char list[192] = "";
    char words[384] = "";
    for (size_t m = 0; m < MOST && (names[m] = psg_policy_name(m)) != NULL; m++) {
        append(all, sizeof all, names[m]);
    }
    for (size_t m = 0; (theirs = listed(l, m)) != NULL; m++) {
        append(list, sizeof list, theirs);
    }
    if (l->path != NULL) {
        (void)snprintf(words, sizeof words,
                       " (starpu_get_sched_lib_policy() of %.150s returns none; its list:%s)",
                       l->path, list);
    }
    const char *near = base_nearest(name, names);
    return psg_fail(PSG_ERR_ARG, "unknown scheduling policy '%s'%s%s%s%s%s", name, where, words,
                    near != NULL ? ": did you mean '" : "; there are:", near != NULL ? near : all,
                    near != NULL ? "'?" : "");
}

psg_status psg_policy_check(const char *name, const char *where) {
    char words[768];
    const library l = open_library(words, sizeof words);
    if (words[0] != '\0') {
        return psg_fail(PSG_ERR_ARG, "%s", words);
    }
    return name == NULL || find(&l, name).is != NULL ? PSG_OK : refuse(&l, name, where);
}

const char *psg_policy_environment(void) {
    const char *name = getenv("STARPU_SCHED");
    return name != NULL && name[0] != '\0' ? name : NULL;
}

int psg_policy_uses_models(const char *name) {
    return psg_starpu_uses_models(name);
}
