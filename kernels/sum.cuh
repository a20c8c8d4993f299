// Sums over the threads of a block, always in the same order.
#ifndef PSG_KERNELS_SUM_CUH
#define PSG_KERNELS_SUM_CUH

constexpr int warp_threads = 32;

template <class Number> __device__ Number warp_sum(Number value) {
    for (int other = warp_threads / 2; other > 0; other /= 2)
        value += __shfl_down_sync(~0u, value, other);
    return value;
}

/// Of a block of so many threads, a multiple of 32; thread 0 has it.
template <int threads> __device__ double block_sum(double value) {
    __shared__ double of_warp[threads / warp_threads];
    value = warp_sum(value);
    __syncthreads(); // the sum before this one has been read
    if (threadIdx.x % warp_threads == 0)
        of_warp[threadIdx.x / warp_threads] = value;
    __syncthreads();
    double sum = of_warp[0];
    for (int w = 1; w < threads / warp_threads; w++)
        sum += of_warp[w];
    return sum;
}

#endif
