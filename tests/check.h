/** @file check.h  Checks for the test programs: no assert(), nothing that a NaN gets past.
 *
 *     CHECK(n == 3, "n is %d", n);
 *     CHECK_NEAR(value, 1.5, 1e-12, "the constant");
 *     CHECK_CLOSE(u, want, nx, ny, nz, 1e-13, "mode %d", m);     float or double, each for itself
 *     CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);               (needs graph/psg.h)
 *     CHECK_SAYS(psg_solve(plan, f, NULL), PSG_ERR_ARG, "u is NULL");
 *     return check_result();
 *
 * A failed check prints its place and goes on; check_result() is what main() returns. Each macro is
 * 1 where its check held, else 0. The counters are per file: functions of other files return what
 * they found and let main's file check it. */
#ifndef PSG_TESTS_CHECK_H
#define PSG_TESTS_CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What ctest counts as skipped; only for tests labelled gpu. */
#define CHECK_SKIP 77

/** Failures after which no more are printed. */
#define CHECK_PRINT_MAX 40

static long check_count, check_failures;

#define CHECK(condition, ...)                                                                      \
    check_that(__FILE__, __LINE__, (condition) ? 1 : 0, #condition, __VA_ARGS__)

/** |got - want| <= tol, an absolute bound. */
#define CHECK_NEAR(got, want, tol, ...)                                                            \
    check_near(__FILE__, __LINE__, #got, got, want, tol, __VA_ARGS__)

/** Arrays [nz][ny][nx] of float or double, as their pointers say: the largest |got - want| is at
 * most tol x the largest |want| (tol itself where want is 0 everywhere). */
#define CHECK_CLOSE(got, want, nx, ny, nz, tol, ...)                                               \
    check_close(__FILE__, __LINE__, got, sizeof *(got), want, sizeof *(want), nx, ny, nz, tol,     \
                __VA_ARGS__)

#define CHECK_STATUS(call, expected)                                                               \
    check_status(__FILE__, __LINE__, #call, (int)(call), (int)(expected), #expected, psg_last_error)

/** And psg_last_error() has these words. */
#define CHECK_SAYS(call, expected, words)                                                          \
    check_says(__FILE__, __LINE__, #call, (int)(call), (int)(expected), #expected, words,          \
               psg_last_error)

/** Before the declaration of a variable: `release` is called with its address where its scope
 * ends. */
#define AT_END(release) __attribute__((cleanup(release)))

/** So is memory freed, by whatever pointer. */
#define FREED AT_END(check_free)

static inline void check_free(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

#if defined(__GNUC__)
#define CHECK_PRINTF(words, first) __attribute__((format(printf, words, first)))
#else
#define CHECK_PRINTF(words, first)
#endif

/** The larger of two errors; NaN once one of them was, which fmax() would forget. */
static inline double check_worse(double worst, double error) {
    return error <= worst || isnan(worst) ? worst : error;
}

/** Count a failure; 1 where it is to be printed, with its place printed already. */
static inline int check_fail(const char *file, int line) {
    ++check_failures;
    if (check_failures > CHECK_PRINT_MAX) {
        return 0;
    }
    fflush(stdout);
    fprintf(stderr, "%s:%d: ", file, line);
    return 1;
}

CHECK_PRINTF(5, 6)
static inline int check_that(const char *file, int line, int held, const char *condition,
                             const char *format, ...) {
    ++check_count;
    if (!held && check_fail(file, line)) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "%s does not hold: ", condition);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
    }
    return held;
}

CHECK_PRINTF(7, 8)
static inline int check_near(const char *file, int line, const char *name, double got, double want,
                             double tol, const char *format, ...) {
    double err = fabs(got - want);
    ++check_count;
    if (!(err <= tol)) {
        if (check_fail(file, line)) {
            va_list arguments;
            va_start(arguments, format);
            vfprintf(stderr, format, arguments);
            fprintf(stderr, ": %s is %.17g instead of %.17g, off by %.3g, bound %.3g\n", name, got,
                    want, err, tol);
            va_end(arguments);
        }
        return 0;
    }
    return 1;
}

/** Element `index` of an array of float or double, by the element's size. */
static inline double check_element(const void *array, size_t size, size_t index) {
    return size == sizeof(float) ? (double)((const float *)array)[index]
                                 : ((const double *)array)[index];
}

/** The largest |array|; NaN if there is one. */
static inline double check_largest(const void *array, size_t size, size_t count) {
    double largest = 0;
    for (size_t n = 0; n < count; ++n) {
        double value = fabs(check_element(array, size, n));
        if (!(value <= largest)) {
            largest = value;
        }
        if (value != value) {
            break;
        }
    }
    return largest;
}

CHECK_PRINTF(11, 12)
static inline int check_close(const char *file, int line, const void *got, size_t got_size,
                              const void *want, size_t want_size, size_t nx, size_t ny, size_t nz,
                              double tol, const char *format, ...) {
    size_t worst = 0;
    double largest = check_largest(want, want_size, nx * ny * nz);
    double bound = largest == 0 ? tol : tol * largest, err = 0;
    for (size_t n = 0; n < nx * ny * nz; ++n) {
        double off = fabs(check_element(got, got_size, n) - check_element(want, want_size, n));
        if (!(off <= err)) {
            worst = n;
            err = off;
        }
        if (off != off) {
            break;
        }
    }
    ++check_count;
    if (!(err <= bound)) {
        if (check_fail(file, line)) {
            va_list arguments;
            va_start(arguments, format);
            vfprintf(stderr, format, arguments);
            fprintf(
                stderr,
                ": worst at [%zu] = (%zu,%zu,%zu) of %zux%zux%zu: %.17g instead of %.17g, off by "
                "%.3g, bound %.3g = %.3g x %.3g\n",
                worst, worst % nx, worst / nx % ny, worst / nx / ny, nx, ny, nz,
                check_element(got, got_size, worst), check_element(want, want_size, worst), err,
                bound, tol, largest);
            va_end(arguments);
        }
        return 0;
    }
    return 1;
}

static inline int check_status(const char *file, int line, const char *call, int got, int expected,
                               const char *name, const char *(*last_error)(void)) {
    ++check_count;
    if (got != expected && check_fail(file, line)) {
        fprintf(stderr, "%s returned %d instead of %s = %d; psg_last_error(): %s\n", call, got,
                name, expected, last_error());
    }
    return got == expected;
}

static inline int check_says(const char *file, int line, const char *call, int got, int expected,
                             const char *name, const char *words, const char *(*last_error)(void)) {
    const int as_expected = check_status(file, line, call, got, expected, name, last_error);
    return check_that(file, line, strstr(last_error(), words) != NULL, "the error's words",
                      "%s: no \"%s\" in: %s", call, words, last_error()) &&
           as_expected;
}

/** Print the score; what main() returns. No check at all is a failure too. */
static inline int check_result(void) {
    printf("%ld checks, %ld failed\n", check_count, check_failures);
    return check_failures || !check_count ? 1 : 0;
}

#endif
