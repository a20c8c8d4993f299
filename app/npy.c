/* NumPy's files, format 1.0: "\x93NUMPY", two bytes of the version, two of the length of a text,
 * and the text: a Python dictionary with `descr`, `fortran_order` and `shape`. The numbers
 * follow. */
#include "app/npy.h"
#include "app/output.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = sizeof magic - 1, VERSION = MAGIC, LENGTH = MAGIC + 2, TEXT = MAGIC + 4 };
enum { ALIGNMENT = 64, HEADER_MOST = 192, PIECE_BYTES = 1 << 20 };

static char own_order(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? '<' : '>';
}

bool app_npy_named(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

/* @return how many bytes there are, at most `bytes`; -1: see errno */
static ssize_t read_at(int file, void *to, size_t bytes, off_t at) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(file, (char *)to + done, bytes - done, at + (off_t)done);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)done;
}

bool app_npy_meant(const char *path) {
    char begin[MAGIC];
    const char *why = NULL;
    const int file = base_open_regular(path, &why);
    if (file < 0) {
        return false;
    }
    const bool is = read_at(file, begin, MAGIC, 0) == MAGIC && memcmp(begin, magic, MAGIC) == 0;
    close(file);
    return is || app_npy_named(path);
}

/* ---------------------------------------------------------------------------------- the header */

/* What follows a key of the dictionary; NULL: there is no such key. */
static const char *value_of(const char *text, const char *key) {
    char quoted[32];
    const char *found = NULL;
    for (const char *quote = "'\""; *quote != '\0' && found == NULL; quote++) {
        (void)snprintf(quoted, sizeof quoted, "%c%s%c", *quote, key, *quote);
        found = strstr(text, quoted);
    }
    if (found == NULL) {
        return NULL;
    }
    found += strlen(key) + 2;
    found += strspn(found, " ");
    if (*found != ':') {
        return NULL;
    }
    found++;
    return found + strspn(found, " ");
}

