"""A plan: a solver for one grid and set of options."""

from __future__ import annotations

import ctypes
import json
import operator
import os
import threading
import time
import warnings
import weakref
from typing import Any, Mapping, Optional, Sequence, Tuple

from . import _arrays as arrays
from . import _coefficients as coefficients
from . import _grid as grids
from . import _kernel as kernels
from . import _modes as modes
from . import _values as sides
from ._errors import ArgumentError, ArrayError, UnsupportedError, number, shown, term
from ._handle import Handle, collective, refuse_plan
from ._library import LINKS, PLACES, STAGES, Array, Event, SolveArgs, Statistics, check, components, lib, text
from ._options import Chosen, OptionValue, choice, table
from ._process import process

CUDA = components()["CUDA"] is not None  # the library can use GPUs

# lambda_, factor, mean and box of a solve; None: the plan's.
Terms = Tuple[Optional[float], Optional[float], Optional[str], Optional[grids.Box]]

# A call that takes longer than so many seconds runs in a thread of its own, so that Ctrl-C need not wait for it.
PATIENCE = 0.05


class Plan:
    """A solver for one shape, box and set of options.

    shape    (nz, ny, nx), (ny, nx) or (nx,) of the whole grid: x is the last axis, and contiguous.
             In what follows, arrays with fewer axes have no z, or no z and no y
    dtype    float64 or float32
    box      lengths of the box: one for a cube, or (lz, ly, lx), or {"z": lz, ...} with 1 for an axis that is not there
    bc       what holds at the sides: "periodic", "dirichlet" (u is 0) or "neumann" (the derivative across the side is 0),
             or "free" (f is 0 beyond the points, and u goes on), or one for each of (z, y, x), or
             {"z": ...}. A pair is (lower, upper). Along z (y of two), "robin": u' is -k u outward
    points   "cells" or "nodes" for axes that are not periodic; psg.points() says where they are
    faces    {"z": n + 1 increasing positions} of the faces of cells along z, of two axes along y: u
             is solved by the equation of symbol="fd2" there, and x and y have the symbol.
             Where box is one number, or has no "z", the faces say how long the axis is
    robin    {"z": (k0, k1)}: k >= 0 of a lower and an upper Robin side, 0 of others; fd2 or faces
    comm     an mpi4py communicator whose processes solve together: f and u are then planes lo[0] .. lo[0]+local_shape[0]-1.
             Plan(), solve(), submit(), wait() and close() are collective: close the plan, or use `with`
    lo       with local: this process has the points lo .. lo + local - 1 in place of planes.
             Every point is in the box of one process; local may have a 0. See psg_boxes.h
    local    the shape of the process' f and u then; None on all processes: planes
    gpu_ids  CUDA's numbers of the GPUs to use
    kernel   a word of the option, or an array as set_kernel() takes it, with kernel_form
    options  by name; True and False are "yes" and "no". A name that is a word of Python has a "_" behind it: lambda_

    A plan may be used by several threads: they take turns. Close it after use, or use `with`.

    Options:
    """

    def __init__(self, shape: Sequence[int], dtype: Any = "float64", *, box: grids.Box = 1.0,
                 bc: grids.Sides = "periodic", points: grids.Points = "cells",
                 faces: grids.Faces = None, robin: grids.Robin = None, comm: Any = None,
                 lo: Sequence[int] | None = None, local: Sequence[int] | None = None,
                 gpu_ids: Sequence[int] | None = None, kernel: Any = None,
                 kernel_form: str = "space", **options: OptionValue) -> None:
        try:
            self.shape = grids.extents(shape)
            self.precision = arrays.precision_of(dtype)
            if "precision" in options:
                raise ArgumentError("precision: dtype says it")
            self.grid = grids.make(shape, box, bc, points, faces, robin)
            self.box = grids.lengths_in(self.grid, len(self.shape))
            own = kernels.look(kernel, kernel_form, len(self.shape))
            part = grids.part(len(self.shape), lo, local)
            options["kernel"] = kernel if own is None else "user"
            chosen = Chosen({**options, "precision": self.precision}, gpu_ids, comm)
            gpus = int(chosen.options.gpus) != 0 and CUDA
            process.check(gpus)
        except BaseException as error:
            if comm is not None:
                refuse_plan(comm, error)
            raise
        process.cuda = process.cuda or gpus
        handle = Handle()
        try:
            handle.use(lambda: handle.create(self.grid, chosen), True)
        except KeyboardInterrupt:  # the call goes on: the plan is closed when it is made
            threading.Thread(target=handle.destroy, daemon=True).start()
            raise
        self._handle = handle
        self.symbol = choice("symbol", chosen.options.symbol)
        self.own_kernel = options["kernel"] == "user"
        self._seconds: float | None = None  # of the latest solve
        self._waits_for_others = comm is not None
        self._args = SolveArgs()
        check(lib.psg_solve_args_init(ctypes.byref(self._args), handle.plan, ctypes.sizeof(self._args)))
        self._finalizer = None if comm is not None else weakref.finalize(self, handle.destroy)
        try:
            if comm is not None or part != (None, None):
                handle.use(lambda: check(lib.psg_plan_box(handle.plan, *part)), True)
            if own is not None:
                self._give(own)
        except BaseException:
            self.close()
            raise
        first, n = (ctypes.c_size_t * 3)(), (ctypes.c_size_t * 3)()
        check(lib.psg_plan_local_box(handle.plan, arrays.HOST, first, n))
        places = PLACES[len(self.shape)]
        here = all(n[place] for place in range(3) if place not in places)
        self.lo = tuple(first[place] for place in places)
        self.local_shape = tuple(n[place] if here else 0 for place in places)

    # ------------------------------------------------------------------------------- life

    def close(self) -> None:
        """Wait for what is in flight, and free the plan. With comm: collective."""
        self._handle.destroy()

    @property
    def closed(self) -> bool:
        return not self._handle.plan

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle = self.__dict__.get("_handle")
        if handle is not None and handle.collective and handle.plan and handle.pid == os.getpid():
            warnings.warn("a plan of several processes was not closed: it is closed when the program ends", ResourceWarning,
                          stacklevel=2)

    def __reduce__(self) -> Any:
        raise UnsupportedError("a plan cannot be pickled or copied: its memory and threads are this process'. psg.Plan(%s, ...) makes one where it "
                               "is needed" % (self.shape,))

    def __repr__(self) -> str:
        return "<psg.Plan %s %s%s>" % (" x ".join(map(str, self.shape)), self.precision, " closed" if self.closed else "")

    # ------------------------------------------------------------------------------ solve

    @collective
    def solve(self, f: Any = None, out: Any = None, *, lambda_: float | None = None, factor: float | None = None,
              mean: str | None = None, box: grids.Box | None = None, values: sides.Values = None,
              epsilon: Any = None, tolerance: float = 0, iterations: int = 0, guess: bool = False, f_modes: Any = None) -> Any:
        """Solve lap(u) - lambda u = factor f, and return u; with epsilon div(epsilon grad u) - lambda u = factor f.

        f      an array of NumPy, CuPy, PyTorch, JAX or Numba, or another one with DLPack, __cuda_array_interface__,
               __array_interface__ or the buffer protocol. Planes and rows may be padded. It is not copied
        out    where u goes; f itself: in place. None: a new array of f's kind
        lambda_, factor, mean, box   in place of the plan's; no other box while a solve is in flight
        values  what holds on the sides where that is not 0, with symbol="fd2": u on a Dirichlet side, the derivative of u along
                the axis on a Neumann side. A number or an array of NumPy, (lower, upper), one for each of (z, y, x), or
                {"z": (0, lid)}. An array has the shape of f without the side's axis
        epsilon  like f, finite and above 0, or 0 in bodies, where u is 0. Beside free sides it is
                that outside. For "fd2"; values count times epsilon. Or (ez, ey, ex), as f has axes:
                of faces above points, as in project(); 0: closed. A lower side has the first one's
        tolerance  end when ||residual|| <= tolerance ||factor f||, in the 2-norm; 0: 1e-10 in float64, 1e-6 in float32
        iterations  the most of them; 0: 1000. With guess=True they begin at what out has
        f_modes  in place of f its modes, as modes() has them: no transform forward is left to do

        The solve comes after what the array's package has put on its current stream, and u is there when it returns.
        Ctrl-C raises KeyboardInterrupt. The solve then goes on by itself: u is undefined, and the plan can be used again.
        """
        given = None if f_modes is None else modes.Given(self._modes(), f_modes, None)
        if guess and out is None:
            raise ArgumentError("guess: there is no out that has it")
        return self._start(f, out, (lambda_, factor, mean, box), values, lib.psg_solve_arrays, self._is_long(),
                           coefficients=(epsilon, tolerance, iterations, guess), given=given)

    @collective
    def modes(self, f: Any = None, out: Any = None, *, f_modes: Any = None, u: Any = None,
              lambda_: float | None = None, factor: float | None = None, mean: str | None = None,
              box: grids.Box | None = None, values: sides.Values = None) -> Any:
        """Solve as solve() does, and return the modes of u: no transform back is done but for u.

        f, f_modes   one of them: f as in solve(), or its modes, which need no transform forward
        out          where the modes of u go; f_modes itself: in place. None: a new array, of the
                     package of f or f_modes if that is CuPy, PyTorch or Numba
        u            None; or where u goes, too, as out in solve()
        lambda_, factor, mean, box, values   as in solve(); no values with f_modes

        Modes are contiguous arrays of modes_shape(), of what solve() takes. Those of NumPy that are
        not, as numpy.fft.rfftn() may return, are copied. With periodic axes they are complex, and
        those of f are numpy.fft.rfftn(f): unscaled, half of them along x, the last axis. If z or y
        is between walls it has the real transform of scipy.fft for its sides: between Dirichlet
        sides dst of type 2, or for nodes 1, between Neumann sides dct of these types, else of type
        4, or for nodes 3: dst if the lower side is Dirichlet, else dct. With all axes between walls
        modes are real. If x is between walls and another axis is periodic there are none, nor with
        free sides, and in the staged graph. Of modes that are not those of real numbers u has the
        part that is, as with numpy.fft.irfftn().
        """
        space = self._modes()
        out = space.fresh(f, f_modes) if out is None else out
        self._start(f, u, (lambda_, factor, mean, box), values, lib.psg_solve_arrays,
                    self._is_long(), given=modes.Given(space, f_modes, out))
        return out

    def modes_shape(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape of the arrays of modes, and which mode is their first one. With several
        processes each has those of some ky, with all of kx and kz: rows, and not planes."""
        space = self._modes()
        return space.shape, space.lo

    def _modes(self) -> modes.Space:
        def call() -> modes.Space:
            self._handle.check()
            return modes.Space(self._handle.plan, len(self.shape), self.precision)

        return self._handle.use(call, False)

    @collective
    def set_kernel(self, kernel: Any, kernel_form: str = "space") -> None:
        """Another kernel for a plan that was made with one, or with kernel="user": what stands for
        the inverse of -lap. It is real, and but for "spectrum" even along each axis, so that an
        octant says all of it.

        kernel       float64, in main memory, with as many axes as f; in each process all of it. For
                     n points n + 1 values along a free axis, 2 n + 1 where one side of it is a
                     wall, n // 2 + 1 along a periodic axis, and between two walls n modes
        kernel_form  "space": G at the points, by distance, in 1/length. u is -factor times the sum
                     of G f over the points and the volume of a cell: 1 / (4 pi r) is the
                     equation's. A periodic axis has an even number of points.
                     "modes": T, in length^2. A mode of u is -factor T times that of f: 1 / k^2 is
                     the equation's, where k is 2 pi m / length along a periodic axis, pi m / length
                     along a free one, and pi m / (2 length) where one side is a wall.
                     "spectrum": T of all modes as numpy.fft.rfftn(f) has them, where all sides are
                     periodic: it need not be even along an axis
        """
        self._give(kernels.Kernel(kernel, kernel_form, len(self.shape)))

    def _give(self, kernel: kernels.Kernel) -> None:
        def call() -> None:
            self._handle.check()
            kernel.give(self._handle.plan)

        self._handle.use(call, True)

    @collective
    def solve_many(self, f: Any, out: Any = None, *, lambda_: float | None = None,
                   factor: float | None = None, mean: str | None = None,
                   box: grids.Box | None = None, values: sides.Values = None) -> Any:
        """Solve for several right-hand sides, f[0], f[1], ... of an array with one axis more, and return u, an array like f:
        faster than one by one where one is too small for all cores or for a GPU (option batch).

        f, out   as in solve(), with one axis more before the others, as (count, nz, ny, nx). The right-hand sides follow one another without a gap
                 other than that between two planes
        lambda_, factor, mean, box, values   as in solve(), the same for all; an array of values
                 with one axis more, (count, ...), has those of each right-hand side

        An error names the first right-hand side that is no good. u of the others is right if its data are the reason.
        """
        from_ = self._look_many(f, "f")
        if out is None:
            out = arrays.kind_of(f).fresh(f, from_)
            to = self._look_many(out, "u")
        else:
            to = from_ if out is f else self._look_many(out, "out")
            if not to.writable:
                raise ArgumentError("out cannot be written: it is read-only, or of a package whose arrays never change")
            arrays.check_beside(from_, to)
        if to.shape != from_.shape:
            raise ArgumentError("f has the shape %s, and out %s" % (from_.shape, to.shape))
        first, last = Array(), Array()
        arrays.fill_many(first, from_, "f")
        arrays.fill_many(last, to, "out")

        count = from_.shape[0]
        args = self._arguments((lambda_, factor, mean, box))
        held = [from_, to, *sides.fill(args, values, self.local_shape, self.precision, count)]

        def call() -> Any:
            self._handle.check()
            check(lib.psg_solve_many_arrays(self._handle.plan, count, first, last, args))
            held.clear()  # not before: an interrupt may have left the call to itself
            return out

        return self._handle.use(call, arrays.PER_THREAD not in (from_.stream, to.stream))

    @collective
    def submit(self, f: Any, out: Any = None, *, lambda_: float | None = None, factor: float | None = None,
               mean: str | None = None, box: grids.Box | None = None, values: sides.Values = None) -> Any:
        """Start a solve as solve() does, and return u, which wait() fills. Up to in_flight solves overlap.
        Arrays on a GPU may be used on the stream that was current in this call before wait() returns. Others may not."""
        return self._start(f, out, (lambda_, factor, mean, box), values, lib.psg_submit_arrays, False)

    @collective
    def gradient(self, f: Any, out: Sequence[Any] | None = None, *, u: Any = None, lambda_: float | None = None,
                 factor: float | None = None, mean: str | None = None, box: grids.Box | None = None,
                 values: sides.Values = None, epsilon: Any = None, tolerance: float = 0,
                 iterations: int = 0) -> tuple[Any, Any]:
        """Solve as solve() does, and return (u, (gz, gy, gx)): u and its derivatives along z, y and
        x, or along those of these that f has.

        With symbol="spectral", the default, they are those of the modes of u, at the points. Each axis is periodic or free
        at both sides.

        With symbol="fd2" a derivative is the difference of u at the next point and at the point over their distance. It belongs
        halfway between the two, and the differences of the derivatives are the symbol's Laplacian of u. Beyond the last point of an axis
        stands the first one if the axis is periodic. Else the last derivative is that towards the upper side: with the side's
        value, or on a Neumann side the value itself.

        out    (gz, gy, gx): where they go, arrays like u; None in place of one that is not wanted. None: three new arrays
        u      where u goes, as out in solve()
        epsilon, tolerance, iterations   as in solve()
        """
        axes = grids.AXES[-len(self.shape):]
        wanted = (None,) * len(axes) if out is None else tuple(out)
        if len(wanted) != len(axes):
            raise ArgumentError("out: %s are needed, not %d arrays" % (grids.listed(["g" + axis for axis in axes]), len(wanted)))
        from_ = self._look(f, "f")
        made = []
        for given in wanted:
            new = given is None and out is None
            made.append((arrays.kind_of(f).fresh(f, from_) if new else given, new))
        u = self._start(f, u, (lambda_, factor, mean, box), values, lib.psg_solve_arrays, self._is_long(), made,
                        (epsilon, tolerance, iterations, False))
        return u, tuple(component for component, _ in made)

    @collective
    def project(self, v: Sequence[Any], *, gradient: Sequence[Any] | None = None, u: Any = None,
                lambda_: float | None = None, factor: float | None = None,
                box: grids.Box | None = None, values: sides.Values = None) -> Any:
        """Take the divergence out of a flow on a staggered grid: solve lap(u) - lambda_ u = factor
        div(v), and subtract grad(u) / factor from v. Return u.

        v         (vz, vy, vx): arrays like f in main memory, of three axes; each value flows
                  through the upper face of its cell along that axis, and the last one through the
                  upper side. Through a lower Neumann side nothing flows
        gradient  (gz, gy, gx): where grad(u) goes, arrays like v, None in place of one that is not
                  wanted. v is only read then
        u         where u goes, an array like v. None: u is not wanted, and None is returned. It is
                  needed on GPUs where x or y is not periodic, or z has 1 or over 8192 points
        lambda_, factor, box, values   as in solve(). The divergence of v is 0 for any factor: with
                  1/dt u is the pressure over the density

        For symbol="fd2" and points in cells, with sides that are periodic, or Neumann below and
        Neumann, Dirichlet or Robin above. What is left of the divergence is about the last
        digit of v. More is left in f64 on GPUs, and where x or y has walls on GPUs or in f64 with u.
        """
        if len(self.shape) != 3 or len(v) != 3:
            raise ArgumentError("project() is for three axes, and v for (vz, vy, vx)")
        flow, args = (Array * 3)(), self._arguments((lambda_, factor, None, box))
        views = [self._look(component, "v[%d]" % d) for d, component in enumerate(v)]
        for d, view in enumerate(views):
            if gradient is None and not view.writable:
                raise ArgumentError("v[%d] cannot be written: it is read-only, or of a package "
                                    "whose arrays never change" % d)
            arrays.check_beside(views[0], view)
            arrays.fill(flow[2 - d], view, "v[%d]" % d)
        held: list[Any] = [*views, *sides.fill(args, values, self.local_shape, self.precision)]
        if gradient is not None:
            if len(gradient) != 3 or all(component is None for component in gradient):
                raise ArgumentError("gradient: (gz, gy, gx) are needed, and not three times None")
            held += self._components(args, [(component, False) for component in gradient], views[0])
        result = None
        if u is not None:
            to = self._look(u, "u")
            if not to.writable:
                raise ArgumentError("u cannot be written: it is read-only, or of a package whose "
                                    "arrays never change")
            arrays.check_beside(views[0], to)
            result = Array()
            arrays.fill(result, to, "u")
            held.append(to)

        def call() -> Any:
            self._handle.check()
            check(lib.psg_project(self._handle.plan, flow, result, args))
            held.clear()  # not before: an interrupt may have left the call to itself
            return u

        return self._handle.use(call, self._is_long())

    def _components(self, args: SolveArgs, made: Sequence[tuple[Any, bool]], f: arrays.View) -> list[Any]:
        """@return what the arguments point at, and what that points at"""
        kept: list[Any] = []
        for d, (component, new) in enumerate(made):
            if component is None:
                continue
            name = "out[%d]" % d
            view = self._look(component, name)
            if not (view.writable or new):
                raise ArgumentError("%s cannot be written: it is read-only, or of a package whose arrays never change" % name)
            arrays.check_beside(f, view)
            array = Array()
            arrays.fill(array, view, name)
            args.gradient[PLACES[len(self.shape)][d]] = ctypes.addressof(array)
            kept += [view, array]
        return kept

    def _coefficients(self, args: SolveArgs, epsilon: Any, tolerance: float, iterations: int, guess: bool) -> list[Any]:
        """@return what the arguments point at, and what that points at"""
        kept = coefficients.fill(args, epsilon, self._look, len(self.shape))
        args.tolerance = number(tolerance, "tolerance")
        try:
            args.iterations, args.guess = operator.index(iterations), bool(guess)
        except TypeError:
            raise ArgumentError("iterations = %s: a whole number is needed" % shown(iterations)) from None
        if args.iterations != iterations:
            raise ArgumentError("iterations = %r: from 0 to %d" % (iterations, 2**64 - 1))
        return kept

    def wait(self) -> Any:
        """Wait for the oldest solve submitted and not yet waited for. Return its u."""

        def call() -> Any:
            self._handle.check()
            return self._handle.wait()

        return self._handle.use(call, self._is_long())

    def _is_long(self) -> bool:
        return self._waits_for_others or self._seconds is None or self._seconds > PATIENCE

    def _arguments(self, terms: Terms) -> SolveArgs:
        args = SolveArgs.from_buffer_copy(self._args)
        lambda_, factor, mean, box = terms
        if lambda_ is not None:
            setattr(args, "lambda", term(lambda_, "lambda_"))
        if factor is not None:
            args.factor = term(factor, "factor")
        if mean is not None:
            args.mean = Chosen({"mean": mean}, None, None).options.mean
        if box is not None:
            axes, places = grids.AXES[-len(self.shape):], PLACES[len(self.shape)]
            named = {**dict(zip(axes, self.box)), **box} if isinstance(box, Mapping) else box
            for place, length in zip(places, grids.lengths_of(named, axes)):
                args.box[place] = length
        return args

    def _look(self, x: Any, name: str) -> arrays.View:
        v = x if type(x) is arrays.View else arrays.view(x, name)
        if v.shape != self.local_shape:
            raise ArgumentError("%s has the shape %s, and the plan has %s%s"
                                % (name, v.shape, self.local_shape, arrays.axes_hint(v.shape, len(self.local_shape), name)))
        return self._of_precision(v, name)

    def _look_many(self, x: Any, name: str) -> arrays.View:
        v = arrays.view(x, name)
        if v.shape[1:] != self.local_shape:
            raise ArgumentError("%s has the shape %s, and several right-hand sides of the plan have (count, %s)"
                                % (name, v.shape, ", ".join(map(str, self.local_shape))))
        return self._of_precision(v, name)

    def _of_precision(self, v: arrays.View, name: str) -> arrays.View:
        if v.dtype != self.precision:
            raise ArrayError("%s is float%s, and the plan's arrays are float%s"
                             % (name, v.dtype[1:], self.precision[1:]))
        return v

    def _start(self, f: Any, out: Any, terms: Terms, values: sides.Values, function: Any, long: bool,
               made: Sequence[tuple[Any, bool]] = (), coefficients: tuple[Any, ...] = (None, 0, 0, False),
               given: modes.Given | None = None) -> Any:
        from_: arrays.View | None = None
        to: arrays.View | None = None
        if given is None or given.f is None:
            if f is None:
                raise ArgumentError("there is no f: give f, or its modes as f_modes")
            from_ = self._look(f, "f")
            f = from_.of if from_ is f else f
        elif f is not None:
            raise ArgumentError("f and f_modes are both given: a solve has one f")
        if out is None and (given is None or given.u is None):
            out = (arrays.kind_of(f).fresh(f, from_) if from_ is not None or given is None else
                   given.fresh_u(self.local_shape, self.precision))
            to = self._look(out, "u")
            to.writable = True
        elif out is not None:
            to = from_ if from_ is not None and out is f else self._look(out, "out")
            if not to.writable:
                raise ArgumentError("out cannot be written: it is read-only, or of a package whose arrays never change")
            if from_ is not None:
                arrays.check_beside(from_, to)
        plain = not made and coefficients[0] is None and values is None and given is None
        plain = plain and all(t is None for t in terms)
        args = self._args if plain else self._arguments(terms)
        held: list[Any] = list(sides.fill(args, values, self.local_shape, self.precision)) if values is not None else []
        if made and from_ is not None:
            held += self._components(args, made, from_)
        if coefficients[0] is not None:
            held += self._coefficients(args, *coefficients)
        elif coefficients[1:] != (0, 0, False):
            raise ArgumentError("tolerance, iterations and guess are for epsilon")
        if given is not None:
            given.check_beside(from_, to)
            given.fill(args)
            held.append(given)
        if arrays.PER_THREAD in modes.streams(given, from_, to):
            long = False  # the stream is of this thread
        first = None if from_ is None else arrays.filled(from_, "f")
        last = None if to is None else arrays.filled(to, "out")

        def call() -> Any:
            self._handle.check()
            if function is lib.psg_submit_arrays:
                self._handle.submit(function, first, last, args, (out, (from_, to)))
            else:
                begin = time.perf_counter()
                check(function(self._handle.plan, 1, first, last, args))
                self._seconds = time.perf_counter() - begin
                if given is not None:
                    given.finish()
            held.clear()  # not before: the library has read them now
            return out

        return self._handle.use(call, long)

    # -------------------------------------------------------------------------- what happened

    def _statistics(self) -> Statistics:
        s = Statistics()

        def call() -> None:
            self._handle.check()
            check(lib.psg_plan_statistics(self._handle.plan, ctypes.byref(s), ctypes.sizeof(s)))

        self._handle.use(call, False)
        return s

    def statistics(self) -> dict[str, Any]:
        """The plan and the latest solve waited for: the fields of psg_statistics in psg_observe.h by name. `stage`,
        `link` and `submit` are dictionaries by name, graph, z_layout, exchange and submit's executor are words."""
        s = self._statistics()
        found = {name: getattr(s, name) for name, *_ in Statistics._fields_ if name not in ("struct_size", "stage", "link", "submit")}
        for name in ("graph", "z_layout", "exchange"):
            found[name] = choice(name, found[name])
        found["submit"] = {name: getattr(s.submit, name) for name, _ in s.submit._fields_}
        found["submit"]["executor"] = choice("executor", s.submit.executor)
        found["stage"] = {text(lib.psg_stage_name(m)): {"tasks": s.stage[m].tasks, "seconds": s.stage[m].seconds}
                          for m in range(STAGES)}
        found["link"] = {text(lib.psg_link_name(m)): {"bytes": s.link[m].bytes, "seconds": s.link[m].seconds}
                         for m in range(LINKS)}
        return found

    def _filled(self, kind: Any, ask: Any) -> list[Any]:
        """What ask(plan, room, capacity, count) fills, after it has told how many there are."""
        count = ctypes.c_size_t()
        room: list[Any] = []

        def call() -> None:
            self._handle.check()
            plan, found = self._handle.plan, ctypes.byref(count)
            check(ask(plan, None, 0, found))
            room.append((kind * count.value)())
            check(ask(plan, room[0], count.value, found))

        self._handle.use(call, False)
        return list(room[0])

    def residuals(self) -> list[float]:
        """Of the latest solve with epsilon, as shares of f: number m is after m iterations."""
        return self._filled(ctypes.c_double, lambda plan, *room: lib.psg_plan_residuals(plan, 0, *room))

    def means(self) -> list[float]:
        """The means of f that were dropped: of each right-hand side of solve_many(), or of the latest solve waited for."""
        return self._filled(ctypes.c_double, lib.psg_plan_means)

    def memory(self) -> dict[str, Any]:
        """Where the plan's memory is: `spectrum_on_gpus`, whether the spectrum is in the memory of GPUs, and `gpu_bytes_free`, the
        bytes that the plan left, when it was made, of the GPU that has least; 0 if that is not known, or there is none."""
        on_gpus, free = ctypes.c_int(), ctypes.c_double()

        def call() -> None:
            self._handle.check()
            check(lib.psg_plan_memory(self._handle.plan, ctypes.byref(on_gpus), ctypes.byref(free)))

        self._handle.use(call, False)
        return {"spectrum_on_gpus": on_gpus.value != 0, "gpu_bytes_free": free.value}

    def events(self) -> list[dict[str, Any]]:
        """What took time in the latest solve waited for: the fields of psg_event by name, `stage` as a word."""
        room = self._filled(Event, lib.psg_plan_events)
        found = [{name: getattr(event, name) for name, *_ in Event._fields_} for event in room]
        for event in found:
            event["stage"] = text(lib.psg_stage_name(event["stage"]))
            event["least"], event["extent"] = tuple(event["least"]), tuple(event["extent"])
        return found

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write the latest solve waited for as a trace that Perfetto and Chrome open. `psg solve --trace` writes copies and
        dependencies, too."""
        lines = []
        for event in self.events():
            arguments = {name: event[name] for name in ("segment", "sheet", "count", "bytes") if event[name] < 2**64 - 1}
            lines.append({"name": event["stage"], "ph": "X", "pid": 0, "tid": event["worker"], "ts": 1e6 * event["start"],
                          "dur": 1e6 * (event["end"] - event["start"]), "args": arguments})
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": lines}, file)


if Plan.__doc__ is not None:  # python -OO has none
    Plan.__doc__ += table() + "\n"
