/** @file tuning.h  The numbers that were measured or chosen for speed: none of them changes an
 * answer.
 *
 * Each has its unit, what it decides, and when and where it was measured. "Not recorded" means that
 * the number was chosen with the code of that day, and no measurement was kept. Whoever changes a
 * number writes the new machine and date, and brings the table in docs/records.md up to date.
 */
#ifndef PSG_BASE_TUNING_H
#define PSG_BASE_TUNING_H

/* ------------------------------------------------------------ the cut into segments and sheets */

/** Tasks of one phase for each core, where f is large enough. With two, a late core does not hold
 *  up the others for long. Not recorded (2026-11-20). */
#define TUNING_CPU_TASKS 2
/** Bytes of f in a core's task at the least: below, a task costs too much beside its work. Not
 *  recorded (2026-11-20). */
#define TUNING_CPU_TASK_BYTES ((size_t)512 << 10)
/** The same for cores that find all data in one memory, where a task costs 1 to 2 us of a core
 *  (docs/scheduling.md); and bytes of f in such a task at the least, as long as a core would have
 *  none. Chosen (2026-11-27). */
#define TUNING_CORE_TASKS 4
#define TUNING_CORE_TASK_BYTES ((size_t)128 << 10)
/** Tasks of one phase for each GPU: enough to copy one while another computes. Not recorded
 * (2026-11-20). */
#define TUNING_GPU_TASKS 2
/** Segments for each GPU where the policy places their tasks, beside one sheet: enough for a GPU
 *  that is slower, or busy, to have fewer of them. Chosen (2026-11-27). */
#define TUNING_PLACED_SEGMENTS 8
/** Bytes of f in a GPU's task at the least: a smaller one leaves the GPU half empty. Not recorded
 *  (2026-11-20). */
#define TUNING_GPU_TASK_BYTES ((size_t)32 << 20)
/** Bytes of f up to which one GPU has one task of a phase. With one instead of two a solve of data
 *  that stay there takes, in ms on an H100: 216^3 in f64 0.297 instead of 0.332, 256^3 0.415 and
 *  0.459, 384^3 1.41 and 1.45, 512^3 3.15 and 3.18; in f32 256^3 0.255 and 0.286, 512^3 1.57 and
 *  1.62. From and to main memory, where a copy goes beside the other task, 256^3 in f64 5.48 and
 *  5.38, 320^3 10.5 and 10.3 (2026-11-24). */
#define TUNING_GPU_UNCUT_BYTES ((size_t)512 << 20)
/** Parts of f or of the spectrum for which a GPU needs room at the same time, if no data stay on
 *  the GPU. Two tasks run while the data of a third arrive, each with its part in two arrays. The
 *  worker also has the spectrum of a segment or a sheet, and the work area of cuFFT, which is twice
 *  as large for long primes. Counted, not measured. Where the spectrum stays on the GPU, a task
 *  needs fewer, and segments are smaller than they have to be. */
#define TUNING_GPU_PARTS_AT_ONCE 9
/** Bytes of such a part at the least, unless there is no room otherwise: 512^3 in 256 segments, of
 *  4 MB, takes 10.7 ms in place of 2.65 (H200, 2026-11-24, tests/simulate/h200.c). */
#define TUNING_GPU_PART_BYTES ((size_t)16 << 20)

/** Bytes of a message between processes at the least: a smaller one costs more for itself than for
 *  its bytes. Not recorded (2026-11-20). */
#define TUNING_MESSAGE_BYTES ((size_t)256 << 10)
/** Between nodes a message takes longer than the cores' work on its bytes, and an early first
 *  message shortens the rest. So there are up to FINER_FAR times as many segments, as long as each
 *  has FAR_BYTES bytes for another process. Two hosts of one core each with 1 Gbit/s between them,
 *  ms, without and with: 192^3 278 and 260, 256^3 638 and 609 (2026-11-21). */
#define TUNING_FINER_FAR 4
#define TUNING_FAR_BYTES ((size_t)1 << 20)
/** Bytes of a message between GPUs of processes that share no memory. Pieces are copied to and from
 *  main memory while others travel. 512^3 on 2 processes with an H200 each, ms: 161 with pieces of
 *  17 MB, 165 with 4 MB, 162 to 165 with 1 MB; runs differ by 10. Before the thread for messages
 *  stayed awake, 195 to 224 with 67 MB (2026-11-23). */
