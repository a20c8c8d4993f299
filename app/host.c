/* The machine's name, processor and memory, from where Linux tells them. */
#include "app/host.h"
#include "app/simulating.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* What stands after the colon of the first line that begins so; "" where there is none. */
static void find_line(const char *path, const char *begin, char *text, size_t size) {
    char line[512];
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, begin, strlen(begin)) == 0) {
            colon += 1 + strspn(colon + 1, " \t");
            snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

void app_machine_find(app_machine *machine) {
    struct utsname name;
    const char *simulated = app_simulation_machine();
    if (simulated != NULL) {
        snprintf(machine->host, sizeof machine->host, "%s", simulated);
        const uint64_t digest = app_simulation_digest();
        snprintf(machine->cpu_model, sizeof machine->cpu_model,
                 digest ? "simulated, %016" PRIx64 : "simulated", digest);
        machine->cores = 0;
        return;
    }
    snprintf(machine->host, sizeof machine->host, "%s", uname(&name) ? "" : name.nodename);
    find_line("/proc/cpuinfo", "model name", machine->cpu_model, sizeof machine->cpu_model);
    machine->cores = sysconf(_SC_NPROCESSORS_ONLN);
}

void app_utc_date(char *text, size_t size) {
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        snprintf(text, size, "unknown");
    }
}

void app_machine_memory(double *total, double *available) {
    const bool simulated = app_simulation_machine() != NULL; /* takes none for fields */
    *total = simulated ? 0 : base_memory_bytes();
    *available = simulated ? 0 : base_memory_available();
}
