"""Solves between processes with a GPU each, beside NCCL's own send and receive, in turns.

    mpirun -n 2 python3 lab/peers/beside_nccl.py [--repeat 15] [--exchange nccl,mpi,auto] N ...

Periodic grids of N x N x N points in f64, with f and u on the GPUs. NCCL, called by PyTorch, sends
as many bytes to each other process, and gets as many, as a solve does: there, and back. A line for
each exchange: ms, the bytes that psg's messages carry, and the time over that of NCCL alone.
"""

import argparse
import os
import statistics
import time

os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK", "0")

import torch  # noqa: E402 - each process has one GPU
import torch.distributed as nccl  # noqa: E402
from mpi4py import MPI  # noqa: E402

import psg  # noqa: E402

WORLD = MPI.COMM_WORLD


def swap(numbers):
    """Every process sends numbers to every other one, there and back."""
    there = torch.ones(numbers, dtype=torch.float64, device="cuda")
    others = [r for r in range(WORLD.size) if r != WORLD.rank]
    here = [torch.empty_like(there) for _ in others]

    def call():
        for _ in range(2):
            work = [nccl.P2POp(nccl.isend, there, r) for r in others]
            work += [nccl.P2POp(nccl.irecv, x, r) for x, r in zip(here, others)]
            for one in nccl.batch_isend_irecv(work):
                one.wait()
        torch.cuda.synchronize()

    return call


def seconds(call):
    WORLD.Barrier()
    begin = time.perf_counter()
    call()
    return WORLD.allreduce(time.perf_counter() - begin, MPI.MAX)


def measure(n, exchanges, repeat):
    plans = [psg.Plan((n, n, n), comm=WORLD, gpus=1, cpus=0, exchange=e) for e in exchanges]
    f = torch.randn(plans[0].local_shape, dtype=torch.float64, device="cuda")
    u = torch.empty_like(f)
    torch.cuda.synchronize()
    blocks = 16 * (n // 2 + 1) * (n // WORLD.size) * (n // WORLD.size)
    calls = [swap(blocks // 8)] + [lambda p=p: p.solve(f, out=u) for p in plans]
    for call in calls:
        call()
    found = [[seconds(call) for call in calls] for _ in range(repeat)]
    ms = [1e3 * statistics.median(times) for times in zip(*found)]
    if WORLD.rank == 0:
        print("%d^3, %d processes: NCCL alone %.3f ms, %.1f GB/s each way"
              % (n, WORLD.size, ms[0], 2e-6 * blocks * (WORLD.size - 1) / ms[0]))
        for e, p, took in zip(exchanges, plans, ms[1:]):
            used = p.statistics()
            print("  %-6s %8.3f ms, %s, %.3g bytes sent, %.2f times NCCL alone"
                  % (e, took, used["exchange"], used["link"]["message"]["bytes"], took / ms[0]), flush=True)
    for p in plans:
        p.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--exchange", default="nccl,mpi,auto")
    parser.add_argument("n", type=int, nargs="+")
    given = parser.parse_args()
    if not all(WORLD.allgather(torch.cuda.is_available())):
        raise SystemExit("GPUs are less than processes: each process needs its own")
    nccl.init_process_group("nccl", init_method="tcp://127.0.0.1:29511", rank=WORLD.rank, world_size=WORLD.size)
    for n in given.n:
        measure(n, given.exchange.split(","), given.repeat)
    nccl.destroy_process_group()


if __name__ == "__main__":
    main()
