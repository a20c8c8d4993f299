/** @file simulating.h  What the command does differently where the library simulates: it chooses a
 *  machine, runs within its simulation, and has no data. */
#ifndef PSG_APP_SIMULATING_H
#define PSG_APP_SIMULATING_H

#include <stddef.h>
#include <stdint.h>

/** Call a command, and within the simulation if there is one: of the machine that --machine
 *  among its arguments names, or else PSG_MACHINE in the environment.
 *  @return what it returned; APP_USAGE after a message */
int app_simulation_run(int (*command)(int argc, char **argv), int argc, char **argv);

/** Choose the machine of this process, unless it has one, and of those that it starts later.
 *  @param[in] machine  NULL: as the environment says
 *  @param[in] option   another one that was given and means something in a simulation only; NULL
 *  @return APP_DONE; APP_USAGE after a message: there is none, or this is no simulation and
 *          there is one, or such an option */
int app_simulation_choose(const char *machine, const char *option);

/** The name of the machine that is simulated, static; NULL: this is no simulation. */
const char *app_simulation_machine(void);

/** A number that is another one when the text of the machine's file is; 0: this is no
 *  simulation, or the machine is one that comes with the library. */
uint64_t app_simulation_digest(void);

/** Room for a field; in a simulation, which looks at none, addresses alone.
 *  @return NULL when out of memory; app_simulation_free() it with the same size */
void *app_simulation_allocate(size_t bytes);
void app_simulation_free(void *memory, size_t bytes);

#endif
