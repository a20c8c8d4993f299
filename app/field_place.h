/** @file field_place.h  Where a field is written, and what the file says about it. */
#ifndef PSG_APP_FIELD_PLACE_H
#define PSG_APP_FIELD_PLACE_H

#include "app/steps.h"

/** Attributes of the field that is written. */
typedef struct app_field_header {
    int axes;          /**< of the field, and of what follows */
    const double *box; /**< lx, ly, lz */
    const char *sides; /**< --bc and --points of axes that are not all periodic; NULL */
    const char *points;
    const double *robin; /**< K of the last axis' Robin sides, lower and upper; NULL */
    const char *symbol;  /**< NULL: a right-hand side, without this and the three that follow */
    double lambda, factor;
    double mean_dropped;
    const double *time; /**< of a step; NULL */
    const char *source; /**< the input's name, or the problem's */
} app_field_header;

/** Where a field is written. */
typedef struct app_field_place {
    const char *path;    /**< an empty temporary file */
    const char *shown;   /**< the file that it replaces, whose other content it takes over */
    const char *dataset; /**< of the field, in HDF5, or the group of its steps; "": /potential */
    const app_field_steps *steps; /**< NULL: one field */
    int force;                    /**< replace a file, or a data set, that psg did not write */
} app_field_place;

#endif
