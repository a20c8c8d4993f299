/** @file comm_simulated.h  Several nodes of a simulation. */
#ifndef PSG_RUNTIME_COMM_SIMULATED_H
#define PSG_RUNTIME_COMM_SIMULATED_H

/** As psg_simulator_table.nodes. */
struct psg_comm *psg_simulated_nodes(unsigned nodes, double rate);

#endif
