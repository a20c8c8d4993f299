/** @file picture.h  Slices of a field as one picture: panels with axes, and a bar that says what
 *  the colours mean. */
#ifndef PSG_APP_PICTURE_H
#define PSG_APP_PICTURE_H

#include <stddef.h>
#include <stdint.h>

typedef struct app_picture {
    size_t width, height;
    uint8_t *pixel; /**< [height][width] numbers of colours, the uppermost row first */
} app_picture;

enum { APP_SLICES = 3 };

/** Point j of an axis is at first + j step, in the middle of its rectangle. */
typedef struct app_picture_axis {
    char name;
    size_t n;
    double first, step;
} app_picture_axis;

typedef struct app_slice {
    const app_picture_axis *across, *up;
    double *value; /**< [up->n][across->n] */
    char title[32];
} app_slice;

/** The axes of a panel are to scale, as far as there is room for words. Where a pixel has several
 *  points, it has the colour of the largest |value|. What is not finite is black.
 *  @param[in]  low, high  what blue and red mean; low > high: nothing is finite
 *  @param[out] picture    free() its pixels, after a failure too
 *  @return APP_DONE; APP_FAILED after a message */
int app_picture_draw(const app_slice slices[APP_SLICES], double low, double high,
                     app_picture *picture);

/** Write a picture as a PNG file. @param[in] path  the file to write; `shown` is its name in
 *  messages  @return APP_DONE; APP_FAILED after a message */
int app_png_write(const app_picture *picture, const char *path, const char *shown);

#endif
