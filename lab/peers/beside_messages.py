"""Solves between processes, beside a library's own send and receive of as many bytes, in turns.

    mpirun -n 2 python3 lab/peers/beside_messages.py [--peer nccl] [--exchange nccl,mpi,auto] N ...
    hosts.sh mpirun 4 python3 lab/peers/beside_messages.py --peer mpi --exchange auto N ...

Periodic grids of N x N x N points in f64. With `--peer nccl` each process has a GPU with f and u,
and NCCL, called by PyTorch, sends as many bytes to each other process as a solve does: there, and
back. With `--peer mpi` solves are on cores, and MPI sends as many bytes to each process of another
host, as those of one host lend memory to each other. A line for each exchange: ms, the bytes that
psg's messages carry, and the time over that of the library alone.
"""

import argparse
import os
import statistics
import time

# each process has one GPU
os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK", "0")

import numpy as np  # noqa: E402
from mpi4py import MPI  # noqa: E402

import psg  # noqa: E402

WORLD = MPI.COMM_WORLD


class Nccl:
    """Processes with a GPU each. NCCL sends to all others."""

    where = {"gpus": 1, "cpus": 0}

    def __init__(self):
        import torch
        import torch.distributed as nccl

        if not all(WORLD.allgather(torch.cuda.is_available())):
            raise SystemExit("GPUs are less than processes: each process needs its own")
        self.torch, self.nccl = torch, nccl
        self.others = [r for r in range(WORLD.size) if r != WORLD.rank]
        nccl.init_process_group("nccl", init_method="tcp://127.0.0.1:29511",
                                rank=WORLD.rank, world_size=WORLD.size)

    def end(self):
        self.nccl.destroy_process_group()

    def field(self, shape):
        f = self.torch.randn(shape, dtype=self.torch.float64, device="cuda")
        self.torch.cuda.synchronize()
        return f

    def swap(self, there, here):
        work = [self.nccl.P2POp(self.nccl.isend, there, r) for r in self.others]
        work += [self.nccl.P2POp(self.nccl.irecv, x, r) for x, r in zip(here, self.others)]
        for one in self.nccl.batch_isend_irecv(work):
            one.wait()
        self.torch.cuda.synchronize()


class Mpi:
    """Processes on cores. MPI sends to those of other hosts."""

    where = {"gpus": 0}

    def __init__(self):
        hosts = WORLD.allgather(MPI.Get_processor_name())
        self.others = [r for r, host in enumerate(hosts) if host != hosts[WORLD.rank]]
        if not all(WORLD.allgather(self.others)):
            raise SystemExit("all processes are on one host: tests/mpi/hosts.sh makes two")

    def end(self):
        pass

    def field(self, shape):
        return np.random.default_rng(WORLD.rank).standard_normal(shape)

    def swap(self, there, here):
        MPI.Request.Waitall([WORLD.Irecv(x, r) for x, r in zip(here, self.others)]
                            + [WORLD.Isend(there, r) for r in self.others])


def seconds(call):
    WORLD.Barrier()
    begin = time.perf_counter()
    call()
    return WORLD.allreduce(time.perf_counter() - begin, MPI.MAX)


def measure(peer, n, exchanges, repeat):
    plans = [psg.Plan((n, n, n), comm=WORLD, exchange=e, **peer.where) for e in exchanges]
    f = peer.field(plans[0].local_shape)
    u = peer.field(plans[0].local_shape)
    blocks = 16 * (n // 2 + 1) * (n // WORLD.size) * (n // WORLD.size)
    there, here = peer.field(blocks // 8), [peer.field(blocks // 8) for _ in peer.others]

    def alone():
        peer.swap(there, here)
        peer.swap(there, here)

    calls = [alone] + [lambda p=p: p.solve(f, out=u) for p in plans]
    for call in calls:
        call()
    found = [[seconds(call) for call in calls] for _ in range(repeat)]
    ms = [1e3 * statistics.median(times) for times in zip(*found)]
    if WORLD.rank == 0:
        print("%d^3, %d processes: %s alone %.3f ms, %.3g GB/s each way of a process"
              % (n, WORLD.size, type(peer).__name__.upper(), ms[0],
                 2e-6 * blocks * len(peer.others) / ms[0]))
        for e, p, took in zip(exchanges, plans, ms[1:]):
            used = p.statistics()
            print("  %-6s %8.3f ms, %s, %.3g bytes sent, %.2f times that"
                  % (e, took, used["exchange"], used["link"]["message"]["bytes"],
                     took / ms[0]), flush=True)
    for p in plans:
        p.close()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--peer", choices=("nccl", "mpi"), default="nccl")
    parser.add_argument("--exchange", default="nccl,mpi,auto")
    parser.add_argument("n", type=int, nargs="+")
    given = parser.parse_args()
    peer = Nccl() if given.peer == "nccl" else Mpi()
    for n in given.n:
        measure(peer, n, given.exchange.split(","), given.repeat)
    peer.end()


if __name__ == "__main__":
    main()
