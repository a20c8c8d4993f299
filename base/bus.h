/** @file bus.h  What StarPU on SimGrid reads of a machine: its workers, memories and links. */
#ifndef PSG_BASE_BUS_H
#define PSG_BASE_BUS_H

#include <stdio.h>

/** A link one way. */
typedef struct base_link {
    double rate; /**< bytes per second; 0: there is none */
    double seconds;
} base_link;

/** The links of each GPU, and that of main memory, which all share. */
enum { BASE_TO_GPU, BASE_FROM_GPU, BASE_BETWEEN_GPUS, BASE_MEMORY, BASE_LINKS };

typedef struct base_bus {
    const char *name; /**< of the GPUs */
    unsigned cpus, gpus;
    double memory; /**< bytes of each GPU */
    base_link link[BASE_LINKS];
} base_bus;

/** The files: what StarPU calls each of them behind a host's name, and what writes it. StarPU
 * knows by the last one, which is empty, that it has seen the machine. */
enum { BASE_BUS_FILES = 4 };
typedef struct base_bus_file {
    const char *ending;
    void (*write)(const base_bus *bus, FILE *file);
} base_bus_file;
extern const base_bus_file base_bus_files[BASE_BUS_FILES];

#endif
