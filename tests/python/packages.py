"""Arrays of CuPy, PyTorch, JAX and Numba: results of their kind, gradients, and on a GPU: nothing is copied, and the solve is
in the order of the caller's stream. What needs a package or a GPU that is not here is skipped."""

import gc
import os

import numpy as np
import psg
import pytest
from reference import far, periodic, random

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX leaves memory to the others

SHAPE = (12, 10, 8)
F = random(SHAPE)
U = periodic(F)
DELAY = 400_000_000  # cycles of a GPU: some tenths of a second
MIXED = {"z": ("dirichlet", "neumann"), "y": ("neumann", "dirichlet"), "x": "neumann"}
SIDES = [dict(box=(1, 2, 3), bc=bc, points=points) for bc in ("periodic", "neumann", "dirichlet", MIXED)
         for points in ("cells", "nodes")]
SIDES += [dict(bc={"z": "robin"}, robin={"z": (0.7, 3.0)}, symbol="fd2"),
          dict(bc={"z": ("neumann", "robin")}, robin={"z": (0, 2.0)}, symbol="fd2",
               faces={"z": (0, 0.1, 0.4, 0.6, 1.5)})]
NO_BOX = [(dict(bc={"x": "free"}), "with free sides"),
          (dict(faces={"z": (0, 0.1, 0.4, 1.5)}), "with faces or Robin sides"),
          (dict(bc={"z": "robin"}, robin={"z": (1, 2)}, symbol="fd2"), "with faces or Robin sides")]
BOXES = [("periodic", "cells", "spectral"), (("neumann", "dirichlet"), "cells", "fd6"), ("neumann", "nodes", "fd2"), ("dirichlet", "nodes", "spectral")]
FEW = [("periodic", "cells"), (["neumann", "dirichlet"], "nodes"),
       ([("neumann", "dirichlet"), "neumann"], "nodes")]


@pytest.fixture(autouse=True)
def apart():
    """StarPU starts anew, with the GPUs of each test."""
    psg.forget()
    yield
    psg.forget()
    gc.collect()


