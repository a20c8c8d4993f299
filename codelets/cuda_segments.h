/** @file cuda_segments.h  Transforms of segments on a GPU. */
#ifndef PSG_CODELETS_CUDA_SEGMENTS_H
#define PSG_CODELETS_CUDA_SEGMENTS_H

#include "kernels/fft.h"
#include "runtime/args.h"

/** Transform the segment of a task: f or u, then its spectrum or its blocks, then the components
 *  that it makes besides u. On the way there, after what is on the streams of the solve, and with
 *  what the values on the sides add to f.
 *  @return as the next ones: 0; a code for psg_gpu_check() */
int psg_cuda_transform_segment(const psg_task_args *args, psg_cuda_direction direction,
                               void *buffers[]);

/** Differentiate the blocks of u, or of u along z, and transform them back: a component, then the
 * blocks of its segment. */
int psg_cuda_transform_component(const psg_task_args *args, void *buffers[]);

#endif
