/** @file tasks.h  What a task of StarPU's costs on cores. */
#ifndef PSG_BENCH_PROGRAMS_TASKS_H
#define PSG_BENCH_PROGRAMS_TASKS_H

/** A bench_program.run; `unused` is NULL. */
int bench_tasks(int argc, char **argv, const void *unused);

#endif
