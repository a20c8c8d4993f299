/* Main memory that two processes share: each sees what the other writes, from the first byte to the
 * last. A handle that another process has forged, or whose memory has gone, is not imported, and
 * neither is memory allocated that the machine has not got, or any where the size of files is
 * limited. */
#include "runtime/ipc.h"
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 1000003 };

static char words[256];

/* In another process. @return its exit status */
static int elsewhere(int (*what)(const psg_ipc_handle *handle), const psg_ipc_handle *handle) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        _exit(what(handle));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

static int writes_and_reads(const psg_ipc_handle *handle) {
    uint64_t *imported = psg_ipc_import(PSG_IPC_MAIN, -1, handle, words, sizeof words);
    uint64_t first = 0;
    if (imported == NULL) {
        fprintf(stderr, "%s\n", words);
        return 1;
    }
    const int good = psg_ipc_get(-1, imported, &first, words, sizeof words) && first == 7 &&
                     psg_ipc_put(-1, imported + 1, 8, words, sizeof words) &&
                     psg_ipc_put(-1, imported + NUMBERS - 1, 9, words, sizeof words);
    psg_ipc_close(PSG_IPC_MAIN, -1, imported);
    return good ? 0 : 2;
}

/* @return 0: it was refused, with words */
static int is_refused(const psg_ipc_handle *handle) {
    words[0] = '\0';
    return psg_ipc_import(PSG_IPC_MAIN, -1, handle, words, sizeof words) == NULL &&
                   strstr(words, "/proc/") != NULL
               ? 0
               : 1;
}

int main(void) {
    psg_ipc_handle handle, forged;
    uint64_t found = 0;
    uint64_t *memory = psg_ipc_allocate(PSG_IPC_MAIN, -1, NUMBERS * sizeof *memory);
    if (!CHECK(memory != NULL && (uintptr_t)memory % 4096 == 0, "memory at %p", (void *)memory)) {
        return check_result();
    }
    memory[0] = 7;
    CHECK(psg_ipc_export(PSG_IPC_MAIN, -1, memory, &handle, words, sizeof words), "%s", words);
    for (int n = 0; n < 3; ++n) {
        memory[1] = memory[NUMBERS - 1] = 0;
        CHECK(elsewhere(writes_and_reads, &handle) == 0, "the other process, time %d", n);
        CHECK(psg_ipc_get(-1, memory + NUMBERS - 1, &found, words, sizeof words) && found == 9 &&
                  memory[1] == 8,
              "%llu and %llu stand there", (unsigned long long)memory[1],
              (unsigned long long)found);
    }
    for (size_t m = 0; m < sizeof handle.bytes; ++m) {
        forged = handle;
        forged.bytes[m] ^= 1;
        const int needed = handle.bytes[m] != 0; /* what is 0 may be no part of it */
        CHECK(!needed || elsewhere(is_refused, &forged) == 0, "a handle with byte %zu changed", m);
    }
    memset(&forged, 0x11, sizeof forged);
    CHECK(elsewhere(is_refused, &forged) == 0, "a handle that nobody made");
    psg_ipc_free(PSG_IPC_MAIN, -1, memory);
    CHECK(elsewhere(is_refused, &handle) == 0, "a handle of memory that is gone");
    static const size_t most[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 50};
    for (int m = 0; m < 3; ++m) {
        CHECK(psg_ipc_allocate(PSG_IPC_MAIN, -1, most[m]) == NULL, "%zu bytes", most[m]);
    }
    const struct rlimit limit = {1 << 20,
                                 RLIM_INFINITY}; /* beyond it the system ends the process */
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
              psg_ipc_allocate(PSG_IPC_MAIN, -1, (size_t)1 << 21) == NULL &&
              psg_ipc_allocate(PSG_IPC_MAIN, -1, 8) == NULL,
          "memory, though files are limited");
    return check_result();
}
