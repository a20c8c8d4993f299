/* Writing a field. Rank 0 makes the file with all that describes the data. The data come from all
   processes: written by each where all see the file, else sent to rank 0. */
#include "app/field_output.h"
#include "app/field_target.h"
#include "app/hdf5.h"
#include "app/npy.h"
#include "app/processes.h"
#include "graph/psg_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What is sent to rank 0, or written together, at once; but a row at least. */
enum { PIECE_BYTES = 64 << 20 };

struct app_field_output {
    hid_t file;          /* open on rank 0 until data are written, */
    hid_t dataset;       /* that is written now */
    int array;           /* in place of them: open on rank 0, or -1 */
    size_t array_header; /* its bytes */
    psg_grid grid;
    psg_precision precision;
    int force;
    int replaces;    /* there is a file under the final name, */
    struct stat old; /* which was so when its content was taken over */
    char path[PATH_MAX], shown[PATH_MAX], name[1024];
    const app_field_steps *steps; /* then `name` is their group */
};

static int write_failed(const app_field_output *output, const char *words) {
    return app_error(APP_FAILED, "%s: cannot be written: %s%s", output->shown, words,
                     output->replaces ? "; the file that was there is untouched" : "");
}

static int write_all(int file, const char *data, size_t bytes, off_t at) {
    for (size_t done = 0; done < bytes;) {
        const size_t piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        const ssize_t written = pwrite(file, data + done, piece, at + (off_t)done);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* NumPy's file and its header, on rank 0. */
static int create_array(app_field_output *output) {
    char header[APP_NPY_HEADER_MOST];
    if (output->replaces && output->old.st_size > 0 && !output->force) {
        return app_error(APP_USAGE,
                         "%s: is there already, and a .npy file does not tell whether psg wrote "
                         "it; --force replaces it",
                         output->shown);
    }
    output->array_header = app_npy_header(&output->grid, output->precision, header);
    output->array = open(output->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return output->array < 0 || write_all(output->array, header, output->array_header, 0)
               ? write_failed(output, strerror(errno))
               : APP_DONE;
}

/* How data sets are made. */
typedef struct recipe {
    hid_t space, creation, link, access;
} recipe;

static int create_dataset(const app_field_output *output, size_t step, const recipe *how) {
    char path[APP_FIELD_PATH];
    app_field_path(output->name, output->steps, step, path);
    const hid_t type = output->precision == PSG_F32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const hid_t dataset =
        H5Dcreate2(output->file, path, type, how->space, how->link, how->creation, how->access);
    return dataset < 0 || H5Dclose(dataset) < 0
               ? app_error(APP_USAGE, "%s: the data set '%s' cannot be made: %s", output->shown,
                           path, APP_HDF5_WORDS)
               : APP_DONE;
}

/* The file and its data sets, on rank 0. */
static int create(app_field_output *output) {
    const psg_axis *axis = output->grid.axis;
    const double bytes = (double)app_points(&output->grid) *
                         (double)app_element_bytes(output->precision) *
                         (double)app_field_count(output->steps);
    const app_hdf5_target target = {output->path,  output->shown, output->name,
                                    output->steps, bytes,         output->force};
    output->replaces = stat(output->shown, &output->old) == 0;
    if (app_npy_named(output->shown)) {
        return create_array(output);
    }
    int code = app_hdf5_target_open(&target, &output->file);
    if (code) {
        return code;
    }
    const hsize_t extent[3] = {axis[2].n, axis[1].n, axis[0].n};
    const recipe how = {H5Screate_simple(3, extent, NULL), H5Pcreate(H5P_DATASET_CREATE),
                        H5Pcreate(H5P_LINK_CREATE), H5Pcreate(H5P_DATASET_ACCESS)};
    /* every element is written: filling the data set with zeros before would write it twice. Its
     * place in the file is found now, because other processes are to write to it. */
    if (H5Pset_fill_time(how.creation, H5D_FILL_TIME_NEVER) < 0 ||
        H5Pset_alloc_time(how.creation, H5D_ALLOC_TIME_EARLY) < 0 ||
        H5Pset_create_intermediate_group(how.link, 1) < 0 ||
        H5Pset_elink_cb(how.access, app_hdf5_no_link, NULL) < 0) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    for (size_t step = 0; step < app_field_count(output->steps) && !code; step++) {
        code = create_dataset(output, step, &how);
    }
    H5Sclose(how.space);
    H5Pclose(how.creation);
    H5Pclose(how.link);
    H5Pclose(how.access);
    return code;
}

int app_field_create(const app_field_place *place, const psg_grid *grid, psg_precision precision,
                     app_field_output **result) {
    *result = NULL;
    app_hdf5_start();
    app_field_output *output = calloc(1, sizeof *output);
    if (output == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    output->grid = *grid;
    output->precision = precision;
    output->force = place->force;
    output->steps = place->steps;
    output->file = output->dataset = H5I_INVALID_HID;
    output->array = -1;
    snprintf(output->path, sizeof output->path, "%s", place->path);
    snprintf(output->shown, sizeof output->shown, "%s", place->shown);
    snprintf(output->name, sizeof output->name, "%s",
             place->dataset[0] ? place->dataset : "/potential");
    const int code = app_rank() == 0 ? create(output) : APP_DONE;
    if (code) {
        app_field_abandon(output);
        return code;
    }
    *result = output;
    return APP_DONE;
}

static bool write_numbers(hid_t dataset, const char *name, const double *values, hsize_t count) {
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    const hid_t attribute =
        H5Acreate2(dataset, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool failed = attribute < 0 || H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) < 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    return failed;
}

static bool write_text(hid_t dataset, const char *name, const char *text) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool failed = attribute < 0 || H5Awrite(attribute, type, text) < 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Tclose(type);
    H5Sclose(space);
    return failed;
}

/* What only a solution has. */
static bool write_equation(hid_t dataset, const app_field_header *header) {
    return write_text(dataset, "symbol", header->symbol) ||
           write_numbers(dataset, "lambda", &header->lambda, 1) ||
           write_numbers(dataset, "factor", &header->factor, 1) ||
           write_numbers(dataset, "mean_dropped", &header->mean_dropped, 1);
}

static int write_header(app_field_output *output, const app_field_header *header) {
    const hid_t dataset = output->dataset;
    if (output->array >= 0) {
        return APP_DONE;
    }
    if (write_numbers(dataset, "box", header->box, 3) ||
        (header->time != NULL && write_numbers(dataset, "time", header->time, 1)) ||
        (header->sides != NULL && (write_text(dataset, "bc", header->sides) ||
                                   write_text(dataset, "points", header->points))) ||
        (header->symbol != NULL && write_equation(dataset, header)) ||
        write_text(dataset, "source", header->source) ||
        write_text(dataset, APP_HDF5_MARK, psg_component_version(PSG_COMPONENT_PSG)) ||
        H5Fflush(output->file, H5F_SCOPE_GLOBAL) < 0) {
        return write_failed(output, APP_HDF5_WORDS);
    }
    return APP_DONE;
}

/* @return what came of the first that failed */
static int close_file(app_field_output *output) {
    int code = APP_DONE;
    if (output->dataset >= 0 && H5Dclose(output->dataset) < 0) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    if (output->file >= 0 && H5Fclose(output->file) < 0 && !code) {
        code = write_failed(output, APP_HDF5_WORDS);
    }
    if (output->array >= 0 && close(output->array)) {
        code = write_failed(output, strerror(errno));
    }
    output->dataset = output->file = H5I_INVALID_HID;
    output->array = -1;
    return code;
}

void app_field_abandon(app_field_output *output) {
    if (output == NULL) {
        return;
    }
    if (output->dataset >= 0) {
        H5Dclose(output->dataset);
    }
    if (output->file >= 0) {
        H5Fclose(output->file);
    }
    if (output->array >= 0) {
        close(output->array);
    }
    free(output);
}

static size_t row_bytes(const app_field_output *output) {
    return output->grid.axis[0].n * app_element_bytes(output->precision);
}

/* Rows counted through all planes: whole planes, or a part of one. */
typedef struct rows {
    size_t first, count;
} rows;

/* The piece that comes after `done` of the rows of some planes. */
static rows next_piece(const app_field_output *output, app_planes planes, size_t done) {
    const size_t ny = output->grid.axis[1].n, all = planes.count * ny;
    const size_t most = PIECE_BYTES / row_bytes(output) + 1;
    rows piece = {planes.z0 * ny + done, 0};
    if (done < all) {
        piece.count = most >= ny ? most / ny * ny : most;
        const size_t end = most >= ny ? all - done : ny - done % ny;
        piece.count = piece.count < end ? piece.count : end;
    }
    return piece;
}

/* Rank 0 writes rows. */
static int write_rows(app_field_output *output, rows piece, const char *data) {
    const size_t bytes = row_bytes(output), ny = output->grid.axis[1].n;
    char words[512];
    if (output->array >= 0) {
        return write_all(output->array, data, piece.count * bytes,
                         (off_t)(output->array_header + piece.first * bytes))
                   ? write_failed(output, strerror(errno))
                   : APP_DONE;
    }
    const bool whole = piece.count % ny == 0 && piece.first % ny == 0;
    const app_hdf5_block block = {
        3,
        {piece.first / ny, piece.first % ny, 0},
        {whole ? piece.count / ny : 1, whole ? ny : piece.count, output->grid.axis[0].n}};
    return app_hdf5_move(output->dataset, &block, output->precision, NULL, data, words)
               ? write_failed(output, words)
               : APP_DONE;
}

/* Rank 0 writes the planes of one process: its own from where they are, others' as they come. */
static int write_planes_of(app_field_output *output, int rank, const char *u, char *buffer) {
    app_planes planes = {0, 0};
    int code = APP_DONE;
    (void)psg_local_extent(output->grid.axis[2].n, app_ranks(), rank, &planes.z0, &planes.count);
    const size_t all = planes.count * output->grid.axis[1].n;
    for (size_t done = 0; done < all && (app_rank() == rank || app_rank() == 0);) {
        const rows piece = next_piece(output, planes, done);
        const char *own = u + done * row_bytes(output);
        if (rank > 0 && app_rank() == rank) {
            app_ranks_to_first(rank, own, NULL, piece.count * row_bytes(output));
        } else if (rank > 0) {
            app_ranks_to_first(rank, NULL, buffer, piece.count * row_bytes(output));
        }
        /* after a failure the rest is taken all the same: who sends it is not to wait */
        if (app_rank() == 0 && !code) {
            code = write_rows(output, piece, rank > 0 ? buffer : own);
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
        code = buffer != NULL ? APP_DONE : APP_FAILED;
    }
    code = app_ranks_agree(code);
    for (int rank = 0; rank < app_ranks() && !code; rank++) {
        code = app_ranks_agree(write_planes_of(output, rank, u, buffer));
    }
    free(buffer);
    return app_ranks_agree(code ? code : close_file(output));
}

/* Where the elements stand in the file, end to end; 0 where they cannot be written as they are in
 * memory. */
static double place_of_data(const app_field_output *output) {
    if (output->array >= 0) {
        return (double)output->array_header;
    }
    const haddr_t place = H5Dget_offset(output->dataset);
    const bool little = H5Tget_order(H5T_NATIVE_DOUBLE) == H5T_ORDER_LE;
    return place != HADDR_UNDEF && little ? (double)place : 0;
}

/* Every process writes its planes, which lie one after the other in the file, past HDF5: of a
 * parallel HDF5 the processes wait for ever for one whose disk has failed. */
static int write_planes(const app_field_output *output, app_planes planes, const void *u,
                        double place) {
    const size_t plane = output->grid.axis[1].n * row_bytes(output);
    const int file = open(output->path, O_WRONLY | O_CLOEXEC);
    bool failed = file < 0 || write_all(file, u, planes.count * plane,
                                        (off_t)place + (off_t)(planes.z0 * plane));
    int why = errno;
    if (file >= 0 && close(file) && !failed) {
        failed = true;
        why = errno;
    }
    if (!failed) {
        return APP_DONE;
    }
    char text[640], left[32];
    struct statvfs disk;
    snprintf(text, sizeof text, "%s", strerror(why));
    if (statvfs(output->path, &disk) == 0 && disk.f_blocks > 0) {
        app_bytes_text(left, sizeof left, (double)disk.f_bavail * (double)disk.f_frsize);
        snprintf(text, sizeof text, "%s; %s left on the disk", strerror(why), left);
    }
    return write_failed(output, text);
}

/* Rank 0 has made the file, and closes it first. */
static int write_together(app_field_output *output, app_planes planes, const void *u,
                          double place) {
    const int code = app_ranks_agree(close_file(output));
    return code ? code : app_ranks_agree(write_planes(output, planes, u, place));
}

/* Files may lie where only some of the processes see them. */
static bool opened_by_all(const app_field_output *output) {
    const int file = open(output->path, O_RDWR | O_CLOEXEC);
    double failed = file < 0 || close(file);
    app_ranks_max(&failed, 1);
    return failed == 0;
}

/* Has the file that is to be replaced changed since its content was taken over? */
static bool has_changed(const app_field_output *output) {
    struct stat now;
    const struct stat *old = &output->old;
    return stat(output->shown, &now) == 0 &&
           (!output->replaces || now.st_dev != old->st_dev || now.st_ino != old->st_ino ||
            now.st_size != old->st_size || now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != old->st_mtim.tv_nsec);
}

/* The file is closed after each step, because other processes write to it. */
static int open_dataset(app_field_output *output, size_t step) {
    char path[APP_FIELD_PATH];
    if (output->array >= 0) {
        return APP_DONE;
    }
    if (output->file < 0) {
        output->file = H5Fopen(output->path, H5F_ACC_RDWR, H5P_DEFAULT);
    }
    app_field_path(output->name, output->steps, step, path);
    output->dataset =
        output->file < 0 ? H5I_INVALID_HID : H5Dopen2(output->file, path, H5P_DEFAULT);
    return output->dataset < 0 ? write_failed(output, APP_HDF5_WORDS) : APP_DONE;
}

/* The attributes; before them, the content of a file that has changed while the solves took their
 * time. */
static int write_description(app_field_output *output, size_t step,
                             const app_field_header *header) {
    int code = APP_DONE;
    if (step == 0 && has_changed(output)) {
        code = close_file(output);
        code = code ? code : create(output);
    }
    code = code ? code : open_dataset(output, step);
    return code ? code : write_header(output, header);
}

static int check_unchanged(const app_field_output *output) {
    return has_changed(output)
               ? app_error(APP_FAILED, "%s: was changed by another program just now; it is left",
                           output->shown)
               : APP_DONE;
}

int app_field_write(app_field_output *output, size_t step, app_planes planes, const void *u,
                    const app_field_header *header) {
    const bool first = app_rank() == 0;
    const bool together = app_ranks() > 1 && opened_by_all(output);
    int code = app_ranks_agree(first ? write_description(output, step, header) : APP_DONE);
    double place = first && !code ? place_of_data(output) : 0;
    app_ranks_share(&place, sizeof place);
    if (!code) {
        code = together && place > 0 ? write_together(output, planes, u, place)
                                     : write_by_first(output, u);
    }
    code = code ? code : app_ranks_agree(first ? check_unchanged(output) : APP_DONE);
    return code;
}