def torch_on(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU for torch")
    return torch


def cupy_here():
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU for cupy")
    return cupy


def jax_here(gpu=False):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    if gpu and jax.default_backend() != "gpu":
        pytest.skip("no GPU for jax")
    return jax


def numba_here():
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("no GPU for numba")
    return cuda


# ------------------------------------------------------------------------------ main memory


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_torch(device):
    torch = torch_on(device)
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
        f = torch.tensor(F, dtype=dtype, device=device)
        u = psg.solve(f)
        assert type(u) is torch.Tensor and u.dtype == dtype and u.device == f.device
        assert far(u.cpu(), U) <= tolerance
        room = torch.zeros((12, 12, 16), dtype=dtype, device=device)
        psg.forget()  # its plan may have other workers
        with psg.Plan(SHAPE, dtype, gpus=1 if device == "cuda" else 0) as plan:
            assert plan.solve(f, out=room[:, 1:11, 4:12]) is not None and far(room[:, 1:11, 4:12].cpu(), U) <= tolerance
            assert plan.statistics()["copied_bytes"] == 0
    for bad, words in ((f.half(), "nearest is float32"), (f.bfloat16(), "bfloat16"), (f + 1j, "complex64"), (f.to_sparse(), "torch.strided"),
                       (torch.empty(SHAPE, device="meta"), "meta"), ((f + 1j).conj().imag, "resolve_neg"), (f.requires_grad_(), "psg.torch.solve")):
        with pytest.raises(TypeError, match=words):
            psg.solve(bad)
    gone = torch.zeros(SHAPE, device=device)
    gone.untyped_storage().resize_(0)
    with pytest.raises(psg.ArgumentError):
        psg.solve(gone)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("sides", SIDES)
def test_torch_gradients(device, sides):
    torch = torch_on(device)
    import psg.torch

    def number(x):
        return torch.tensor(x, dtype=torch.float64, device=device, requires_grad=True)

    def solve(x, lambda_=None, factor=None):
        return psg.torch.solve(x, lambda_=lambda_, factor=factor, **sides)

    f = torch.tensor(random((4, 3, 5)), device=device, requires_grad=True)
    for arguments in ((f, None, 2.5), (f, number(1.5), number([2.5])), (f.detach(), number(1.5)), (f, None, number(-0.5))):
        assert torch.autograd.gradcheck(solve, arguments, nondet_tol=1e-14, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(solve, arguments, nondet_tol=1e-14, check_fwd_over_rev=True, fast_mode=True)
    f.grad = None
    solve(f).sum().backward()
    assert f.grad is not None and f.grad.device == f.device
    assert torch.equal(solve(f.detach()), psg.solve(f.detach(), **sides))
    with psg.Plan(f.shape, lambda_=0.5, factor=3.0, **sides, **({"gpus": 1} if device == "cuda" else {})) as plan:
        assert torch.equal(psg.torch.solve(f, plan, lambda_=1.5, factor=1), solve(f, 1.5))
        for own in (lambda x: psg.torch.solve(f, plan, lambda_=x), lambda x: psg.torch.solve(f, plan, factor=x)):
            assert torch.autograd.gradcheck(own, (number(1.5),), nondet_tol=1e-14)


@pytest.mark.parametrize("bc, points", FEW)
def test_torch_of_few_axes(bc, points):
    torch = torch_on("cpu")
    import psg.torch

    many = torch.tensor(random((3, 4, 5)), requires_grad=True)
    for f, sides in ((many[0], bc), (many[0, 0], bc if isinstance(bc, str) else bc[-1:])):
        def solve(x, lambda_=1.5):
            return psg.torch.solve(x, bc=sides, points=points, lambda_=lambda_)

        lambda_ = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(solve, (f, lambda_), nondet_tol=1e-14, check_forward_ad=True)
    both = dict(bc=bc, points=points, lambda_=1.5)
    each = torch.stack([psg.torch.solve(f, **both) for f in many])
    together = torch.vmap(lambda f: psg.torch.solve(f, **both))(many).detach()
    assert far(together, each.detach().numpy()) <= 1e-14
    with psg.Plan((4, 5), **both) as plan:
        assert torch.equal(psg.torch.solve(many[0], plan), each[0])
        with pytest.raises(psg.ArgumentError, match=r"2 axes are needed, and torch.vmap\(\) maps"):
            psg.torch.solve(many, plan)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_torch_functions(device):
    """torch.func, and what it does one by one."""
    torch = torch_on(device)
    import psg.torch

    def loss(x, lambda_, factor):
        return (psg.torch.solve(x, lambda_=lambda_, factor=factor, **SIDES[6]) ** 2).sum()

    def close(x, y):
        return all(far(a.cpu(), b.cpu().numpy()) <= 1e-12 for a, b in zip(x, y))

    many = torch.tensor(random((6, 4, 3, 5)), device=device)
    two = torch.tensor([1.5, 2.5], dtype=torch.float64, device=device)
    wanted = [x.clone().requires_grad_() for x in (many[0], *two)]
    assert close(torch.func.grad(loss, (0, 1, 2))(many[0], *two), torch.autograd.grad(loss(*wanted), wanted))
    for terms in ({}, {"lambda_": two[0], "factor": 2.5}):
        def solve(x):
            return psg.torch.solve(x, **terms)

        each = torch.stack([solve(x) for x in many])
        assert close([torch.vmap(solve)(many), torch.vmap(torch.vmap(solve), 2, 2)(many.reshape(2, 3, 4, 3, 5).movedim(1, 2)).movedim(2, 1).reshape(
            many.shape)], [each, each])
    each = torch.stack([psg.torch.solve(many[0], lambda_=x) for x in two])
    assert close([torch.vmap(lambda x: psg.torch.solve(many[0], lambda_=x))(two)], [each])
    slopes = torch.func.grad(loss, 1)
    assert close([torch.vmap(slopes, (0, None, None))(many, *two)], [torch.stack([slopes(x, *two) for x in many])])
    assert close(torch.func.jacfwd(loss, (0, 1, 2))(many[0], *two), torch.func.jacrev(loss, (0, 1, 2))(many[0], *two))
    assert close([torch.func.jacfwd(slopes, 0)(many[0], *two)], [torch.func.jacrev(slopes, 0)(many[0], *two)])
    terms = dict(lambda_=two[0], factor=2.5, **SIDES[6])
    each = torch.stack([psg.torch.solve(x, **terms) for x in many])
    assert close([psg.torch.solve(many, many=True, **terms)], [each])
    few = many[:2, :2, :2, :3].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: psg.torch.solve(x, many=True, **terms), (few,), nondet_tol=1e-14, fast_mode=True)

    with pytest.raises(psg.UnsupportedError, match="torch.func.jacrev"):
        torch.autograd.functional.jacobian(psg.torch.solve, many[0], vectorize=True)

    length = two[0].clone().requires_grad_()
    for bad in ({"mean_tolerance": length}, {"points": (length, "cells", "cells")}, {"bc": {"z": length}}):
        with pytest.raises(psg.ArgumentError, match="%s requires a gradient" % list(bad)[0]):
            psg.torch.solve(many[0], **bad)
    for function in (torch.func.grad, lambda f: lambda x: torch.func.jvp(f, (x,), (x,)), lambda f: lambda x: torch.vmap(f)(x[None])):
        with pytest.raises(psg.ArgumentError, match="mean_tolerance requires a gradient"):
            function(lambda x: psg.torch.solve(many[0], mean_tolerance=x).sum())(two[0])
    for bad, words in (((many,), r"vmap\(\) maps over more"), ((many[0], two), r"lambda_ has the shape \(2,\): one number")):
        with pytest.raises(psg.ArgumentError, match=words):
            psg.torch.solve(bad[0], lambda_=bad[1] if bad[1:] else None)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("bc, points, symbol", BOXES)
def test_torch_box(device, bc, points, symbol):
    """The box as a tensor, as one length of three, and as that of a cube."""
    torch = torch_on(device)
    import psg.torch

    f, sides = torch.tensor(random((3, 2, 4)), device=device), dict(bc=[bc] * 3, points=points, symbol=symbol)
    box = torch.tensor([1.2, 0.7, 1.5], dtype=torch.float64, device=device, requires_grad=True)

    def solve(box, lambda_=None, factor=2.5):
        return psg.torch.solve(f, box=box, lambda_=lambda_, factor=factor, **sides)

    assert torch.autograd.gradcheck(solve, (box,), nondet_tol=1e-14, check_forward_ad=True)
    both = (box, torch.tensor(1.5, dtype=torch.float64, device=device, requires_grad=True))
    assert torch.autograd.gradgradcheck(solve, both, nondet_tol=1e-14, check_fwd_over_rev=True, fast_mode=True)
    slopes = torch.func.grad(lambda b: (solve(b) ** 2).sum())(box.detach())
    for d in range(3):
        one = box.detach()[d].clone().requires_grad_()
        (solve([one if e == d else float(box[e]) for e in range(3)]) ** 2).sum().backward()
        assert abs(one.grad - slopes[d]) <= 1e-12 * abs(slopes[d])
    cube = box.detach()[0].clone().requires_grad_()
    assert torch.autograd.gradcheck(solve, (cube,), nondet_tol=1e-14, fast_mode=True)
    two = torch.stack([box.detach(), 2 * box.detach()])
    assert far(torch.vmap(solve)(two).cpu(), torch.stack([solve(b) for b in two]).cpu().numpy()) <= 1e-14
    with psg.Plan(f.shape, box=(1, 2, 3), **sides, **({"gpus": 1} if device == "cuda" else {})) as plan:
        assert torch.equal(psg.torch.solve(f, plan, box=two[1]), psg.torch.solve(f, box=two[1], **sides))
        assert torch.equal(psg.torch.solve(f, plan), psg.torch.solve(f, box=(1, 2, 3), **sides))
        assert torch.autograd.gradcheck(lambda b: psg.torch.solve(f, plan, box=b), (box,), nondet_tol=1e-14, fast_mode=True)


def test_torch_box_errors():
    torch = torch_on("cpu")
    import psg.torch

    f, length = torch.tensor(random((3, 2, 4))), torch.tensor(1.5, requires_grad=True)
    for sides, words in NO_BOX:
        u = psg.torch.solve(f, box=(1.5, length, 1), **sides)
        with pytest.raises(psg.UnsupportedError, match="not differentiated for a box " + words):
            u.sum().backward()
    with pytest.raises(psg.UnsupportedError, match="not differentiated for lambda_ with free sides"):
        psg.torch.solve(f, lambda_=length, bc={"z": "free"}).sum().backward()
    with pytest.raises(psg.UnsupportedError, match="not differentiated for lambda_ with free sides"):
        one = (torch.tensor(1.5),)
        torch.func.jvp(lambda x: psg.torch.solve(f, lambda_=x, bc="free"), one, one)
    k = torch.tensor(2.0, requires_grad=True)
    with pytest.raises(psg.ArgumentError, match="robin requires a gradient"):
        psg.torch.solve(f, bc={"z": "robin"}, robin={"z": (1, k)}, symbol="fd2")
    for bad, words in ((torch.tensor([1.0, 2.0]), "box has 2 values"), (-length, "the box is -1.5 long along x"),
                       (length * float("nan"), "the box is nan long"), ((1, 2, torch.ones(2)), r"a length of box has the shape \(2,\)")):
        with pytest.raises(psg.ArgumentError, match=words):
            psg.torch.solve(f, box=bad)


def test_torch_gradient_of_faces_that_change():
    torch = torch_on("cpu")
    import psg.torch

    found, faces = [], np.array([0, 0.1, 0.4, 1.5])
    for times in (1, 7):
        f = torch.tensor(random((3, 2, 4)), requires_grad=True)
        loss = (psg.torch.solve(f, faces={"z": faces}, lambda_=0.5) ** 2).sum()
        faces *= times
        loss.backward()
        found.append(f.grad)
    assert torch.equal(*found)


def test_torch_gradient_of_a_closed_plan():
    """solve() closes the plans of old shapes, and the gradient finds new ones."""
    torch = torch_on("cpu")
    import psg.torch

    fields = [torch.tensor(random((4, 3, n)), requires_grad=True) for n in range(2, 9)]
    sum(psg.torch.solve(f).pow(2).sum() for f in fields).backward()
    for f in fields:
        u = psg.torch.solve(f.detach())
        assert far(f.grad, 2 * psg.torch.solve(u).numpy()) <= 1e-12


@pytest.mark.parametrize("gpu", [False, True])
def test_jax(gpu):
    jax = jax_here(gpu)
    f = jax.numpy.asarray(F)
    u = psg.solve(f)
    assert isinstance(u, jax.Array) and u.dtype == f.dtype and u.devices() == f.devices() and far(u, U) <= 1e-12
    assert far(psg.solve(f.astype("float32")), U) <= 1e-5
    with pytest.raises(psg.ArgumentError, match="never change"):
        psg.solve(f, out=f)
    with pytest.raises(TypeError, match="psg.jax.solve"):
        jax.jit(psg.solve)(f)
    with pytest.raises(TypeError, match="bfloat16"):
        psg.solve(f.astype("bfloat16"))
    gone = f + 1
    gone.delete()
    with pytest.raises(TypeError):
        psg.solve(gone)


@pytest.mark.parametrize("sides", SIDES)
def test_jax_gradients(sides):
    jax = jax_here()
    import psg.jax
    from jax.test_util import check_grads

    def solve(x, lambda_=None, factor=None):
        return psg.jax.solve(x, lambda_=lambda_, factor=factor, **sides)

    def loss(*arguments):
        return (solve(*arguments) ** 2).sum()

    f, lambda_, factor = jax.numpy.asarray(random((4, 3, 5))), jax.numpy.asarray(1.5), jax.numpy.asarray(2.5)
    check_grads(solve, (f, lambda_, factor), order=2, modes=["fwd", "rev"])
    check_grads(lambda x: solve(x, factor=2.5), (f,), order=2, modes=["fwd", "rev"])
    check_grads(lambda x: solve(f, lambda_=x), (1.5,), order=2, modes=["fwd", "rev"])
    with psg.Plan(f.shape, lambda_=0.5, factor=3.0, **sides) as plan:
        check_grads(lambda x, c: psg.jax.solve(x, plan, factor=c), (f, 1.5), order=1, modes=["fwd", "rev"])
        check_grads(lambda x, l: psg.jax.solve(x, plan, lambda_=l), (f, 1.5), order=1, modes=["fwd", "rev"])
    assert far(solve(f), np.asarray(psg.solve(f, **sides))) <= 1e-14
    assert far(jax.jit(solve)(f), np.asarray(solve(f))) <= 1e-14
    slopes = jax.grad(loss, (0, 1, 2))
    for got, want in zip(jax.jit(slopes)(f, lambda_, factor), slopes(f, lambda_, factor)):
        assert far(got, want) <= 1e-12


@pytest.mark.parametrize("bc, points", FEW)
def test_jax_of_few_axes(bc, points):
    jax = jax_here()
    import psg.jax
    from jax.test_util import check_grads

    many = jax.numpy.asarray(random((3, 4, 5)))
    for f, sides in ((many[0], bc), (many[0, 0], bc if isinstance(bc, str) else bc[-1:])):
        def of_both(x, lambda_):
            return psg.jax.solve(x, bc=sides, points=points, lambda_=lambda_)

        check_grads(of_both, (f, 1.5), order=2, modes=["fwd", "rev"])

    def solve(x):
        return psg.jax.solve(x, bc=bc, points=points, lambda_=1.5)

    assert far(jax.vmap(solve)(many), np.stack([solve(f) for f in many])) <= 1e-14


@pytest.mark.parametrize("compiled", [False, True])
def test_jax_functions(compiled):
    jax = jax_here()
    import psg.jax

    def call(function, *arguments):
        return (jax.jit(function) if compiled else function)(*arguments)

    many, two = jax.numpy.asarray(random((6, 4, 3, 5))), jax.numpy.asarray([1.5, 2.5])
    for terms in ({}, {"lambda_": two[0], "factor": 2.5}):
        def solve(x):
            return psg.jax.solve(x, **terms)

        each = np.stack([solve(x) for x in many])
        assert far(call(jax.vmap(solve), many), each) <= 1e-14
        assert far(call(jax.vmap(jax.vmap(solve), 2, 2), np.moveaxis(many.reshape(2, 3, 4, 3, 5), 1, 2)),
                   np.moveaxis(each.reshape(2, 3, 4, 3, 5), 1, 2)) <= 1e-14
    each = np.stack([psg.jax.solve(many[0], lambda_=x) for x in two])
    assert far(call(jax.vmap(lambda x: psg.jax.solve(many[0], lambda_=x)), two), each) <= 1e-14
    slope = jax.grad(lambda x, lambda_: (psg.jax.solve(x, lambda_=lambda_) ** 2).sum(), 1)
    assert far(call(jax.vmap(slope, (0, None)), many, two[0]), np.stack([slope(x, two[0]) for x in many])) <= 1e-12
    for derivative in (jax.grad, lambda f: lambda x: jax.jvp(f, (x,), (x,)), jax.vmap, jax.jit):
        with pytest.raises(psg.ArgumentError, match="mean_tolerance is traced"):
            derivative(lambda x: psg.jax.solve(many[0], mean_tolerance=x).sum())(two if derivative is jax.vmap else two[0])
    terms = dict(lambda_=two[0], factor=2.5)
    each = np.stack([psg.jax.solve(x, **terms) for x in many])
    assert far(call(lambda x: psg.jax.solve(x, many=True, **terms), many), each) <= 1e-14
    total = call(jax.grad(lambda x: (psg.jax.solve(x, many=True, **terms) ** 2).sum()), many)
    assert far(total, np.stack([jax.grad(lambda x: (psg.jax.solve(x, **terms) ** 2).sum())(x) for x in many])) <= 1e-14
    with pytest.raises(psg.ArgumentError, match=r"vmap\(\) maps over more"):
        psg.jax.solve(many)
    with pytest.raises(psg.ArgumentError, match=r"lambda_ has the shape \(2,\): one number"):
        psg.jax.solve(many[0], lambda_=two)


@pytest.mark.parametrize("bc, points, symbol", BOXES)
def test_jax_box(bc, points, symbol):
    jax = jax_here()
    import psg.jax
    from jax.test_util import check_grads

    f, box = jax.numpy.asarray(random((3, 2, 4))), jax.numpy.asarray([1.2, 0.7, 1.5])

    def solve(box, lambda_=None):
        return psg.jax.solve(f, box=box, lambda_=lambda_, factor=2.5, bc=[bc] * 3, points=points, symbol=symbol)

    def loss(box):
        return (solve(box) ** 2).sum()

    check_grads(solve, (box, 1.5), order=2, modes=["rev"])
    check_grads(lambda x: solve((1.2, x, 1.5)), (0.7,), order=1, modes=["fwd", "rev"])
    check_grads(loss, (1.2,), order=1, modes=["rev"])
    assert far(jax.jit(jax.grad(loss))(box), np.asarray(jax.grad(loss)(box))) <= 1e-12
    two = jax.numpy.stack([box, 2 * box])
    assert far(jax.vmap(solve)(two), np.stack([solve(b) for b in two])) <= 1e-14
    for call in (jax.grad, lambda loss: jax.jit(jax.grad(loss))):
        for sides, words in NO_BOX:
            with pytest.raises(psg.UnsupportedError, match="not differentiated for a box " + words):
                call(lambda b: psg.jax.solve(f, box=(1.5, b, 1), **sides).sum())(0.7)
        with pytest.raises(psg.UnsupportedError, match="for lambda_ with free sides"):
            call(lambda x: psg.jax.solve(f, lambda_=x, bc={"z": "free"}).sum())(1.5)


# ----------------------------------------------------------------------------------- a GPU


def test_cupy():
    cupy = cupy_here()
    f = cupy.asarray(F)
    u = psg.solve(f)
    assert type(u) is cupy.ndarray and far(u.get(), U) <= 1e-12
    with psg.Plan(SHAPE, gpus=1) as plan:
        room = cupy.zeros((14, 12, 16))
        plan.solve(f, out=room[1:13, 1:11, 4:12])
        assert far(room[1:13, 1:11, 4:12].get(), U) <= 1e-12 and plan.statistics()["copied_bytes"] == 0
        plan.solve(F)
        assert plan.statistics()["copied_bytes"] > 0
        for out in (np.zeros(SHAPE), F.copy()):
            with pytest.raises(psg.ArgumentError, match="f is on GPU 0 and out in main memory: a solve would copy"):
                plan.solve(f, out=out)
        with pytest.raises(psg.ArgumentError, match="f is in main memory and out on GPU 0"):
            plan.solve(F, out=f)
        for bad, words in ((f.astype("f4"), "plan's arrays are float64"), (f.astype("f2"), "float16"), (f + 1j, "complex128"),
                           (cupy.asfortranarray(f), "elements apart"), (f[::-1], "strides.*below 0"), (f[:, :, :3], "shape")):
            with pytest.raises(psg.ArgumentError, match=words):
                plan.solve(bad)
    psg.forget()
    with psg.Plan(SHAPE, gpus=0) as cores:
        with pytest.raises(psg.ArgumentError):
            cores.solve(f)


def test_numba():
    cuda = numba_here()
    f = cuda.to_device(F)
    u = psg.solve(f)
    assert type(u) is type(f) and far(u.copy_to_host(), U) <= 1e-12
    psg.forget()  # the interface does not name a GPU: that plan may have several
    with psg.Plan(SHAPE, gpus=1) as plan:
        plan.solve(f, out=u)
        assert plan.statistics()["copied_bytes"] == 0


def test_kinds_together():
    """f of one package, u of another, on one GPU."""
    cupy, torch = cupy_here(), torch_on("cuda")
    f, u = cupy.asarray(F), torch.empty(SHAPE, dtype=torch.float64, device="cuda")
    assert psg.solve(f, out=u) is u and far(u.cpu(), U) <= 1e-12


def ordered(make, stream, delay, put, add, get):
    """f is written on a stream behind a delay, and u is read there. Does the solve come between? And does the test see it
    where the stream is not told?"""
    seen = {}
    for told in (True, False):
        fill = psg._arrays.fill

        def forget_stream(array, view, name):
            fill(array, view, name)
            array.stream = array.stream if told else None

        with psg.Plan(SHAPE, gpus=1) as plan, pytest.MonkeyPatch.context() as patch, stream():
            f, u = make(), make()
            plan.solve(f, out=u)
            patch.setattr(psg._arrays, "fill", forget_stream)
            delay()
            put(f)
            plan.submit(f, out=u)
            add(u)  # behind the solve, on the stream
            plan.wait()
            seen[told] = far(get(u), U + 1)
            assert plan.statistics()["copied_bytes"] == 0
    assert seen[True] <= 1e-12
    assert seen[False] > 1e-4, "the delay was too short for this test to see the order"


def test_order_torch():
    torch = torch_on("cuda")
    source = torch.tensor(F, device="cuda")
    stream = torch.cuda.Stream()
    ordered(lambda: torch.zeros(SHAPE, dtype=torch.float64, device="cuda"), lambda: torch.cuda.stream(stream),
            lambda: torch.cuda._sleep(DELAY), lambda f: f.copy_(source), lambda u: u.add_(1), lambda u: u.cpu().numpy())


def test_order_cupy():
    cupy = cupy_here()
    source = cupy.asarray(F)
    kernel = cupy.RawKernel("extern \"C\" __global__ void sleep(long long n) {"
                            "long long t = clock64(); while (clock64() - t < n) {}}", "sleep")
    stream = cupy.cuda.Stream(non_blocking=True)

    def add(u):
        u += 1

    cupy.cuda.Device().synchronize()
    ordered(lambda: cupy.zeros(SHAPE), lambda: stream, lambda: kernel((1,), (1,), (np.int64(DELAY),)),
            lambda f: cupy.copyto(f, source), add, lambda u: u.get(stream=stream))


def test_capture():
    """A stream that is captured is refused with words."""
    torch = torch_on("cuda")
    f = torch.tensor(F, device="cuda")
    with psg.Plan(SHAPE, gpus=1) as plan:
        u = plan.solve(f)
        torch.cuda.synchronize()
        with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="thread_local"):
            with pytest.raises(psg.Error, match="captur"):
                plan.solve(f, out=u)
        assert far(plan.solve(f).cpu(), U) <= 1e-12
