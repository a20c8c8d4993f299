/** @file png.h  Pictures as PNG files, with 256 colours at most. */
#ifndef PSG_APP_PNG_H
#define PSG_APP_PNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct app_picture {
    size_t width, height;
    uint8_t *pixel;         /**< [height][width] numbers of colours, the uppermost row first */
    uint8_t colour[256][3]; /**< red, green, blue */
} app_picture;

/** Write a picture. @param[in] path  the file to write; `shown` is its name in messages
 *  @return APP_DONE; APP_FAILED after a message */
int app_png_write(const app_picture *picture, const char *path, const char *shown);

#endif
