#include "app/png.h"
#include "app/output.h"
#include "app/words.h"
#include "base/file.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* libpng has words of its own on its way out of an error; the reason is errno's. */
static void fail(png_structp png, png_const_charp words) {
    (void)words;
    png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp words) {
    (void)png;
    (void)words;
}

/* libpng leaves by longjmp(): nothing here is changed after setjmp(). @return false: errno says why */
static bool write_chunks(png_structp png, png_infop info, FILE *file, const app_picture *picture) {
    png_text about = {
        .compression = PNG_TEXT_COMPRESSION_NONE, .key = "psg", .text = "slices of a field"};
    png_color colours[256];
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    for (size_t c = 0; c < 256; c++) {
        const uint8_t *from = picture->colour[c];
        colours[c] = (png_color){from[0], from[1], from[2]};
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_text(png, info, &about, 1); /* before the pixels: by it psg knows its own files */
    png_set_PLTE(png, info, colours, 256);
    png_write_info(png, info);
    for (size_t row = 0; row < picture->height; row++) {
        png_write_row(png, picture->pixel + row * picture->width);
    }
    png_write_end(png, NULL);
    return true;
}

int app_png_write(const app_picture *picture, const char *path, const char *shown) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return app_output_close(NULL, shown);
    }
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, say_nothing);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    errno = info != NULL ? 0 : ENOMEM;
    const bool written = info != NULL && write_chunks(png, info, file, picture);
    int why = written ? 0 : errno ? errno : EIO;
    png_destroy_write_struct(&png, &info);
    const int closed = base_close(file);
    why = why ? why : closed;
    return why == 0 ? APP_DONE
                    : app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(why));
}