#define TUNING_PIECE_BYTES 4e6
/** The same where NCCL carries them, a piece by a kernel, from GPU to GPU. Chosen, not measured
 *  (2026-11-28). */
#define TUNING_NCCL_PIECE_BYTES 3.2e7
/** Seconds that processes without a time limit wait for each other to join NCCL's communicator.
 *  Chosen, not measured (2026-11-28). */
#define TUNING_NCCL_JOIN_SECONDS 120

/** Segments, and sheets, where a team shares the steps, which are no tasks of StarPU's and cost
 *  little: TEAM_PARTS for each member, or TEAM_PARTS_MANY in all if that is more, of
 *  TEAM_PART_BYTES bytes of f at the least. The finest cut is taken that is still balanced: its
 *  busiest member has at most 1/TEAM_UNEVEN more work than in the best cut. Not recorded
 *  (2026-11-22). */
#define TUNING_TEAM_PARTS 4
#define TUNING_TEAM_PARTS_MANY 32
#define TUNING_TEAM_PART_BYTES ((size_t)64 << 10)
#define TUNING_TEAM_UNEVEN 20

/* --------------------------------------------------------------------- several right-hand sides */

/** Bytes of the spectra that a GPU works on at once. More is faster, as far as was tried: 32
 *  right-hand sides of 128^3 in f64 (545 MB) take 0.041 ms each in one piece, 0.044 in pieces of 4,
 *  0.054 one by one; of 64^3 0.0063, 0.0081 and 0.043 (H200, 2026-11-24). */
#define TUNING_BATCH_BYTES ((size_t)576 << 20)
/** Bytes of f of a piece that is copied to a GPU, so that it comes while another is solved. Chosen,
 *  not measured (2026-11-24). */
#define TUNING_BATCH_COPIED_BYTES ((size_t)4 << 20)
/** Bytes of the spectra of all cores, one each, up to which a core solves a right-hand side alone:
 *  more would not stay in the caches. Two cores of a shared EPYC, ratios of psg_solve() to
 *  psg_solve_many(): 16^3 1.9, 64^3 1.3, 128^3 with 35 MB 1.4, 160^3 with 67 MB 1.0, 256^3 1.0
 *  (2026-11-24). */
#define TUNING_WHOLE_BYTES ((size_t)64 << 20)

/* ------------------------------------------------------------------------------------ placement */

/** Shares of the spectrum whose rows `kspace` writes to the GPUs of their segments, as long as its
 *  own reads and writes take, so that the links do not rest meanwhile. RELAY: the rows came by
 *  forward_xy. RELAY_FETCHED: kspace reads them from there, too. 1024^3 in f64, ms, with RELAY and
 *  with RELAY_FETCHED: on 4 H200s 9.7 and 10.2, on 2 H200s 13.3 and 12.8 (2026-11-21). On two GPUs
 *  the rows that are left to inverse_xy come faster than it transforms, and forward_xy has more to
 *  write, so RELAY_FETCHED is taken there. */
#define TUNING_OVERLAP_SHARE 0.39
#define TUNING_OVERLAP_PULLED_SHARE 0.12
/** Rows of a sheet are returned in multiples of this: other numbers take longer. The times are not
 *  recorded (2026-11-20). */
#define TUNING_OVERLAP_STEP 8

/* ------------------------------------------------------------------------------- teams of cores */

/** Bytes of f of a member at the least: below, a member costs more than it does. 32^3 on 16 cores
 *  of a Xeon, ms: 0.25 by one member, 0.06 by 16 (2026-11-22). */
#define TUNING_MEMBER_BYTES ((size_t)16 << 10)
/** Bytes of f up to which one member works alone. 16^3 in f64, ms: on two cores of an EPYC 0.042 to
 *  0.063 by two members and 0.017 by one, on a Xeon 0.036 and 0.028. 24^3 there takes 0.079 by six
 *  and 0.112 by three (2026-11-24). */
