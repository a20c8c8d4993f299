"""The potential of a bunch of electrons in free space, and what a periodic box makes of it.

The bunch is a Gaussian of 1 nC, 5 times as long as it is wide. Its potential is an integral over one variable, which is in all
books on beams. A periodic box has the images of the bunch in all directions, and a background that makes the charge 0.
"""

import math

import numpy as np
import psg
from picture import around, figure, finish, save

EPSILON0, CHARGE = 8.8541878128e-12, -1e-9  # F/m, C
WIDTH, LENGTH = 0.2e-3, 1e-3  # standard deviations across and along, m
SHAPE, BOX = (96, 48, 48), (12e-3, 2.4e-3, 2.4e-3)  # points and lengths along z, y, x: 6 standard deviations each way


def potential(z, r2):
    """By Gauss's rule for q = WIDTH^2 tan(v)^2, which takes all lengths to one interval."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    v = math.pi / 4 * (nodes + 1)
    q = (LENGTH * np.tan(v)) ** 2
    dq = 2 * LENGTH**2 * np.tan(v) / np.cos(v) ** 2 * math.pi / 4 * weights
    a, b = 2 * WIDTH**2 + q, 2 * LENGTH**2 + q
    inside = np.exp(-np.multiply.outer(r2, 1 / a) - np.multiply.outer(z**2, 1 / b)) / (a * np.sqrt(b))
    return CHARGE / (4 * math.pi**1.5 * EPSILON0) * inside @ dq


z, y, x = (a - length / 2 for a, length in zip(psg.points(SHAPE, box=BOX, bc="free"), BOX))
rho = CHARGE * np.exp(-(x**2 + y**2) / (2 * WIDTH**2) - z**2 / (2 * LENGTH**2)) / ((2 * math.pi) ** 1.5 * WIDTH**2 * LENGTH)
phi = {bc: psg.solve(rho, box=BOX, bc=bc, factor=-1 / EPSILON0) for bc in ("free", "periodic")}

line, middle = (slice(None), 24, 24), SHAPE[0] // 2
exact = potential(z.ravel(), np.full(SHAPE[0], x[0, 0, 24] ** 2 + y[0, 24, 0] ** 2))
error = abs(phi["free"][line] - exact).max() / abs(exact).max()
print("error of the potential %.2g of its maximum" % error)
assert error < 1e-6

page, (left, right) = figure(2)
shown = left.imshow(phi["free"][:, 24].T / 1e3, extent=around(z * 1e3, x * 1e3), cmap="magma", aspect="auto")
left.contour(z.ravel() * 1e3, x.ravel() * 1e3, phi["free"][:, 24].T, 12, colors="white", linewidths=0.5, linestyles="solid")
finish(page, left, "potential in free space", "z, mm", "x, mm", shown, "kV")
right.plot(z.ravel() * 1e3, phi["free"][line] / 1e3, label="free sides")
right.plot(z.ravel() * 1e3, phi["periodic"][line] / 1e3, label="periodic sides")
right.plot(z.ravel()[::6] * 1e3, exact[::6] / 1e3, "k.", markersize=4, label="exact")
right.legend()
finish(page, right, "on the axis", "z, mm", "potential, kV")
save(page, __file__)
