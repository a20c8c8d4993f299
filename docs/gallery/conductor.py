"""Two charges in a conducting box whose lid is at another potential than the rest.

The equation is linear: the potential of charges under a lid is that of the charges in a grounded box and that of the lid alone. By
symmetry the lid makes a sixth of its potential in the middle of a cube. Lengths are in sides L of the cube, charges in q, and the
potential of q at the distance r is q/r.
"""

import math

import numpy as np
import psg
from picture import figure, finish, save

N = 63
sides = dict(bc="dirichlet", points="nodes")
z, y, x = psg.points((N, N, N), **sides)
rho = np.zeros((N, N, N))
rho[N // 2, N // 2, N // 4] = (N + 1) ** 3  # charges of 1 and -1
rho[N // 2, N // 2, N - 1 - N // 4] = -((N + 1) ** 3)
lid = {"z": (0, 20)}

with psg.Plan(rho.shape, symbol="fd2", **sides) as plan:
    charges = plan.solve(rho, factor=-4 * math.pi)
    alone = plan.solve(np.zeros_like(rho), values=lid)
    both = plan.solve(rho, factor=-4 * math.pi, values=lid)
print("in the middle: %.12f of the lid; sum of the parts off by %.1g" % (alone[31, 31, 31] / 20, abs(charges + alone - both).max()))
assert abs(alone[31, 31, 31] / 20 - 1 / 6) < 1e-12
assert abs(charges + alone - both).max() < 1e-11 * abs(both).max()

page, panels = figure(2)
for axes, field, title in zip(panels, (charges, both), ("all sides at 0", "the lid at 20 q/L, all other sides at 0")):
    plane = field[:, N // 2]
    ez, ex = np.gradient(-plane)
    shown = axes.contourf(x.ravel(), z.ravel(), plane, np.arange(-20, 21, 2), cmap="RdBu_r", extend="both")
    axes.streamplot(x.ravel(), z.ravel(), ex, ez, color="black", linewidth=0.4, arrowsize=0.5, density=1.2)
    axes.set_aspect("equal")
    finish(page, axes, title, "x / L", "z / L", shown, "potential, q/L")
save(page, __file__)
