/* Writing a field. Rank 0 makes the file with all that describes the data. The data come from all
   processes: written by each where HDF5 is parallel, else sent to rank 0. */
#include "app/field.h"
#include "app/hdf5.h"
#include "app/ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#if PSG_WITH_PARALLEL_HDF5
#include <mpi.h>
#endif

/* What is sent to rank 0, or written together, at once; but a row at least. */
enum { PIECE_BYTES = 64 << 20 };

struct app_field_output {
    hid_t file, dataset; /* open on rank 0 */
    psg_grid grid;
    psg_precision precision;
    int replaces; /* there is a file under the final name */
    char path[PATH_MAX], shown[PATH_MAX], name[1024];
};

int app_field_is_parallel(void) {
    return PSG_WITH_PARALLEL_HDF5;
}

static int write_failed(const app_field_output *output, const char *words) {
    return app_error(APP_FAILED, "%s: cannot be written: %s%s", output->shown, words,
                     output->replaces ? "; the file that was there is untouched" : "");
}

/* The new file and its data set, on rank 0. */
static int create(app_field_output *output) {
    const psg_axis *axis = output->grid.axis;
    output->file = H5Fcreate(output->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (output->file < 0) {
        return write_failed(output, APP_HDF5_WORDS);
    }
    const hsize_t extent[3] = {axis[2].n, axis[1].n, axis[0].n};
    const hid_t space = H5Screate_simple(3, extent, NULL);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t link = H5Pcreate(H5P_LINK_CREATE);
    /* every element is written: filling the data set with zeros before would write it twice. Its
     * place in the file is found now, because other processes are to write to it. */
    if (H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_create_intermediate_group(link, 1) >= 0) {
        output->dataset = H5Dcreate2(output->file, output->name,
                                     output->precision == PSG_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
                                     space, link, creation, H5P_DEFAULT);
    }
    if (output->dataset < 0) {
        app_error(APP_USAGE, "%s: the data set '%s' cannot be made: %s", output->shown,
                  output->name, APP_HDF5_WORDS);
    }
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(link);
    return output->dataset < 0 ? APP_USAGE : APP_DONE;
}

int app_field_create(const char *path, const char *shown, const char *dataset, const psg_grid *grid,
                     psg_precision precision, app_field_output **result) {
    *result = NULL;
    app_hdf5_start();
    app_field_output *output = malloc(sizeof *output);
    if (!output) {
        return app_error(APP_FAILED, "out of memory");
    }
    output->grid = *grid;
    output->precision = precision;
    output->replaces = access(shown, F_OK) == 0;
    output->file = output->dataset = H5I_INVALID_HID;
    snprintf(output->path, sizeof output->path, "%s", path);
    snprintf(output->shown, sizeof output->shown, "%s", shown);
    snprintf(output->name, sizeof output->name, "%s", dataset[0] ? dataset : "/potential");
    const int code = app_rank() == 0 ? create(output) : APP_DONE;
    if (code) {
        app_field_abandon(output);
        return code;
    }
    *result = output;
    return APP_DONE;
}

static int write_numbers(hid_t dataset, const char *name, const double *values, hsize_t count) {
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const hid_t attribute =
        H5Acreate2(dataset, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const int failed = attribute < 0 || H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) < 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    return failed;
}

static int write_text(hid_t dataset, const char *name, const char *text) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const int failed = attribute < 0 || H5Awrite(attribute, type, text) < 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Tclose(type);
    H5Sclose(space);
    return failed;
}

static int write_header(app_field_output *output, const app_field_header *header) {
    const hid_t dataset = output->dataset;
    if (write_numbers(dataset, "box", header->box, 3) ||
        write_text(dataset, "symbol", header->symbol) ||
        write_numbers(dataset, "lambda", &header->lambda, 1) ||
        write_numbers(dataset, "mean_dropped", &header->mean_dropped, 1) ||
        write_text(dataset, "source", header->source) ||
        write_text(dataset, "psg_version", psg_component_version(PSG_COMPONENT_PSG)) ||
        H5Fflush(output->file, H5F_SCOPE_GLOBAL) < 0) {
        return write_failed(output, APP_HDF5_WORDS);
    }
    return APP_DONE;
}

static int close_file(app_field_output *output) {
    const hid_t dataset = output->dataset, file = output->file;
    int code = APP_DONE;
    output->dataset = output->file = H5I_INVALID_HID;
    if (dataset >= 0 && H5Dclose(dataset) < 0) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    if (file >= 0 && H5Fclose(file) < 0 && !code) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    return code;
}

void app_field_abandon(app_field_output *output) {
    if (!output) {
        return;
    }
    if (output->dataset >= 0) {
        H5Dclose(output->dataset);
    }
    if (output->file >= 0) {
        H5Fclose(output->file);
    }
    free(output);
}

static size_t row_bytes(const app_field_output *output) {
    return output->grid.axis[0].n * app_element_bytes(output->precision);
}

/* The piece that comes after `done` of the rows of some planes. */
static app_hdf5_rows next_piece(const app_field_output *output, app_planes planes, size_t done) {
    const size_t ny = output->grid.axis[1].n, rows = planes.count * ny;
    const size_t most = PIECE_BYTES / row_bytes(output) + 1;
    app_hdf5_rows piece = {planes.z0 * ny + done, 0};
    if (done < rows) {
        piece.count = most >= ny ? most / ny * ny : most;
        const size_t end = most >= ny ? rows - done : ny - done % ny;
        piece.count = piece.count < end ? piece.count : end;
    }
    return piece;
}