static const char *kind_of(const char *type) {
    static const struct {
        char letter;
        const char *words;
    } kinds[] = {{'i', "integers"}, {'u', "integers"}, {'b', "booleans"}, {'O', "Python objects"},
                 {'S', "text"},     {'U', "text"},     {'M', "dates"},    {'m', "times"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (type[1] == kinds[k].letter) {
            return kinds[k].words;
        }
    }
    return type[1] != 'f' ? "other values"
           : strcmp(type + 2, "4") != 0 && strcmp(type + 2, "8") != 0
               ? "numbers of another precision"
               : "numbers of another byte order";
}

static int read_type(const char *path, const char *value, app_npy *npy) {
    char type[32] = "", f4[] = "<f4", f8[] = "<f8";
    f4[0] = f8[0] = own_order();
    if (value[0] == '[') {
        return app_error(APP_USAGE, "%s: holds records; psg reads arrays of f4 and f8 numbers",
                         path);
    }
    const size_t length = value[0] != '\0' ? strcspn(value + 1, "'\"") : 0;
    if ((value[0] == '\'' || value[0] == '"') && value[1 + length] == value[0] && length > 1) {
        (void)snprintf(type, sizeof type, "%.*s", (int)length, value + 1);
    }
    if (type[0] == '\0') {
        return app_error(APP_USAGE, "%s: its header has no dtype", path);
    }
    if (type[1] == 'c') {
        return app_error(APP_USAGE,
                         "%s: holds complex numbers, dtype '%s'; psg solves for real ones: save "
                         "a.real and a.imag, which are two solves",
                         path, type);
    }
    if (strcmp(type, f4) != 0 && strcmp(type, f8) != 0) {
        return app_error(APP_USAGE,
                         "%s: holds %s, dtype '%s'; psg reads '%s' and '%s': save a.astype('%s')",
                         path, kind_of(type), type, f4, f8, f8);
    }
    npy->precision = strcmp(type, f4) == 0 ? PSG_F32 : PSG_F64;
    return APP_DONE;
}

static int read_order(const char *path, const char *value, app_npy *npy) {
    (void)npy;
    if (strncmp(value, "False", strlen("False")) == 0) {
        return APP_DONE;
    }
    return strncmp(value, "True", strlen("True")) == 0
               ? app_error(APP_USAGE,
                           "%s: is in Fortran order, the first index fastest; psg reads "
                           "[nz][ny][nx] in C order: save numpy.ascontiguousarray(a)",
                           path)
               : app_error(APP_USAGE, "%s: its header does not say the order of the array", path);
}

static int read_shape(const char *path, const char *value, app_npy *npy) {
    enum { RANK_MOST = 64 };
    const char *const shape = value;
    unsigned long long extent[RANK_MOST] = {0};
    int rank = 0;
    bool good = value[0] == '(';
    for (value += good; good && *(value += strspn(value, " ,")) != ')' && rank < RANK_MOST;) {
        char *end = NULL;
        errno = 0;
        good = *value >= '0' && *value <= '9';
        extent[rank++] = strtoull(value, &end, 10);
        good = good && errno == 0;
        value = end;
    }
    if (!good) {
        return app_error(APP_USAGE, "%s: its header does not say the shape of the array", path);
    }
    const int code = app_rank_check(path, rank);
    npy->size = (app_grid_value){.given = true, .axes = rank};
    for (int d = 0; d < 3 && !code; d++) {
        npy->size.n[d] = d < rank ? (size_t)extent[rank - 1 - d] : 1;
    }
    return code || (npy->size.n[0] > 0 && npy->size.n[1] > 0 && npy->size.n[2] > 0)
               ? code
               : app_error(APP_USAGE, "%s: the array is empty: its shape is %.*s", path,
                           (int)(value + 1 - shape), shape);
}

/* Are all the numbers there? Counted in doubles, which no shape overflows. */
static int check_length(const char *path, const app_npy *npy) {
    struct stat status;
    const double wanted = (double)npy->size.n[0] * (double)npy->size.n[1] * (double)npy->size.n[2] *
                          (double)app_element_bytes(npy->precision);
    if (fstat(npy->file, &status)) {
        return app_error(APP_USAGE, "%s: %s", path, strerror(errno));
    }
    return (double)(status.st_size - npy->data) < wanted
               ? app_error(APP_USAGE,
                           "%s: is cut off: it has %.0f bytes of numbers instead of %.0f", path,
                           (double)(status.st_size - npy->data), wanted)
               : APP_DONE;
}

static int read_text(const char *path, const char *text, app_npy *npy) {
    /* the type first: a record's fields may have the names of keys */
    static const struct {
        const char *key;
        int (*read)(const char *path, const char *value, app_npy *npy);
    } keys[] = {{"descr", read_type}, {"fortran_order", read_order}, {"shape", read_shape}};
    int code = APP_DONE;
    for (size_t k = 0; k < sizeof keys / sizeof *keys && !code; k++) {
        const char *value = value_of(text, keys[k].key);
        code = value != NULL
                   ? keys[k].read(path, value, npy)
                   : app_error(APP_USAGE, "%s: its header has no '%s'", path, keys[k].key);
    }
    return code;
}

static int read_header(const char *path, app_npy *npy) {
    unsigned char begin[TEXT];
    const ssize_t there = read_at(npy->file, begin, TEXT, 0);
    if (there < 0) {
        return app_error(APP_USAGE, "%s: %s", path, strerror(errno));
    }
    if (there < MAGIC || memcmp(begin, magic, MAGIC) != 0) {
        return app_error(APP_USAGE, "%s: not a NumPy file, though its name ends with .npy", path);
    }
    if (there < TEXT) {
        return app_error(APP_USAGE, "%s: is cut off in its header", path);
    }
    if (begin[VERSION] != 1 || begin[VERSION + 1] != 0) {
        return app_error(APP_USAGE, "%s: is of NumPy's format %d.%d; psg reads 1.0", path,
                         begin[VERSION], begin[VERSION + 1]);
    }
    const size_t length = begin[LENGTH] + 256u * begin[LENGTH + 1];
    char *text = app_allocate(length + 1, 1, "the header of a NumPy file");
    if (text == NULL) {
        return APP_FAILED;
    }
    const ssize_t got = read_at(npy->file, text, length, TEXT);
    text[got > 0 ? got : 0] = '\0';
    npy->data = (off_t)(TEXT + length);
    const int code = got < (ssize_t)length
                         ? app_error(APP_USAGE, "%s: is cut off in its header", path)
                         : read_text(path, text, npy);
    free(text);
    return code;
}

int app_npy_open(const char *path, app_npy *npy) {
    const char *why = NULL;
    *npy = (app_npy){.file = base_open_regular(path, &why)};
    if (npy->file < 0) {
        return app_error(APP_USAGE, "%s: %s", path, why);
    }
    int code = read_header(path, npy);
    code = code ? code : check_length(path, npy);
    if (code) {
        app_npy_close(npy);
    }
    return code;
}

void app_npy_close(app_npy *npy) {
    if (npy->file >= 0) {
        close(npy->file);
    }
    npy->file = -1;
}

/* ---------------------------------------------------------------------------------- the numbers */

/* Numbers of the other precision go through `piece` and, as doubles, `row`. */
const char *app_npy_read(const app_npy *npy, psg_precision precision, app_planes planes, void *f) {
    const size_t plane = npy->size.n[0] * (npy->size.axes == 2 ? 1 : npy->size.n[1]);
    const size_t count = planes.count * plane;
    const size_t bytes = app_element_bytes(npy->precision), most = PIECE_BYTES / sizeof(double);
    const bool converts = precision != npy->precision;
    char *piece = converts ? malloc(most * bytes) : NULL;
    double *row = converts ? malloc(most * sizeof *row) : NULL;
    const char *why = !converts || (piece != NULL && row != NULL) ? NULL : "out of memory";
    for (size_t done = 0; done < count && why == NULL;) {
        const size_t part = count - done < most ? count - done : most;
        const ssize_t got =
            read_at(npy->file, converts ? piece : (char *)f + done * bytes, part * bytes,
                    npy->data + (off_t)((planes.z0 * plane + done) * bytes));
        if (got != (ssize_t)(part * bytes)) {
            why = got < 0 ? strerror(errno) : "it was cut off just now";
        } else if (converts) {
            app_get_row(piece, npy->precision, 0, part, row);
            app_put_row(f, precision, done, part, row);
        }
        done += part;
    }
    free(piece);
    free(row);
    return why;
}

/* ---------------------------------------------------------------------------------- writing */

/* @return its bytes, a multiple of ALIGNMENT */
static size_t make_header(const psg_grid *grid, psg_precision precision, char header[HEADER_MOST]) {
    char text[HEADER_MOST];
    int used = snprintf(text, sizeof text, "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (",
                        own_order(), app_element_bytes(precision));
    for (int d = grid->axes - 1; d >= 0; d--) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%zu%s", grid->axis[d].n,
                         d > 0            ? ", "
                         : grid->axes > 1 ? "), }"
                                          : ",), }");
    }
    const size_t length = ((size_t)(TEXT + used) / ALIGNMENT + 1) * ALIGNMENT;
    memset(header, ' ', length);
    memcpy(header, magic, MAGIC);
    header[VERSION] = 1;
    header[VERSION + 1] = 0;
    header[LENGTH] = (char)((length - TEXT) % 256);
    header[LENGTH + 1] = (char)((length - TEXT) / 256);
    memcpy(header + TEXT, text, (size_t)used);
    header[length - 1] = '\n';
    return length;
}

