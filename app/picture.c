#include "app/picture.h"
#include "app/app.h"
#include "app/output.h"
#include "base/file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { COLOURS = 253, PAPER = 254, INK = 255 };

/* In pixels. */
static const size_t WIDE = 8; /* of a letter, with the gap behind it */
static const size_t HIGH = 11;
static const size_t TICK = 4;
static const size_t GAP = 6;
static const size_t BAR = 16;
static const size_t NARROWEST = 96; /* of a panel */
static const size_t LEAST = 256;    /* of the longest side of all panels */
static const size_t MOST = 768;

/* ------------------------------------------------------------------------------------ the words */

/* The letters of numbers and axes. A row is a byte, its highest bit on the left. */
static const struct {
    char letter;
    uint8_t row[11];
} font[] = {
    {'0', {0x38, 0x44, 0x82, 0x82, 0x82, 0x82, 0x82, 0x44, 0x38, 0x00, 0x00}},
    {'1', {0x10, 0x30, 0x50, 0x10, 0x10, 0x10, 0x10, 0x10, 0x7c, 0x00, 0x00}},
    {'2', {0x3c, 0x42, 0x02, 0x02, 0x04, 0x18, 0x20, 0x40, 0x7e, 0x00, 0x00}},
    {'3', {0x78, 0x84, 0x04, 0x04, 0x38, 0x04, 0x04, 0x84, 0x78, 0x00, 0x00}},
    {'4', {0x04, 0x0c, 0x14, 0x24, 0x44, 0x84, 0xfe, 0x04, 0x04, 0x00, 0x00}},
    {'5', {0x7c, 0x40, 0x40, 0x78, 0x04, 0x02, 0x02, 0x44, 0x38, 0x00, 0x00}},
    {'6', {0x1c, 0x20, 0x40, 0x5c, 0x62, 0x42, 0x42, 0x42, 0x3c, 0x00, 0x00}},
    {'7', {0x7e, 0x02, 0x04, 0x04, 0x08, 0x08, 0x10, 0x10, 0x20, 0x00, 0x00}},
    {'8', {0x38, 0x44, 0x44, 0x44, 0x38, 0x44, 0x44, 0x44, 0x38, 0x00, 0x00}},
    {'9', {0x78, 0x84, 0x84, 0x84, 0x8c, 0x74, 0x04, 0x08, 0x70, 0x00, 0x00}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x18, 0x00, 0x00}},
    {'-', {0x00, 0x00, 0x00, 0x00, 0x7c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {'+', {0x00, 0x00, 0x10, 0x10, 0x7c, 0x10, 0x10, 0x00, 0x00, 0x00, 0x00}},
    {'=', {0x00, 0x00, 0x00, 0x7c, 0x00, 0x7c, 0x00, 0x00, 0x00, 0x00, 0x00}},
    {'e', {0x00, 0x00, 0x00, 0x38, 0x44, 0x7c, 0x40, 0x44, 0x38, 0x00, 0x00}},
    {'x', {0x00, 0x00, 0x00, 0x44, 0x28, 0x10, 0x10, 0x28, 0x44, 0x00, 0x00}},
    {'y', {0x00, 0x00, 0x00, 0x44, 0x44, 0x28, 0x28, 0x10, 0x10, 0x20, 0x40}},
    {'z', {0x00, 0x00, 0x00, 0x7c, 0x04, 0x08, 0x10, 0x20, 0x7c, 0x00, 0x00}},
};

static void fill(app_picture *picture, size_t left, size_t top, size_t width, size_t height,
                 uint8_t colour) {
    for (size_t y = top; y < top + height; y++) {
        memset(picture->pixel + y * picture->width + left, colour, width);
    }
}

static void write_letter(app_picture *picture, size_t left, size_t top, char letter) {
    for (size_t f = 0; f < sizeof font / sizeof *font; f++) {
        for (size_t y = 0; y < HIGH && font[f].letter == letter; y++) {
            for (size_t x = 0; x < WIDE; x++) {
                if (font[f].row[y] >> (WIDE - 1 - x) & 1) {
                    fill(picture, left + x, top + y, 1, 1, INK);
                }
            }
        }
    }
}

static void write_text(app_picture *picture, size_t left, size_t top, const char *text) {
    for (; *text != '\0'; text++, left += WIDE) {
        write_letter(picture, left, top, *text);
    }
}

/* ------------------------------------------------------------------------------------ the axes */

/* Numbers along an axis: tick t is (first + t) step. */
typedef struct scale {
    double low, high, first, step;
    size_t pixels, ticks;
    int digits;
} scale;

enum { LABEL = 32 };

/* With so many numbers at most, and nearly as many; none where numbers cannot tell low from
 * high. */
static scale scale_of(double low, double high, size_t pixels, size_t numbers) {
    scale s = {.low = low, .high = high, .pixels = pixels, .ticks = 0};
    const double most = (double)numbers;
    const double least = high / most - low / most;
    const double power = pow(10, floor(log10(least)));
    if (!(power >= DBL_MIN) || !isfinite(least)) {
        return s;
    }
    s.step = power * (least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
    s.first = ceil(low / s.step);
    s.ticks = (size_t)fmin(floor(high / s.step) - s.first + 1, most + 1);
    const double largest = fmax(fabs(low), fabs(high));
    s.digits = (int)fmin(15, fmax(5, floor(log10(largest)) - floor(log10(s.step)) + 1));
    return s;
}

/* The number of a tick, and where it is. */
static size_t tick(const scale *s, size_t t, char label[LABEL]) {
    const double value = (s->first + (double)t) * s->step;
    (void)snprintf(label, LABEL, "%.*g", s->digits, value);
    const double place = (value / 2 - s->low / 2) / (s->high / 2 - s->low / 2);
    return (size_t)(fmin(1, fmax(0, place)) * (double)(s->pixels - 1));
}

static size_t widest(const scale *s) {
    char label[LABEL];
    size_t most = 1;
    for (size_t t = 0; t < s->ticks; t++) {
        (void)tick(s, t, label);
        most = strlen(label) > most ? strlen(label) : most;
    }
    return most * WIDE;
}

/* Numbers on the left of x, or on its right. */
static void draw_up(app_picture *picture, const scale *s, size_t x, size_t top, bool right) {
    char label[LABEL];
    for (size_t t = 0; t < s->ticks; t++) {
        const size_t y = top + s->pixels - 1 - tick(s, t, label);
        const size_t width = strlen(label) * WIDE;
        fill(picture, right ? x : x - TICK, y, TICK, 1, INK);
        write_text(picture, right ? x + TICK + GAP : x - TICK - GAP - width, y - HIGH / 2 + 1,
                   label);
    }
}

/* Numbers below y. One at the end of the axis stays near it, because the next panel's begin
 * there. */
static void draw_across(app_picture *picture, const scale *s, size_t left, size_t y) {
    char label[LABEL];
    for (size_t t = 0; t < s->ticks; t++) {
        const size_t x = left + tick(s, t, label), width = strlen(label) * WIDE;
        const size_t last = left + s->pixels + 2 * GAP - width;
        const size_t from = x - width / 2 < last ? x - width / 2 : last;
        fill(picture, x, y, 1, TICK, INK);
        write_text(picture, from, y + TICK + GAP / 2, label);
    }
}

/* ----------------------------------------------------------------------------------- the panels */

typedef struct panel {
    size_t left, top;
    scale across, up;
} panel;

static uint8_t colour_of(double value, double low, double high) {
    if (!isfinite(value)) {
        return INK;
    }
    /* halves, because the range of f64 is larger than the difference of two numbers may be */
    const double half = high / 2 - low / 2;
    const double place = half > 0 ? (value / 2 - low / 2) / half : 0.5;
    return (uint8_t)lround(place * (COLOURS - 1));
}

/* The points of a pixel, first to end - 1; at least one. */
typedef struct points {
    size_t first, end;
} points;

static points points_of(size_t pixel, const scale *s, const app_picture_axis *axis) {
    const size_t first = pixel * axis->n / s->pixels, end = (pixel + 1) * axis->n / s->pixels;
    return (points){first, end > first ? end : first + 1};
}

static double value_of(const app_slice *s, points across, points up) {
    double found = 0;
    for (size_t j = up.first; j < up.end; j++) {
        for (size_t i = across.first; i < across.end; i++) {
            const double value = s->value[j * s->across->n + i];
            if (!isfinite(value)) {
                return value;
            }
            found = fabs(value) > fabs(found) ? value : found;
        }
    }
    return found;
}

static void draw_panel(app_picture *picture, const app_slice *s, const panel *p, double low,
                       double high) {
    const size_t width = p->across.pixels, height = p->up.pixels, bottom = p->top + height;
    fill(picture, p->left - 1, p->top - 1, width + 2, height + 2, INK);
    for (size_t y = 0; y < height; y++) {
        const points up = points_of(y, &p->up, s->up);
        for (size_t x = 0; x < width; x++) {
            const double value = value_of(s, points_of(x, &p->across, s->across), up);
            picture->pixel[(bottom - 1 - y) * picture->width + p->left + x] =
                colour_of(value, low, high);
        }
    }
    write_text(picture, p->left, p->top - 1 - GAP - HIGH, s->title);
    draw_across(picture, &p->across, p->left, bottom + 1);
    write_letter(picture, p->left + width / 2 - WIDE / 2, bottom + TICK + GAP + HIGH + GAP / 2,
                 s->across->name);
    draw_up(picture, &p->up, p->left - 1, p->top, false);
    write_letter(picture, p->left - TICK - 3 * GAP - WIDE - widest(&p->up),
                 p->top + height / 2 - HIGH / 2, s->up->name);
}

static void draw_bar(app_picture *picture, const scale *s, size_t left, size_t top) {
    fill(picture, left - 1, top - 1, BAR + 2, s->pixels + 2, INK);
    for (size_t y = 0; y < s->pixels; y++) {
        const size_t colour = (s->pixels - 1 - y) * (COLOURS - 1) / (s->pixels - 1);
        fill(picture, left, top + y, BAR, 1, (uint8_t)colour);
    }
    draw_up(picture, s, left + BAR + 1, top, true);
}

static double length_of(const app_picture_axis *axis) {
    return (double)axis->n * axis->step;
}

/* The longest axis has a whole number of pixels for each of its points, if these are few. */
static size_t pixels_along(const app_picture_axis *axis, const app_picture_axis *longest) {
    const double most =
        fmin((double)MOST, (double)((LEAST + longest->n - 1) / longest->n * longest->n));
    return (size_t)fmax((double)NARROWEST, round(length_of(axis) / length_of(longest) * most));
}

static scale scale_along(const app_picture_axis *axis, size_t pixels, size_t numbers) {
    const double low = axis->first - axis->step / 2;
    return scale_of(low, low + length_of(axis), pixels, numbers);
}

/* At least so many that two are there, whatever the axis begins with. */
static size_t numbers_up(size_t pixels) {
    return pixels / (3 * HIGH) > 5 ? pixels / (3 * HIGH) : 5;
}

/* With as many numbers as there is room for, and two at least. */
static scale scale_across(const app_picture_axis *axis, size_t pixels) {
    scale s = {.ticks = 0};
    for (size_t numbers = pixels / (4 * WIDE); numbers > 0; numbers--) {
        const scale fewer = scale_along(axis, pixels, numbers);
        if (s.ticks > 0 && fewer.ticks < 2) {
            break;
        }
        s = fewer;
        if (s.step / length_of(axis) * (double)pixels >= (double)(widest(&s) + WIDE)) {
            break;
        }
    }
    return s;
}

static const app_picture_axis *find_longest(const app_slice slices[APP_SLICES]) {
    const app_picture_axis *longest = slices[0].across;
    for (int s = 0; s < APP_SLICES; s++) {
        longest = length_of(slices[s].up) > length_of(longest) ? slices[s].up : longest;
    }
    return longest;
}

int app_picture_draw(const app_slice slices[APP_SLICES], double low, double high,
                     app_picture *picture) {
    panel panels[APP_SLICES];
    size_t left = 2 * GAP, height = 0;
    const app_picture_axis *longest = find_longest(slices);
    for (int s = 0; s < APP_SLICES; s++) {
        panel *p = &panels[s];
        p->across = scale_across(slices[s].across, pixels_along(slices[s].across, longest));
        const size_t tall = pixels_along(slices[s].up, longest);
        p->up = scale_along(slices[s].up, tall, numbers_up(tall));
        p->left = left + WIDE + 3 * GAP + TICK + widest(&p->up);
        left = p->left + p->across.pixels + 2 * GAP;
        height = p->up.pixels > height ? p->up.pixels : height;
    }
    const size_t top = 3 * GAP + HIGH, bar = left + 2 * GAP;
    const bool any = low <= high;
    const scale colours = scale_of(low, high, height, numbers_up(height));
    picture->width = any ? bar + BAR + TICK + 3 * GAP + widest(&colours) : left;
    picture->height = top + height + TICK + 3 * GAP + 2 * HIGH;
    picture->pixel = app_allocate(picture->width, picture->height, "the picture");
    if (picture->pixel == NULL) {
        return APP_FAILED;
    }
    fill(picture, 0, 0, picture->width, picture->height, PAPER);
    for (int s = 0; s < APP_SLICES; s++) {
        panels[s].top = top + height - panels[s].up.pixels;
        draw_panel(picture, &slices[s], &panels[s], low, high);
    }
    if (any) {
        draw_bar(picture, &colours, bar, top);
    }
    return APP_DONE;
}

/* ------------------------------------------------------------------------------------ the file */

/* From blue over white to red; PAPER is white, and INK black. */
static void choose_colours(png_color colours[256]) {
    static const double blue[3] = {33, 75, 170}, red[3] = {178, 24, 43};
    memset(colours, 0, 256 * sizeof *colours);
    colours[PAPER] = (png_color){255, 255, 255};
    for (int c = 0; c < COLOURS; c++) {
        const double place = 2. * c / (COLOURS - 1) - 1;
        const double *end = place < 0 ? blue : red;
        uint8_t part[3];
        for (int p = 0; p < 3; p++) {
            part[p] = (uint8_t)lround(255 + (end[p] - 255) * fabs(place));
        }
        colours[c] = (png_color){part[0], part[1], part[2]};
    }
}

/* libpng has words of its own on its way out of an error; the reason is errno's. */
static void fail(png_structp png, png_const_charp words) {
    (void)words;
    png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp words) {
    (void)png;
    (void)words;
}

/* libpng leaves by longjmp(): nothing here is changed after setjmp(). @return false: errno says
 * why */
static bool write_chunks(png_structp png, png_infop info, FILE *file, const app_picture *picture) {
    png_text about = {
        .compression = PNG_TEXT_COMPRESSION_NONE, .key = "psg", .text = "slices of a field"};
    png_color colours[256];
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    choose_colours(colours);
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
