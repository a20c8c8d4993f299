#include "runtime/stream_order.h"

const psg_stream_order_table *const psg_stream_orders =
    PSG_WITH_CUDA ? &psg_cuda_stream_orders : NULL;
