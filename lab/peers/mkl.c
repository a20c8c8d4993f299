/* psg beside Intel MKL's threaded 3-D transforms; see cores.c. MKL's threads are OpenMP's, as
 * the division's are. MKL has functions of FFTW's names, and psg runs on FFTW: so MKL is loaded at
 * run time, and its functions are looked up in it alone. */
#include "lab/peers/cores.h"
#include "lab/peers/program.h"

#include <dlfcn.h>
#include <stdlib.h>

/* As in mkl_dfti.h and mkl_service.h, which the peer is built without. */
enum {
    COMPLEX_STORAGE = 10,
    PLACEMENT = 11,
    THREAD_LIMIT = 27,
    FORWARD_STRIDES = 60,
    BACKWARD_STRIDES = 61
};
enum {
    REAL = 33,
    SINGLE = 35,
    DOUBLE = 36,
    COMPLEX_COMPLEX = 39,
    IN_PLACE = 43,
    NOT_IN_PLACE = 44
};
enum { THREADING_GNU = 3 };
typedef void *descriptor;

static struct mkl {
    int (*set_threading_layer)(int layer);
    void (*set_num_threads)(int threads);
    long (*create)(descriptor *d, int precision, int domain, long dimensions, ...);
    long (*set)(descriptor d, int parameter, ...);
    long (*commit)(descriptor d);
    long (*forward)(descriptor d, void *in, ...);
    long (*backward)(descriptor d, void *in, ...);
    long (*free)(descriptor *d);
    const char *(*message)(long code);
} mkl;

typedef struct plans {
    descriptor way;
    void *f, *spectrum, *u;
    int in_place;
} plans;

static void start(void) {
    static const struct {
        const char *name;
        void *function;
    } functions[] = {{"MKL_Set_Threading_Layer", &mkl.set_threading_layer},
                     {"MKL_Set_Num_Threads", &mkl.set_num_threads},
                     {"DftiCreateDescriptor", &mkl.create},
                     {"DftiSetValue", &mkl.set},
                     {"DftiCommitDescriptor", &mkl.commit},
                     {"DftiComputeForward", &mkl.forward},
                     {"DftiComputeBackward", &mkl.backward},
                     {"DftiFreeDescriptor", &mkl.free},
                     {"DftiErrorMessage", &mkl.message}};
    static const char *const names[] = {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
    void *library = NULL;
    for (size_t m = 0; m < sizeof names / sizeof *names && library == NULL; m++) {
        library = dlopen(names[m], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    }
    bench_must_or(BENCH_NOT_HERE, library != NULL, "no Intel MKL here: %s", dlerror());
    for (size_t m = 0; m < sizeof functions / sizeof *functions; m++) {
        *(void **)functions[m].function = dlsym(library, functions[m].name);
        bench_must(*(void **)functions[m].function != NULL, "this MKL has no %s",
                   functions[m].name);
    }
    (void)mkl.set_threading_layer(THREADING_GNU);
}

static void must(long code) {
    bench_must(code == 0, "MKL: %s", mkl.message(code));
}

/* Strides in numbers of the array that they are about: a row of reals is padded where it is the
 * spectrum's. */
static descriptor make(const bench_way *way) {
    const long nx = (long)way->n[0], ny = (long)way->n[1], nz = (long)way->n[2];
    const long nxc = nx / 2 + 1, row = way->in_place ? 2 * nxc : nx;
    long length[3] = {nz, ny, nx}, real[4] = {0, ny * row, row, 1},
         spectrum[4] = {0, ny * nxc, nxc, 1};
    descriptor it = NULL;
    must(mkl.create(&it, way->precision == PSG_F64 ? DOUBLE : SINGLE, REAL, 3L, length));
    must(mkl.set(it, COMPLEX_STORAGE, COMPLEX_COMPLEX));
    must(mkl.set(it, PLACEMENT, way->in_place ? IN_PLACE : NOT_IN_PLACE));
    must(mkl.set(it, THREAD_LIMIT, (long)way->threads));
    must(mkl.set(it, FORWARD_STRIDES, real));
    must(mkl.set(it, BACKWARD_STRIDES, spectrum));
    must(mkl.commit(it));
    return it;
}

static void *plan(const bench_way *way, void *f, void *spectrum, void *u) {
    plans *p = malloc(sizeof *p);
    bench_must(p != NULL, "no memory for a plan");
    mkl.set_num_threads(way->threads);
    *p = (plans){.f = f, .spectrum = spectrum, .u = u, .in_place = way->in_place};
    p->way = make(way);
    return p;
}

static void execute(void *plan, int inverse) {
    const plans *p = plan;
    long (*const compute)(descriptor, void *, ...) = inverse ? mkl.backward : mkl.forward;
    void *const in = inverse ? p->spectrum : p->f, *const out = inverse ? p->u : p->spectrum;
    must(p->in_place ? compute(p->way, in) : compute(p->way, in, out));
}

static void destroy(void *plan) {
    plans *p = plan;
    must(mkl.free(&p->way));
    free(p);
}

const bench_library bench_library_mkl = {.name = "mkl",
                                         .efforts = (const char *const[]){"default", NULL},
                                         .start = start,
                                         .plan = plan,
                                         .execute = execute,
                                         .destroy = destroy};
