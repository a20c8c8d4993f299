/* What psg was built with: the library's components, and the libraries of the command. */
#include "app/versions.h"
#include "app/hdf5.h"
#include "graph/psg_machine.h"

#include <stdio.h>

void app_versions_print(int first) {
    char hdf5[32];
    for (int c = first; c < PSG_COMPONENT_COUNT; c++) {
        const char *version = psg_component_version(c);
        printf("%-9s %s", psg_component_name(c), version != NULL ? version : "not built in");
        if (c == PSG_COMPONENT_MPI && version != NULL) {
            printf(", %s", psg_mpi_cuda_aware() > 0 ? "CUDA-aware" : "not CUDA-aware");
        }
        printf("\n");
    }
    app_hdf5_version(hdf5, sizeof hdf5);
    printf("%-9s %s\n%-9s %s\n", "HDF5", hdf5, "Jansson", JANSSON_VERSION);
}

json_t *app_json_versions(void) {
    char hdf5[32];
    json_t *versions = json_object();
    for (int c = 0; c < PSG_COMPONENT_COUNT; c++) {
        const char *version = psg_component_version(c);
        json_object_set_new(versions, psg_component_name(c),
                            version != NULL ? json_string(version) : json_null());
    }
    app_hdf5_version(hdf5, sizeof hdf5);
    json_object_set_new(versions, "HDF5", json_string(hdf5));
    json_object_set_new(versions, "Jansson", json_string(JANSSON_VERSION));
    return versions;
}