#define TUNING_TEAM_BYTES ((size_t)48 << 10)
/** Seconds for which a member, or StarPU's workers, stay for the next solve of a loop. On 16 cores
 *  of a Xeon the last worker is back from starpu_pause() after more than 1 ms; 64^3 takes 0.26 ms
 *  by a team with this and 1.6 ms without (2026-11-22). */
#define TUNING_MEMBER_LINGERS 200e-6
/** Seconds between two looks of a worker without a seat, whether the team has gone. Not recorded
 *  (2026-11-22). */
#define TUNING_MEMBER_NAP 5e-3
/** Looks of a thread for what it waits for, some 0.1 ms, before it offers its core to others. Not
 *  recorded (2026-11-22). */
#define TUNING_TEAM_LOOKS 4000

/* -------------------------------------------------------------------------------------- waiting */

/** Seconds before the end of a replayed task from which on its core looks at the clock: a sleep
 * ends some 60 us late. Chosen (2026-11-27). */
#define TUNING_REPLAY_AWAKE_SECONDS 100e-6
/** Looks of the messenger thread at MPI without anything new before it sleeps, and seconds of that
 *  sleep. Not recorded (2026-11-20). */
#define TUNING_MESSENGER_LOOKS 20
#define TUNING_MESSENGER_NAP 20e-6
/** Seconds that a thread polls for the end of a run on GPUs with a time limit, before it sleeps
 *  until it is woken. Not measured (2026-11-22). */
#define TUNING_POLL_SECONDS 0.1
/** Looks at MPI of a process that waits for others with a time limit, before it sleeps between two
 *  looks, and nanoseconds of that sleep. Not recorded (2026-11-22). */
#define TUNING_AGREE_LOOKS 200
#define TUNING_AGREE_NAP_NANOSECONDS 20000
/** Looks of a thread for the launch of its solve, each with an offer of its core to others, before
 *  it sleeps between two looks, and nanoseconds of that sleep. Chosen, not measured
 *  (2026-11-23). */
#define TUNING_LAUNCH_LOOKS 1000
#define TUNING_LAUNCH_NAP_NANOSECONDS 20000
/** Pairs of f and u whose StarPU handles, gathered tasks and CUDA graphs a plan keeps between
 *  solves. In a round of five pairs 64^3 took 0.055 ms when 4 were kept, and 0.049 with 8, in two
 *  runs on two H200s (2026-11-24). */
#define TUNING_ARRAYS_KEPT 8
/** Solves with the same f and epsilon after which psg_data_settle() is called for these. StarPU may
 * keep 32 KB for each of their pieces by then. */
#define TUNING_SOLVES_SETTLED 1024
/** Steps of conjugate gradients that are submitted ahead of the residuals that are looked at.
 * Chosen, not measured (2026-11-23). */
#define TUNING_PCG_AHEAD 2
/** Solves with the same data before a chain becomes a CUDA graph. Not recorded (2026-11-21). */
#define TUNING_REPLAY_AFTER 2
/** Solves by such a graph, one of which times each step on the GPU: a graph that does takes 3.5 us
 *  longer to launch, of 36 us that 64^3 takes (H100, 2026-11-24). The number is chosen. */
#define TUNING_MARKED_EVERY 16

/* ----------------------------------------------------------------------------- what a core does */

/** Bytes of a tile of columns at the most, which stays in the second-level cache through transform,
 *  division and inverse; and columns of a tile at the least. Not recorded (2026-11-20). */
#define TUNING_CPU_TILE_BYTES ((size_t)256 << 10)
#define TUNING_CPU_TILE_COLUMNS_MIN 4
/** Complex transforms by `cpu/dense.c`: from this prime factor on, of at most so many points for
 *  each byte of a vector, and that factor over so many for each byte. From a larger prime factor on
 *  the longer ones are sums (`cpu/prime.c`). Those by a chirp take longer than `cpu/dense.c` up to
 *  more points. Else FFTW is faster. A core of a Xeon with AVX-512, and by AVX2, f64, FFTW 3.3.10:
 *  lengths from 17 to 509 (2026-11-28). f32 gains more. */