/* Rank 0 writes the planes of one process: its own from where they are, others' as they come. */
static int write_planes_of(app_field_output *output, int rank, const char *u, char *buffer) {
    app_hdf5_field field = {output->dataset, H5P_DEFAULT, &output->grid, output->precision, ""};
    app_planes planes = {0, 0};
    int code = APP_DONE;
    (void)psg_local_extent(output->grid.axis[2].n, app_ranks(), rank, &planes.z0, &planes.count);
    const size_t rows = planes.count * output->grid.axis[1].n;
    for (size_t done = 0; done < rows && (app_rank() == rank || app_rank() == 0);) {
        const app_hdf5_rows piece = next_piece(output, planes, done);
        const char *own = u + done * row_bytes(output);
        if (rank > 0 && app_rank() == rank) {
            app_ranks_to_first(rank, own, NULL, piece.count * row_bytes(output));
        } else if (rank > 0) {
            app_ranks_to_first(rank, NULL, buffer, piece.count * row_bytes(output));
        }
        /* after a failure the rest is taken all the same: who sends it is not to wait */
        if (app_rank() == 0 && !code &&
            app_hdf5_move(&field, piece, NULL, rank > 0 ? buffer : own)) {
            code = write_failed(output, field.words);
        }
        done += piece.count;
    }
    return code;
}

static int write_by_first(app_field_output *output, const void *u) {
    char *buffer = NULL;
    int code = APP_DONE;
    if (app_rank() == 0 && app_ranks() > 1) {
        const app_planes all = {0, output->grid.axis[2].n};
        buffer = app_allocate(next_piece(output, all, 0).count, row_bytes(output),
                              "planes of other processes");
        code = buffer ? APP_DONE : APP_FAILED;
    }
    code = app_ranks_agree(code);
    for (int rank = 0; rank < app_ranks() && !code; rank++) {
        code = app_ranks_agree(write_planes_of(output, rank, u, buffer));
    }
    free(buffer);
    return app_ranks_agree(code ? code : close_file(output));
}

#if PSG_WITH_PARALLEL_HDF5
static int open_together(app_field_output *output) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const MPI_Comm comm = *(const MPI_Comm *)app_ranks_comm();
    int code = APP_DONE;
    if (H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL) >= 0) {
        output->file = H5Fopen(output->path, H5F_ACC_RDWR, access);
    }
    if (output->file < 0) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    H5Pclose(access);
    code = app_ranks_agree(code);
    if (code) {
        output->file =
            H5I_INVALID_HID; /* those who have it open cannot close it without the others */
        return code;
    }
    output->dataset = H5Dopen2(output->file, output->name, H5P_DEFAULT);
    return app_ranks_agree(output->dataset < 0 ? write_failed(output, APP_HDF5_WORDS) : APP_DONE);
}

/* What the system said of a failed write is lost between MPI and HDF5; a full disk is why most
 * fail. */
static int piece_failed(const app_field_output *output, const char *words) {
    char text[640] = "", left[32];
    struct statvfs disk;
    if (statvfs(output->path, &disk) == 0 && disk.f_blocks > 0) {
        app_bytes_text(left, sizeof left, (double)disk.f_bavail * (double)disk.f_frsize);
        snprintf(text, sizeof text, "%s; %s left on the disk", words, left);
    }
    return write_failed(output, text[0] ? text : words);
}

/* Every process writes its planes. They lie one after the other in the file, so that a
 * collective transfer would have nothing to bring together; and that of Open MPI 4.1 does not
 * tell of a full disk. */
static int write_pieces(app_field_output *output, app_planes planes, const char *u) {
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    app_hdf5_field field = {output->dataset, transfer, &output->grid, output->precision, ""};
    const size_t rows = planes.count * output->grid.axis[1].n;
    int code = APP_DONE;
    if (H5Pset_dxpl_mpio(transfer, H5FD_MPIO_INDEPENDENT) < 0) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    for (size_t done = 0; done < rows && !code;) {
        const app_hdf5_rows piece = next_piece(output, planes, done);
        if (app_hdf5_move(&field, piece, NULL, u + done * row_bytes(output))) {
            code = piece_failed(output, field.words);
        }
        done += piece.count;
    }
    H5Pclose(transfer);
    return app_ranks_agree(code);
}

/* The file as rank 0 has made it is opened anew by all: nothing but the data is written
 * together. */
static int write_together(app_field_output *output, app_planes planes, const void *u) {
    int code = app_ranks_agree(close_file(output));
    if (!code) {
        code = open_together(output);
    }
    if (!code) {
        code = write_pieces(output, planes, u);
    }
    return app_ranks_agree(code ? code : close_file(output));
}
#else
static int write_together(app_field_output *output, app_planes planes, const void *u) {
    (void)planes;
    return write_by_first(output, u);
}
#endif

/* Files may lie where only some of the processes see them; and MPI waits for ever where some of
 * them cannot open what others can. */
static int opened_by_all(const app_field_output *output) {
    const int file = open(output->path, O_RDWR | O_CLOEXEC);
    double failed = file < 0 || close(file);
    app_ranks_max(&failed, 1);
    return failed == 0;
}

int app_field_write(app_field_output *output, app_planes planes, const void *u,
                    const app_field_header *header) {
    const int together = app_field_is_parallel() && app_ranks() > 1 && opened_by_all(output);
    int code = app_ranks_agree(app_rank() == 0 ? write_header(output, header) : APP_DONE);
    if (!code) {
        code = together ? write_together(output, planes, u) : write_by_first(output, u);
    }
    app_field_abandon(output);
    return code;
}
