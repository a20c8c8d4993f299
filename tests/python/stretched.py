"""A stretched axis in Python: u has its fluxes, in psg.solve() and psg.Plan, of three axes and of
two; the points are in the middle; what is wrong has words; a gradient that PyTorch asks for counts
points by their cells."""

import warnings

import numpy as np
import psg
import pytest

F = np.random.default_rng(1).standard_normal((9, 6, 8))
Z = np.cumsum(np.concatenate([[-0.25], 1 + np.random.default_rng(2).random(9) * 5]))


def residual(f, u, faces, lambda_=0.0):
    """Between Dirichlet sides along the first axis, with values 0.5 and -1; the others are
    periodic, of length 1."""
    shape = (-1,) + (1,) * (f.ndim - 1)
    width, middle = np.diff(faces).reshape(shape), (faces[1:] + faces[:-1]) / 2
    at = np.concatenate([faces[:1], middle, faces[-1:]])
    ends = np.full_like(u[:1], 0.5), np.full_like(u[:1], -1)
    flux = np.diff(np.concatenate([ends[0], u, ends[1]]), axis=0) / np.diff(at).reshape(shape)
    lap = np.diff(flux, axis=0) / width
    for d in range(1, f.ndim):
        lap += (np.roll(u, 1, d) - 2 * u + np.roll(u, -1, d)) * f.shape[d] ** 2
    return np.abs(lap - lambda_ * u - f).max() / np.abs(f).max()


def test_u():
    values = {"z": (0.5, -1)}
    terms = dict(bc={"z": "dirichlet"}, symbol="fd2", gpus=0)
    for faces in (Z, list(Z), Z.astype("f4")):
        u = psg.solve(F, faces={"z": faces}, values=values, lambda_=0.5, **terms)
        assert residual(F, u, np.asarray(faces, dtype="f8"), 0.5) < 1e-12
    with psg.Plan(F.shape, box=(Z[-1] - Z[0], 1, 1), faces={"z": Z}, **terms) as plan:
        assert residual(F, plan.solve(F, values=values), Z) < 1e-12
        u, (gradient, _, _) = plan.gradient(F)
        middle = (Z[1:] + Z[:-1]) / 2
        flux = np.diff(u, axis=0) / np.diff(middle)[:, None, None]
        assert np.allclose(gradient[:-1], flux, atol=1e-12)
    terms["bc"] = {"y": "dirichlet"}
    u = psg.solve(F[:, 0], faces={"y": Z}, values={"y": (0.5, -1)}, **terms)
    assert residual(F[:, 0], u, Z) < 1e-12
    assert np.allclose(psg.points(F.shape, faces={"z": Z})[0].ravel(), (Z[1:] + Z[:-1]) / 2)
    terms["bc"] = {"z": "dirichlet"}
    other = psg.solve(F, faces={"z": Z * np.linspace(1, 2, 10)}, values=values, **terms)
    assert residual(F, other, Z * np.linspace(1, 2, 10)) < 1e-12


def test_robin():
    k, g = (0.7, 3.0), (0.5, -1.0)
    width, even = np.diff(Z), np.linspace(0, 2.0, 10)
    for faces in Z, None:
        at = even if faces is None else Z
        given = dict(box=(at[-1] - at[0], 1, 1), bc={"z": "robin"}, robin={"z": k}, symbol="fd2",
                     gpus=0, faces=None if faces is None else {"z": faces})
        u = psg.solve(F, values={"z": g}, **given)
        width, middle = np.diff(at)[:, None, None], (at[1:] + at[:-1]) / 2
        ends = [(u[m] - s * g[m] * width[m] / 2) / (1 + k[m] * width[m] / 2)
                for m, s in ((0, 1), (-1, -1))]
        inner = np.diff(u, axis=0) / np.diff(middle)[:, None, None]
        flux = np.concatenate([[g[0] + k[0] * ends[0]], inner, [g[1] - k[1] * ends[1]]])
        lap = np.diff(flux, axis=0) / width
        for d, n in ((1, 6), (2, 8)):
            lap += (np.roll(u, 1, d) - 2 * u + np.roll(u, -1, d)) * n ** 2
        assert np.abs(lap - F).max() < 1e-12 * np.abs(F).max() * n ** 2
        with psg.Plan(F.shape, **given) as plan:
            _, (gradient, _, _) = plan.gradient(F, values={"z": g})
            assert np.allclose(gradient, flux[1:], atol=1e-12)
        other = psg.solve(F, values={"z": g}, **{**given, "robin": {"z": (k[0], 2.0)}})
        assert np.abs(other - u).max() > 1e-3
    flat = dict(bc={"y": ("robin", "neumann")}, robin={"y": (2.0, 0)}, symbol="fd2", gpus=0)
    assert np.isfinite(psg.solve(F[:, 0], **flat)).all()
    for words, wrong in (("robin={'z': \\(k0, k1\\)} says what k is", dict(bc={"z": "robin"})),
                         ("a dictionary is needed", dict(bc={"z": "robin"}, robin=2.0)),
                         ("k of both sides is needed", dict(bc={"z": "robin"}, robin={"z": 2.0})),
                         ("robin\\[1\\] along z is -1",
                          dict(bc={"z": "robin"}, robin={"z": (1, -1)})),
                         ("side along z is no Robin side", dict(robin={"z": (1, 1)})),
                         ("a number is needed", dict(bc={"z": "robin"}, robin={"z": ("k", 1)}))):
        with pytest.raises(psg.ArgumentError, match=words):
            psg.solve(F, symbol="fd2", gpus=0, **wrong)
    with pytest.raises(psg.UnsupportedError, match="symbol spectral has no Robin side"):
        psg.solve(F, bc={"z": "robin"}, robin={"z": (1, 1)}, gpus=0)