int app_npy_create(const app_field_place *place, const psg_grid *grid, psg_precision precision) {
    char header[HEADER_MOST];
    struct stat old;
    if (stat(place->shown, &old) == 0 && old.st_size > 0 && !place->force) {
        return app_error(APP_USAGE,
                         "%s: is there already, and a .npy file does not tell whether psg wrote "
                         "it; --force replaces it",
                         place->shown);
    }
    const int file = open(place->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    const bool written =
        file >= 0 && base_write(file, header, make_header(grid, precision, header));
    const int why = errno;
    return (file >= 0 && close(file)) || !written
               ? app_output_failed(place->shown, strerror(written ? errno : why))
               : APP_DONE;
}

/* The file has its header alone, or already its numbers: the header says where they begin. */
int app_npy_describe(const app_field_place *place, size_t step, const app_field_header *header,
                     off_t *data) {
    unsigned char begin[TEXT];
    (void)step;
    (void)header;
    const int file = open(place->path, O_RDONLY | O_CLOEXEC);
    const bool got = file >= 0 && read_at(file, begin, TEXT, 0) == TEXT;
    const int why = errno;
    if (file >= 0) {
        close(file);
    }
    *data = got ? (off_t)(TEXT + begin[LENGTH] + 256u * begin[LENGTH + 1]) : 0;
    return got ? APP_DONE : app_output_failed(place->shown, strerror(why));
}
