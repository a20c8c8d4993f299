"""plan.solve(epsilon=(ez, ey, ex)) solves the equation with epsilon on the faces of cells, by a stencil of NumPy's."""

import numpy as np
import psg
import pytest


def faces_stencil(u, faces, sides, box, lambda_):
    """div(eps grad u) - lambda u with eps of the faces above the points: sums of fluxes."""
    total = -lambda_ * u
    for axis, (eps, side) in enumerate(zip(faces, sides)):
        n, h = u.shape[axis], box[axis] / u.shape[axis]
        v, e = np.moveaxis(u, axis, 0), np.moveaxis(eps, axis, 0)
        flux = np.zeros((n + 1, *v.shape[1:]))
        flux[1:n] = e[:-1] * np.diff(v, axis=0)
        if side == "periodic":
            flux[0] = flux[n] = e[-1] * (v[0] - v[-1])
        elif side == "dirichlet":
            flux[0], flux[n] = 2 * e[0] * v[0], -2 * e[-1] * v[-1]
        total = total + np.moveaxis(np.diff(flux, axis=0), 0, axis) / h**2
    return total


@pytest.mark.parametrize("sides", [("periodic", "neumann", "dirichlet"), ("neumann", "dirichlet"),
                                   ("dirichlet", "periodic", "periodic")])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_epsilon_faces(dtype, sides):
    rng, shape, box = np.random.default_rng(8), (6, 5, 8)[-len(sides):], (1, 1.5, 2)[-len(sides):]
    f = rng.standard_normal(shape).astype(dtype)
    bc = dict(zip("zyx"[-len(sides):], sides))
    faces = [np.exp(3 * rng.random(shape)) * (rng.random(shape) > .1) for _ in shape]
    faces = tuple(eps.astype(dtype) for eps in faces)
    for lambda_ in (0, 2):
        u = psg.solve(f, symbol="fd2", box=box, bc=bc, epsilon=faces, lambda_=lambda_, tolerance=0)
        wide = [eps.astype(float) for eps in faces]
        left = faces_stencil(u.astype(float), wide, sides, box, lambda_) - f
        solid = u == 0
        assert lambda_ == 0 or not solid.any()
        most = 1.01e-10 if dtype == "f8" else 1e-3
        assert np.linalg.norm(left[~solid]) <= most * np.linalg.norm(f)
    wrong = faces[0].copy()
    wrong.flat[7] = -1
    few = "an array like f, or .* on faces, not %d arrays" % (len(shape) - 1)
    for given, words in ((faces[1:], few),
                         ((wrong, *faces[1:]), r"epsilon_faces\[\d\] is -1 at"),
                         ([*faces[1:], None], "epsilon"),
                         ((faces[0][1:], *faces[1:]), r"epsilon\[0\] has the shape"),
                         ((faces[0][::-1], *faces[1:]), r"epsilon\[0\]\[::-1\]|epsilon\[0\]")):
        with pytest.raises(psg.Error, match=words):
            psg.solve(f, symbol="fd2", box=box, bc=bc, epsilon=given)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_two_dielectrics(dtype):
    """u = 1 and 4 on plates: u is linear in each dielectric, and the flux is one."""
    shape, box = (12, 3), (3.0, 1.0)
    eps = np.where(np.arange(12)[:, None] < 4, 2, 6) * np.ones(shape)
    y = (np.arange(12)[:, None] + .5) / 4
    flux = 3 / (1 / 2 + 2 / 6)
    want = np.where(y < 1, 1 + flux / 2 * y, 1 + flux / 2 + flux / 6 * (y - 1))
    f, eps = np.zeros(shape, dtype), eps.astype(dtype)
    for sides, values in (("dirichlet", (1, 4)),
                          (("dirichlet", "neumann"), (1, np.full(3, flux / 6, dtype)))):
        u = psg.solve(f, symbol="fd2", box=box, bc={"y": sides}, epsilon=eps, values={"y": values})
        assert abs(u - want).max() < (1e-8 if dtype == "f8" else 1e-4)
    bad = np.full(3, np.nan, dtype)
    with pytest.raises(psg.DataError, match="the value nan on side y0"):
        psg.solve(f, symbol="fd2", box=box, bc={"y": sides}, epsilon=eps, values={"y": (bad, 0)})
