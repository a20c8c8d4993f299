/** @file sides.h  Right answers along one axis with any sides, written without a line of the library. In 3-D a mode is
 *  the product of three, and its eigenvalue their sum. */
#ifndef PSG_TESTS_SIDES_H
#define PSG_TESTS_SIDES_H

#include <stddef.h>

typedef struct oracle_line {
    size_t n;
    double length;
    char side[2]; /**< lower and upper: 'P', 'D', 'N' */
    int nodes;    /**< points on nodes, else in cells; of periodic sides of no meaning */
} oracle_line;

typedef enum oracle_stencil {
    ORACLE_LINE_SPECTRAL,
    ORACLE_LINE_FD2,
    ORACLE_LINE_FD4,
    ORACLE_LINE_FD6,
    ORACLE_LINE_FD8
} oracle_stencil;

/** Point j is at the lower side and so many lengths of the axis above it. */
long double oracle_line_place(const oracle_line *line, size_t j);
/** The distance of two points. */
long double oracle_line_step(const oracle_line *line);
/** Mode m, of as many as there are points, at point j. Of periodic sides the cosines come first. */
double oracle_line_mode(const oracle_line *line, size_t m, size_t j);
/** What the second derivative of the mode is, over the mode. Not positive. */
long double oracle_line_eigenvalue(const oracle_line *line, oracle_stencil stencil, size_t m);
/** The second derivative by a stencil of u at point j, whose values are `stride` apart; beyond a side u is its mirror
 *  image, with the other sign beyond a Dirichlet side. */
long double oracle_line_second(const oracle_line *line, oracle_stencil stencil, const double *u,
                               size_t stride, size_t j);
/** The weight of point j in a sum that stands for an integral. */
double oracle_line_weight(const oracle_line *line, size_t j);

#endif
