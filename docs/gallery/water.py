"""Water in GPAW with psg as its Poisson solver: the electrostatic potential around the molecule.

The class is that of docs/clients.md, from where it is taken. GPAW's own solver gives the same potential. Cell 6 x 6 x 6 Angstrom,
potential 0 at its sides, points on nodes, stencil fd6. Needs GPAW and ASE.
"""

import os
import re

import numpy as np
from picture import around, figure, finish, save

page = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "clients.md")
with open(page, encoding="utf-8") as file:
    exec(re.search(r"```python\n(.*?)^for pbc", file.read(), re.DOTALL | re.MULTILINE).group(1))  # its imports and its class Psg

found = []
for solver in (PoissonSolver("fast", nn=3), Psg(3)):
    water = molecule("H2O", cell=(6, 6, 6))
    water.center()
    water.calc = GPAW(mode="fd", xc="LDA", h=0.22, txt=None, poissonsolver=solver,
                      convergence={"energy": 1e-4, "density": 1e-3, "eigenstates": 1e-4})
    energy = water.get_potential_energy()
    found.append((energy, water.calc.get_electrostatic_potential()))
(energy, own), (by_psg_energy, by_psg) = found
print("%s points, %.6f eV, %.6f by psg; potentials differ by %.1e V" % (by_psg.shape, energy, by_psg_energy, abs(own - by_psg).max()))
assert abs(energy - by_psg_energy) < 1e-8 and abs(own - by_psg).max() < 1e-8 * abs(own).max()

n = by_psg.shape[0]
x = np.arange(n) * 6 / n
page, panels = figure(2, height=3.1)
for axes, field, title, limits in ((panels[0], by_psg, "electrostatic potential by psg", dict(vmin=-60, vmax=0, cmap="viridis")),
                                   (panels[1], by_psg - own, "less the one of GPAW's solver", {})):
    shown = axes.imshow(field[n // 2].T, extent=around(x, x), **limits)
    finish(page, axes, title, "y, Angstrom", "z, Angstrom", shown, "V", shrink=0.8)
save(page, __file__)