def matrix(eps, sides, lambda_):
    """Of div(eps grad u) - lambda u, row by row, in points whose sides along the first axis are
    these; the others are periodic, of length 1. A Dirichlet side has the value 0."""
    size, width = F.shape, np.diff(Z)
    points = list(np.ndindex(size))
    row = {at: m for m, at in enumerate(points)}
    made = np.zeros((len(points), len(points)))
    for at in points:
        for d, step in ((0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)):
            to = list(at)
            to[d] = (at[d] + step) % size[d]
            to, here = tuple(to), width[at[0]] if d == 0 else 1 / size[d]
            there = width[to[0]] if d == 0 else here
            side = sides[(step + 1) // 2] if d == 0 and abs(to[0] - at[0]) > 1 else "periodic"
            if eps[at] == 0 or side in ("neumann", "free") or (side == "periodic" and eps[to] == 0):
                continue
            through = 1 / (here / 2 / eps[at] + (there / 2 / eps[to] if side == "periodic" else 0))
            made[row[at], row[at]] -= through / here
            if side == "periodic":
                made[row[at], row[to]] += through / here
        made[row[at], row[at]] -= lambda_
    return made


@pytest.mark.parametrize("sides", [("dirichlet",) * 2, ("dirichlet", "neumann"), ("neumann",) * 2,
                                   ("neumann", "dirichlet"), ("periodic",) * 2, ("free",) * 2,
                                   ("dirichlet", "free"), ("free", "neumann")])
def test_epsilon(sides):
    """A dense matrix. What flows through free sides is that of solves without epsilon."""
    rng = np.random.default_rng(7)
    eps = np.exp(3 * rng.random(F.shape))
    eps[[-side for side in (0, 1) if sides[side] == "free"]] = 2
    eps[3:6, 1:4, 2:5] = 0
    lambda_ = 0 if "dirichlet" in sides else 2
    terms = dict(faces={"z": Z}, box=(Z[-1] - Z[0], 1, 1), symbol="fd2", gpus=0,
                 bc={} if sides[0] == "periodic" else {"z": sides})
    fluid = eps.ravel() > 0
    want = np.zeros(F.size)
    made = matrix(eps, sides, lambda_)
    if "free" in sides:
        with psg.Plan(F.shape, **terms) as plan:
            plain = [plan.solve(one.reshape(F.shape), lambda_=lambda_ / 2).ravel()
                     for one in np.eye(F.size)]
        made += 2 * (np.linalg.inv(np.array(plain).T) - matrix(np.ones_like(F), sides, lambda_ / 2))
    want[fluid] = np.linalg.solve(made[np.ix_(fluid, fluid)], F.ravel()[fluid])
    u = psg.solve(F, epsilon=eps, lambda_=lambda_, tolerance=1e-12, **terms)
    assert np.abs(u.ravel() - want).max() <= 1e-10 * np.abs(want).max()
    with psg.Plan(F.shape, **terms) as plan:
        ones = np.ones_like(F)
        for given in (ones,) if "free" in sides else (ones, (ones, ones, ones)):
            same = plan.solve(F, epsilon=given, lambda_=2)
            plain = plan.solve(F, lambda_=2)
            assert np.abs(same - plain).max() <= 1e-12 * np.abs(plain).max()


def test_project():
    v = np.random.default_rng(3).standard_normal((3, 9, 6, 8))
    v[2] = np.where(np.arange(9)[:, None, None] == 8, 0, v[2])
    with psg.Plan(F.shape, faces={"z": Z}, bc={"z": "neumann"}, symbol="fd2", gpus=0) as plan:
        x, y, z = (a.copy() for a in v)
        plan.project((z, y, x))
    across = (x - np.roll(x, 1, 2)) * 8 + (y - np.roll(y, 1, 1)) * 6
    along = np.diff(np.concatenate([np.zeros_like(z[:1]), z]), axis=0) / np.diff(Z)[:, None, None]
    assert np.abs(across + along).max() < 1e-12


def test_bad():
    def refused(words, error=psg.ArgumentError, f=F, **given):
        with pytest.raises(error, match=words):
            psg.solve(f, **{"symbol": "fd2", "gpus": 0, **given})

    refused("faces along z have the shape \\(9,\\): 9 cells have 10 faces", faces={"z": Z[:-1]})
    refused("an array of numbers is needed", faces={"z": "z"})
    refused("a dictionary is needed", faces=Z)
    refused("faces has the key 'w'", faces={"w": Z})
    refused("each face is above the one before", faces={"z": Z[::-1]}, box=(1, 1, 1))
    refused("the box is 1 long along z", faces={"z": Z}, box=(1, 1, 1))
    refused("x has faces, and z alone", psg.UnsupportedError, faces={"x": np.arange(9.0)})
    refused("nodes", psg.UnsupportedError, faces={"z": Z}, bc={"z": "dirichlet"}, points="nodes")
    with pytest.warns(UserWarning, match="1e6 to 1"):
        psg.solve(F, faces={"z": np.cumsum([0, 1e-7] + [1] * 8)}, symbol="fd2", gpus=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        psg.solve(F, faces={"z": Z}, symbol="fd2", gpus=0)


def test_torch():
    torch, own = pytest.importorskip("torch"), pytest.importorskip("psg.torch")
    with psg.Plan((5, 3, 4), faces={"z": Z[:6]}, bc={"z": "neumann"}, symbol="fd2", lambda_=0.5,
                  gpus=0) as plan:
        f = torch.rand(5, 3, 4, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(lambda g: own.solve(g, plan), (f,))
