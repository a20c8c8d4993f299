/* A grid that does not fit is PSG_ERR_MEMORY with the number of bytes in the words, in little time, and
 * the next plan works. */
#include "tests/check.h"
#include "tests/harness.h"

#include <ctype.h>
#include <string.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/** The longest run of digits in the words: bytes of terabytes have 13. */
static size_t longest_number(const char *words) {
    size_t longest = 0, length = 0;
    for (; *words; ++words) {
        length = isdigit((unsigned char)*words) ? length + 1 : 0;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/** @param[in] parts  of planes and of rows; 0: the default */
static void too_large(size_t nx, size_t ny, size_t nz, psg_precision precision,
                      const harness_variant *variant, size_t parts) {
    psg_options options = harness_options(precision);
    psg_plan *plan = NULL;
    options.segment_planes = parts > 0 ? nz / parts : 0;
    options.sheets = parts;
    psg_grid grid = harness_box(nx, ny, nz, 1, 1, 1);
    harness_set_variant(&options, variant);
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_ERR_MEMORY);
    const char *words = psg_last_error();
    CHECK(longest_number(words) >= 12 || strstr(words, "TB") || strstr(words, "TiB"),
          "no number of bytes in the words: %s", words);
    CHECK(plan == NULL, "*plan was set");
    psg_plan_destroy(plan);
}

static void works(void) {
    oracle_grid box = oracle_grid_make(8, 6, 5, 1, 1, 1);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    double f[240], u[240], want[240];
    oracle_random(1, 240, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    CHECK_CLOSE(u, want, 8, 6, 5, 1e-12, "after running out of memory");
}

int main(void) {
    works();
    for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
        /* more than an address space of 47 bits */
        too_large(32768, 32768, 32768, PSG_F64, &harness_variants[variant], 0);
        too_large(32768, 32768, 65536, PSG_F32, &harness_variants[variant], 0);
        /* and before anything is made for each of 2^30 blocks: the test's time is limited */
        too_large(32768, 32768, 32768, PSG_F64, &harness_variants[variant], 32768);
        works();
    }
    if (!SANITIZED) { /* the sanitizer's own reservations are larger than this limit */
        struct rlimit limit;
        CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit failed");
        limit.rlim_cur = (rlim_t)64 << 30;
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit failed");
        for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
            too_large(8192, 8192, 8192, PSG_F64, &harness_variants[variant], 0);
            works();
        }
    }
    return check_result();
}
