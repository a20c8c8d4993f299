/* An OpenBLAS that is built for one thread gives wrong answers to several cores at once: qr is
 * refused there in words, and runs on one core. This program says of OpenBLAS what such a library
 * says of itself. */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/harness.h"
#include "workloads/workload.h"

#include <string.h>

#define SEEN_BY_THE_LIBRARY __attribute__((visibility("default")))
SEEN_BY_THE_LIBRARY int openblas_get_parallel(void);
SEEN_BY_THE_LIBRARY char *openblas_get_config(void);

int openblas_get_parallel(void) {
    return 0;
}

static char config[64] = "OpenBLAS 0.3.21 SINGLE_THREADED";

char *openblas_get_config(void) {
    return config;
}

static void cores(int count, psg_status expected) {
    workload *work = NULL;
    psg_options options = harness_with(PSG_F64, "gpus=0");
    options.cpus = count;
    CHECK_STATUS(workload_create(&work, "qr:64", NULL, &options), expected);
    if (expected == PSG_OK) {
        CHECK_STATUS(workload_run(work), PSG_OK);
    } else {
        CHECK(strstr(psg_last_error(), "libopenblas0-pthread") != NULL, "%s", psg_last_error());
        CHECK(work == NULL, "something was made");
    }
    workload_destroy(work);
}

int main(void) {
    if (psg_component_version(PSG_COMPONENT_LAPACK) != NULL) {
        cores(2, PSG_ERR_UNSUPPORTED);
        cores(1, PSG_OK);
        strcat(config, " USE_LOCKING");
        cores(2, PSG_OK);
    }
    return check_result();
}
