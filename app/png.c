/* PNG (ISO/IEC 15948): a signature and chunks. The pixels are a zlib stream (RFC 1950) of stored blocks (RFC 1951), which
 * have no compression: a picture of slices is small beside its field. */
#include "app/png.h"
#include "app/words.h"
#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    FILE *file;
    uint32_t crc;  /* of the chunk so far */
    uint32_t a, b; /* Adler-32 of the pixels so far */
    size_t block;  /* bytes left in the present block, */
    size_t left;   /* and of all pixels after it */
    bool failed;
} writer;

static void put(writer *w, const void *bytes, size_t count) {
    const uint8_t *byte = bytes;
    for (size_t n = 0; n < count; n++) {
        w->crc ^= byte[n];
        for (int bit = 0; bit < 8; bit++) {
            w->crc = w->crc >> 1 ^ (w->crc & 1 ? UINT32_C(0xedb88320) : 0);
        }
    }
    w->failed = w->failed || fwrite(bytes, 1, count, w->file) != count;
}

static void put_number(writer *w, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                              (uint8_t)value};
    put(w, bytes, sizeof bytes);
}

static void begin_chunk(writer *w, const char *type, size_t bytes) {
    put_number(w, (uint32_t)bytes);
    w->crc = UINT32_MAX;
    put(w, type, 4);
}

static void end_chunk(writer *w) {
    put_number(w, ~w->crc);
}

/* Bytes of the zlib stream, in blocks. */
enum { BLOCK_MOST = 65535 };

static void begin_block(writer *w) {
    w->block = w->left < BLOCK_MOST ? w->left : BLOCK_MOST;
    w->left -= w->block;
    const uint8_t head[5] = {w->left == 0, (uint8_t)w->block, (uint8_t)(w->block >> 8),
                             (uint8_t)~w->block, (uint8_t)(~w->block >> 8)};
    put(w, head, sizeof head);
}

static void put_stored(writer *w, const uint8_t *bytes, size_t count) {
    for (size_t n = 0; n < count; n++) {
        w->a = (w->a + bytes[n]) % 65521;
        w->b = (w->b + w->a) % 65521;
    }
    while (count > 0) {
        if (w->block == 0) {
            begin_block(w);
        }
        const size_t piece = count < w->block ? count : w->block;
        put(w, bytes, piece);
        w->block -= piece;
        bytes += piece;
        count -= piece;
    }
}

static void put_pixels(writer *w, const app_picture *picture) {
    static const uint8_t zlib[2] = {0x78, 0x01}, no_filter = 0;
    const size_t bytes = picture->height * (picture->width + 1);
    w->left = bytes;
    w->a = 1;
    begin_chunk(w, "IDAT", 2 + bytes + 5 * ((bytes + BLOCK_MOST - 1) / BLOCK_MOST) + 4);
    put(w, zlib, sizeof zlib);
    for (size_t row = 0; row < picture->height; row++) {
        put_stored(w, &no_filter, 1);
        put_stored(w, picture->pixel + row * picture->width, picture->width);
    }
    put_number(w, w->b << 16 | w->a);
    end_chunk(w);
}

int app_png_write(const app_picture *picture, const char *path, const char *shown) {
    static const uint8_t indexed[5] = {8, 3, 0, 0, 0}; /* bits, by a palette, the usual methods */
    static const char about[] = "psg\0slices of a field";
    if (picture->height * (picture->width + 2) > UINT32_C(0x7fff0000)) {
        return app_error(APP_FAILED, "%s: a picture of %zu x %zu points is too large for PNG",
                         shown, picture->width, picture->height);
    }
    writer w = {.file = fopen(path, "wb")};
    if (w.file == NULL) {
        return app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(errno));
    }
    put(&w, "\x89PNG\r\n\x1a\n", 8);
    begin_chunk(&w, "IHDR", 13);
    put_number(&w, (uint32_t)picture->width);
    put_number(&w, (uint32_t)picture->height);
    put(&w, indexed, sizeof indexed);
    end_chunk(&w);
    begin_chunk(&w, "tEXt", sizeof about - 1); /* by which psg knows its own files */
    put(&w, about, sizeof about - 1);
    end_chunk(&w);
    begin_chunk(&w, "PLTE", sizeof picture->colour);
    put(&w, picture->colour, sizeof picture->colour);
    end_chunk(&w);
    put_pixels(&w, picture);
    begin_chunk(&w, "IEND", 0);
    end_chunk(&w);
    int why = w.failed ? errno : 0;
    const int closed = base_close(w.file);
    why = why ? why : closed;
    return why == 0 ? APP_DONE
                    : app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(why));
}
