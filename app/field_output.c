/* Writing a field. Rank 0 makes the file with all that describes the data. The data come from all
 * processes, and stand end to end in the file: each process writes its own where all see the file,
 * else it sends them to rank 0. They are written past HDF5: of a parallel HDF5 the processes wait
 * for ever for one whose disk has failed. */
#include "app/field_output.h"
#include "app/hdf5.h"
#include "app/hdf5_output.h"
#include "app/npy.h"
#include "app/output.h"
#include "app/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What is written, or sent to rank 0, at once. */
enum { PIECE_BYTES = 64 << 20 };

/* A format of files, as rank 0 writes it. */
typedef struct format {
    /* Make the file, with room for the data. */
    int (*create)(const app_field_place *place, const psg_grid *grid, psg_precision precision);
    /* Say what the data of a step are. @param[out] data  where they stand in the file */
    int (*describe)(const app_field_place *place, size_t step, const app_field_header *header,
                    off_t *data);
} format;

static const format hdf5 = {app_hdf5_create, app_hdf5_describe},
                    numpy = {app_npy_create, app_npy_describe};

struct app_field_output {
    app_field_place place;
    const format *format;
    psg_grid grid;
    psg_precision precision;
    bool replaces;   /* there is a file under the final name, */
    struct stat old; /* which was so when its content was taken over */
};

static int create(app_field_output *output) {
    output->replaces = stat(output->place.shown, &output->old) == 0;
    return output->format->create(&output->place, &output->grid, output->precision);
}

int app_field_create(const app_field_place *place, const psg_grid *grid, psg_precision precision,
                     app_field_output **result) {
    *result = NULL;
    app_hdf5_start();
    app_field_output *output = malloc(sizeof *output);
    if (output == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    *output = (app_field_output){.place = *place,
                                 .format = app_npy_named(place->shown) ? &numpy : &hdf5,
                                 .grid = *grid,
                                 .precision = precision};
    if (!place->dataset[0]) {
        output->place.dataset = "/potential";
    }
    const int code = app_rank() == 0 ? create(output) : APP_DONE;
    if (code) {
        app_field_abandon(output);
        return code;
    }
    *result = output;
    return APP_DONE;
}

void app_field_abandon(app_field_output *output) {
    free(output);
}

/* ------------------------------------------------------------------------------------ the data */

static size_t plane_bytes(const app_field_output *output) {
    return app_plane_points(&output->grid, (app_planes){0, 1}) *
           app_element_bytes(output->precision);
}

static bool write_at(int file, const char *data, size_t bytes, off_t at) {
    for (size_t done = 0; done < bytes;) {
        const size_t piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        const ssize_t written = pwrite(file, data + done, piece, at + (off_t)done);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* What a process sends to rank 0, which writes it. After a failure the rest is taken all the same:
 * who sends it is not to wait. */
static bool write_for(const app_field_output *output, int rank, int file, const char *u, off_t data,
                      char *buffer) {
    const app_planes planes = app_planes_of(&output->grid, rank);
    bool good = true;
    const size_t all = planes.count * plane_bytes(output);
    const off_t first = data + (off_t)(planes.z0 * plane_bytes(output));
    for (size_t done = 0; done < all && (app_rank() == 0 || app_rank() == rank);) {
        const size_t piece = all - done < PIECE_BYTES ? all - done : PIECE_BYTES;
        app_ranks_to_first(rank, u + done, buffer, piece);
        good = good && (app_rank() > 0 || write_at(file, buffer, piece, first + (off_t)done));
        done += piece;
    }
    return good;
}

static int write_failed(const app_field_output *output, int why) {
    char text[640], left[32];
    struct statvfs disk;
    snprintf(text, sizeof text, "%s", strerror(why));
    if (statvfs(output->place.path, &disk) == 0 && disk.f_blocks > 0) {
        app_bytes_text(left, sizeof left, (double)disk.f_bavail * (double)disk.f_frsize);
        snprintf(text, sizeof text, "%s; %s left on the disk", strerror(why), left);
    }
    return app_output_failed(output->place.shown, text);
}

/* @param[in] all_write  every process does; else rank 0 does for all */
static int write_data(const app_field_output *output, app_planes planes, const char *u, off_t data,
                      bool all_write, char *buffer) {
    const bool writes = all_write || app_rank() == 0;
    const int file = writes ? open(output->place.path, O_WRONLY | O_CLOEXEC) : -1;
    const size_t plane = plane_bytes(output);
    bool good = !writes || (file >= 0 && write_at(file, u, planes.count * plane,
                                                  data + (off_t)(planes.z0 * plane)));
    int why = errno;
    for (int rank = 1; rank < app_ranks() && !all_write; rank++) {
        if (!write_for(output, rank, file, u, data, buffer) && good) {
            good = false;
            why = errno;
        }
    }
    if (file >= 0 && close(file) && good) {
        good = false;
        why = errno;
    }
    return good ? APP_DONE : write_failed(output, why);
}

/* Files may lie where only some of the processes see them. */
static bool opened_by_all(const app_field_output *output) {
    const int file = open(output->place.path, O_RDWR | O_CLOEXEC);
    double failed = file < 0 || close(file);
    app_ranks_max(&failed, 1);
    return failed == 0;
}

static int write_by_all(const app_field_output *output, app_planes planes, const void *u,
                        off_t data) {
    const bool all_write = opened_by_all(output);
    char *buffer = NULL;
    int code = APP_DONE;
    if (!all_write && app_rank() == 0 && app_ranks() > 1) {
        buffer = app_allocate(PIECE_BYTES, 1, "planes of other processes");
        code = buffer != NULL ? APP_DONE : APP_FAILED;
    }
    code = app_ranks_agree(code);
    code = code ? code : write_data(output, planes, u, data, all_write, buffer);
    free(buffer);
    return app_ranks_agree(code);
}

/* ---------------------------------------------------------------------- the file that changes */

/* Has the file that is to be replaced changed since its content was taken over? */
static bool has_changed(const app_field_output *output) {
    struct stat now;
    const struct stat *old = &output->old;
    return stat(output->place.shown, &now) == 0 &&
           (!output->replaces || now.st_dev != old->st_dev || now.st_ino != old->st_ino ||
            now.st_size != old->st_size || now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != old->st_mtim.tv_nsec);
}

/* The attributes; before them, the content of a file that has changed while the solves took their
 * time. */
static int describe(app_field_output *output, size_t step, const app_field_header *header,
                    off_t *data) {
    const int code = step == 0 && has_changed(output) ? create(output) : APP_DONE;
    return code ? code : output->format->describe(&output->place, step, header, data);
}

static int check_unchanged(const app_field_output *output) {
    return has_changed(output)
               ? app_error(APP_FAILED, "%s: was changed by another program just now; it is left",
                           output->place.shown)
               : APP_DONE;
}

int app_field_write(app_field_output *output, size_t step, app_planes planes, const void *u,
                    const app_field_header *header) {
    const bool first = app_rank() == 0;
    off_t data = 0;
    int code = app_ranks_agree(first ? describe(output, step, header, &data) : APP_DONE);
    if (!code) {
        app_ranks_share(&data, sizeof data);
        code = write_by_all(output, planes, u, data);
    }
    return code ? code : app_ranks_agree(first ? check_unchanged(output) : APP_DONE);
}