#define TUNING_CPU_DENSE_FROM 17
#define TUNING_CPU_DENSE_MOST 3
#define TUNING_CPU_DENSE_SHARE 10
#define TUNING_CPU_DENSE_CHIRP 7
#define TUNING_CPU_SUMS_FROM 71
/** Bytes of a transposition's output from which it goes past the caches: it would not stay in a
 *  core's own. A line that is written as a whole need not be read before, and puts out no other
 *  line. A gain for solves with blocks of this size whose input and output do not fit the last
 *  cache; the times are not recorded (2026-11-20). */
#define TUNING_CPU_STREAM_BYTES ((size_t)4 << 20)

/** Columns of a tile of the workload qr, and reflectors that are applied together: a part of the
 *  tile's columns, and INNER of them at the least. OpenBLAS 0.3.21 on one core of an EPYC, Gflop/s
 *  of geqrt, unmqr, tsqrt and tsmqr: tiles of 192 with 32 at once 23, 35, 27 and 40, of 256 with 32
 *  22, 22, 30 and 41, of 512 with 64 25, 23, 32 and 44, with 32 24, 22, 35 and 42 (2026-11-23). */
#define TUNING_QR_TILE 192
#define TUNING_QR_INNER 32
#define TUNING_QR_INNER_PART 8

/** Nonzeros of a block of the workload cg at the least; there is a block for each worker. With 2^18
 *  a product takes a core 0.25 ms, and each task costs 4 microseconds besides. ms of classes S, W
 *  and A on two cores of an EPYC in 1, 2 and 8 blocks: 30, 27 and 87; 140, 81 and 136; 625, 291 and
 *  350 (2026-11-23). */
#define TUNING_CG_NONZEROS ((size_t)1 << 18)

/** Tiles of the workload jacobi for each core at the least: more are smaller, and cost more, and
 *  fewer leave cores idle at the end of a sweep. jacobi:4000 on two cores of an EPYC, ms in tiles
 *  of 500, 1000, 1333 and 2000 points: f64 446, 440, 454 and 433, f32 222, 212, 189 and 254
 *  (2026-11-24). */
#define TUNING_JACOBI_TILES 4

/** Rows and columns of a tile of the workload transpose, on cores and on GPUs. On a core larger
 *  ones leave the second-level cache when two change places. Nanoseconds of an element in tiles of
 *  64, 128, 256, 512 and 1024, f64, a core of an EPYC that others kept busy: into another array
 *  3.0, 3.5, 3.0, 2.6 and 2.0, in place 2.2, 1.2, 1.8, 2.6 and 3.0 (2026-11-24). On GPUs chosen,
 *  not measured. */
#define TUNING_TRANSPOSE_TILE 256
#define TUNING_TRANSPOSE_TILE_GPU 2048
/** The same of an array of three axes: numbers along each. Chosen, not measured. */
#define TUNING_TRANSPOSE_CUBE 64
#define TUNING_TRANSPOSE_CUBE_GPU 160

/** Numbers of a tile of the workload vadd, on cores and on GPUs. Chosen, not measured
 * (2026-11-24). */
#define TUNING_VADD_TILE ((size_t)1 << 18)
#define TUNING_VADD_TILE_GPU ((size_t)1 << 24)

/** Bytes that StarPU and the history keep of a task, and StarPU of a piece of data, rounded up.
 *  295,000 tasks more of the workload qr took 1,000 bytes each, 100,000 handles 7,000 each
 *  (2026-11-23). */
#define TUNING_TASK_BYTES 1500.0
#define TUNING_HANDLE_BYTES 8000.0
/** Bytes of main memory that have to be left beside what is counted, for what the host's and
 *  StarPU's threads take in small pieces. Not recorded (2026-11-26). */
#define TUNING_ROOM_BYTES 3.2e7

/* ------------------------------------------------------------------------------------ messages */

/** Cores of a process from which on the thread for messages has a core of its own; with fewer it
 *  takes its turns beside a worker. Not recorded (2026-11-20). */
#define TUNING_CORES_TO_SPARE_ONE 8

/* ---------------------------------------------------------------------------------- laboratory */

/** Seconds of solves over which their energy is taken: GPUs count it some ten times a second. Not
 *  recorded (2026-11-28). */
#define TUNING_ENERGY_SECONDS 2.0

#endif
