"""psg.solve(): the plans of the latest shapes are kept, because to make one takes longer than a solve."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from contextlib import nullcontext
from typing import Any

from . import _arrays as arrays
from . import _grid as grids
from . import _kernel as kernels
from ._errors import ArgumentError, StateError, term
from ._library import PLACES
from ._options import Chosen, OptionValue
from ._plan import Plan
from ._values import Values

KEPT = 4
PLAIN = frozenset((int, float, str))
lock = threading.RLock()
kernel_lock = threading.Lock()
plans: OrderedDict[Any, Plan] = OrderedDict()


def forget() -> None:
    """Close the plans that solve() keeps. With the last plan closed, StarPU's workers are gone, too."""
    with lock:
        while plans:
            plans.popitem()[1].close()


def plan_like(v: arrays.View, box: grids.Box, bc: grids.Sides, points: grids.Points, options: dict[str, OptionValue],
              faces: grids.Faces = None, robin: grids.Robin = None,
              **terms: float | None) -> tuple[Plan, tuple[float, ...] | None]:
    """A plan for arrays of this shape and type, on the GPU that has them, if one has; and the box,
    if it is not the plan's. The plan's solves are given that and the terms, lambda_ and factor. It
    is made with them, because a box may suit the precision with these terms alone; it serves
    others."""
    if len(v.shape) not in PLACES:
        raise ArgumentError("f has the shape %s, and one to three axes are needed: (z, y, x), (y, x) or (x,). "
                            "many=True and Plan.solve_many() take several right-hand sides" % (v.shape,))
    grid = known_grid if never_changes((box, bc, points, faces, robin)) else made_grid
    given = {name: term(value, name) for name, value in terms.items() if value is not None}
    grid_key, lengths = grid(v.shape, box, bc, points, faces, robin)
    key = (len(v.shape), grid_key, v.dtype, v.device if v.device >= 0 else None, tuple(sorted(options.items())), tuple(given),
           lengths if options.get("kernel") == "user" else None)  # such a kernel is for one box
    try:
        hash(key)
    except TypeError:
        Chosen(options, None, None)  # has the words for one of them
        raise
    with lock:
        plan = plans.get(key)
        if plan is not None:
            plans.move_to_end(key)
            return plan, None if plan.box == lengths else lengths
        while len(plans) >= KEPT:
            plans.popitem(last=False)[1].close()
        plan = plans[key] = make(v, box, bc, points, faces, robin, {**options, **given})
    return plan, None


def made_grid(shape: tuple[int, ...], box: grids.Box, bc: grids.Sides, points: grids.Points,
              faces: grids.Faces, robin: grids.Robin) -> tuple[bytes, tuple[float, ...]]:
    """The grid without its lengths, and these."""
    grid = grids.make(shape, box, bc, points, faces, robin)
    lengths = grids.lengths_in(grid, len(shape))
    for axis in grid.axis:
        axis.length = 1.0
        axis.faces = None
    return bytes(grid) + (b"" if faces is None else grid.kept.tobytes()), lengths


known_grid = functools.lru_cache(maxsize=64)(made_grid)


def never_changes(x: Any) -> bool:
    """A value that has been seen says what it said before. An array of one number may have another one in it now."""
    return type(x) in PLAIN or (type(x) is tuple and all(map(never_changes, x)))


def make(v: arrays.View, box: grids.Box, bc: grids.Sides, points: grids.Points, faces: grids.Faces,
         robin: grids.Robin, options: dict[str, OptionValue]) -> Plan:
    Chosen(options, None, None)  # Plan() has arguments that are none of solve()'s
    dtype = "float" + v.dtype[1:]
    gpu_ids = [v.device] if v.device >= 0 and "gpus" not in options else None
    try:
        return Plan(v.shape, dtype, box=box, bc=bc, points=points, faces=faces, robin=robin,
                    gpu_ids=gpu_ids, **options)
    except StateError:  # StarPU runs with the workers or the policy of the plans before
        if not plans:
            raise
        forget()
        return Plan(v.shape, dtype, box=box, bc=bc, points=points, faces=faces, robin=robin,
                    gpu_ids=gpu_ids, **options)


def solve(f: Any, out: Any = None, *, box: grids.Box = 1.0, bc: grids.Sides = "periodic", points: grids.Points = "cells",
          faces: grids.Faces = None, robin: grids.Robin = None,
          lambda_: float | None = None, factor: float | None = None,
          values: Values = None, epsilon: Any = None,
          tolerance: float = 0, iterations: int = 0, kernel: Any = None, kernel_form: str = "space", many: bool = False,
          guess: bool = False, **options: OptionValue) -> Any:
    """Solve lap(u) - lambda u = factor f, and return u: Plan(f.shape, f.dtype, ...).solve(f, out). The arguments are those of
    psg.Plan and Plan.solve(). The plans of the latest four shapes and options are kept, whatever
    the box is; forget() closes them.
    many=True: f has one axis more before the others, of right-hand sides for Plan.solve_many().
    A kernel that is an array is transformed in each call; a psg.Plan does that once."""
    if many and (epsilon is not None or (tolerance, iterations, guess) != (0, 0, False)):
        raise ArgumentError("several right-hand sides have no epsilon: solve them one by one")
    if isinstance(kernel, str) and kernel == "user":
        raise ArgumentError("kernel = 'user': give the array itself, or make a psg.Plan")
    while True:
        seen = arrays.view(f, "f")
        seen.of = f
        if many and len(seen.shape) - 1 not in PLACES:
            raise ArgumentError("f has the shape %s: with many=True it has one axis more than a "
                                "right-hand side, which has one to three" % (seen.shape,))
        one = seen if not many else arrays.one_of(seen)
        own = kernels.look(kernel, kernel_form, len(one.shape))
        options["kernel"] = kernel if own is None else "user"
        plan, other = plan_like(one, box, bc, points, options, faces, robin, lambda_=lambda_,
                                factor=factor)
        try:
            with nullcontext() if own is None else kernel_lock:  # threads share the plan
                if own is not None:
                    plan.set_kernel(kernel, kernel_form)
                if many:
                    return plan.solve_many(f, out, lambda_=lambda_, factor=factor, box=other,
                                           values=values)
                return plan.solve(seen, out, lambda_=lambda_, factor=factor, box=other, values=values,
                                  epsilon=epsilon, tolerance=tolerance, iterations=iterations,
                                  guess=guess)
        except StateError:
            if not plan.closed:  # by another thread's solve() of another shape
                raise
