"""A capacitor with dielectric balls between its plates: a coefficient that jumps.

A square part of two plates has one ball of permittivity E in its middle, and the parts beside it are alike. The potential is z/H + w
with w = 0 on the plates, so that div(eps grad w) = -d eps/dz / H. To the plates the balls look like a cubic lattice that goes on for
ever, as each plate mirrors them. Rayleigh's formula (Phil. Mag. 34, 481, 1892; with the term of order 10/3) has the capacitance of
that lattice. Lengths are in distances H of the plates, potentials in the voltage V between them.
"""

import math

import numpy as np
import psg
from picture import around, figure, finish, save

N, E, RADIUS = 96, 8.0, 0.36
h = 1 / N
sides = dict(bc={"z": "dirichlet"})
z, y, x = psg.points((N, N, N), **sides)
distance = np.sqrt((x - 0.5 + h / 2) ** 2 + (y - 0.5 + h / 2) ** 2 + (z - 0.5) ** 2)
eps = np.where(distance < RADIUS, E, 1.0)

between = 2 * eps[1:] * eps[:-1] / (eps[1:] + eps[:-1])
faces = np.concatenate((eps[:1], between, eps[-1:]))  # of a point with the one below; half a cell below the first one is a plate
f = -np.diff(faces, axis=0) / h
with psg.Plan(f.shape, symbol="fd2", **sides) as plan:
    w = plan.solve(f, epsilon=eps)
u = z + w
charge = np.mean(eps[0] * u[0] / (h / 2)), np.mean(eps[-1] * (1 - u[-1]) / (h / 2))  # of a plate's area, over that without balls

part = np.count_nonzero(eps > 1) / N**3
polarity = (E - 1) / (E + 2)
lattice = 1 + 3 * part / (1 / polarity - part - 1.305 * (E - 1) / (E + 4 / 3) * part ** (10 / 3))
print("capacitance: %.4f of the one without balls; Rayleigh's formula: %.4f; the charges differ by %.1g"
      % (charge[0], lattice, abs(charge[0] - charge[1])))
assert math.isclose(charge[0], lattice, rel_tol=0.02)
assert math.isclose(charge[0], charge[1], rel_tol=1e-8)

page, panels = figure(2)
plane = u[:, N // 2]
ez, ex = np.gradient(-plane, h)
across = x.ravel() + h / 2, z.ravel()
for axes, field, title, words, map_ in zip(
        panels, (plane, np.hypot(ex, ez)), ("potential, and lines of the field", "strength of the field"),
        ("potential, V", "field, V/H"), ("RdBu_r", "viridis")):
    shown = axes.imshow(field, extent=around(*across), cmap=map_)
    finish(page, axes, title, "x / H", "z / H", shown, words)
panels[0].streamplot(*across, ex, ez, color="black", linewidth=0.4, arrowsize=0.5, density=1.1)
save(page, __file__)
