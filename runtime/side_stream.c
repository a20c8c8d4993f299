#include "runtime/side_stream.h"

const psg_side_stream_table *const psg_side_streams = PSG_WITH_CUDA ? &psg_cuda_side_streams : NULL;
