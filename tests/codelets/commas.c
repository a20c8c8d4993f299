/* In a program whose numbers have decimal commas a machine's file is read as in any other.
 *
 *     test_codelets_commas LOCALEDEF MACHINE */
#include "tests/commas.h"
#include "runtime/machine.h"
#include "tests/child.h"

static char here[] = "/tmp/psg-test-commas-XXXXXX";

/** In a child: what the C library allocates for LOCPATH is never freed. */
static void reads(const void *argument) {
    const char *path = argument;
    char words[256] = "";
    psg_machine *want = psg_machine_read(path, words, sizeof words);
    CHECK(want != NULL, "%s", words);
    CHECK(commas_begin(here), "no locale with commas");
    psg_machine *got = psg_machine_read(path, words, sizeof words);
    if (CHECK(got != NULL, "%s", words) && want) {
        CHECK(got->times == want->times && got->times > 0, "%zu times, not %zu", got->times,
              want->times);
        CHECK(got->gpu_memory == want->gpu_memory, "%g bytes, not %g", got->gpu_memory,
              want->gpu_memory);
        for (size_t m = 0; m < got->times && m < want->times; ++m) {
            CHECK(got->time[m].seconds == want->time[m].seconds, "time %zu is %g", m,
                  got->time[m].seconds);
        }
    }
    CHECK(commas_in_force(), "the program's locale is another one now");
    psg_machine_free(got);
    psg_machine_free(want);
}

int main(int argc, char **argv) {
    char command[100];
    if (!CHECK(argc == 3 && mkdtemp(here) != NULL, "no folder for the test")) {
        return check_result();
    }
    CHECK(commas_make(here, argv[1]), "no locale could be made");
    CHECK_CHILD(reads, argv[2], "%s", argv[2]);
    snprintf(command, sizeof command, "rm -rf '%s'", here);
    CHECK(system(command) == 0, "%s stays", here);
    return check_result();
}
