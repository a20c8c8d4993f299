"""Pressure projection: a flow between two walls loses its divergence.

Velocities stand on the faces of the cells, pressure in their middles. The stencil fd2 is the divergence of the difference of
pressure on faces, so after u -= grad p the divergence is zero to rounding. Walls are below and above, along y. Lengths are in heights H of the
channel, and speeds in the speed U of the flow in its middle.
"""

import numpy as np
import psg
from picture import around, figure, finish, save

NZ, NY, NX = 24, 48, 96
H = 1 / NY
z, y, x = psg.points((NZ, NY, NX), box=(NZ * H, 1, NX * H), bc={"y": "neumann"})

# On the lower face of each cell; along y there is one more face, and no flow through the walls. A ball of fluid is faster.
u = 4 * y * (1 - y) + 2 * np.exp(-((x - H / 2 - 0.6) ** 2 + (y - 0.5) ** 2 + (z - NZ * H / 2) ** 2) / 0.01)
v = np.zeros((NZ, NY + 1, NX))
w = np.zeros((NZ, NY, NX))


def divergence():
    return (np.roll(u, -1, 2) - u + v[:, 1:] - v[:, :-1] + np.roll(w, -1, 0) - w) / H


before = divergence()
p = psg.solve(before, box=(NZ * H, 1, NX * H), bc={"y": "neumann"}, symbol="fd2")
u -= (p - np.roll(p, 1, 2)) / H
v[:, 1:-1] -= (p[:, 1:] - p[:, :-1]) / H
w -= (p - np.roll(p, 1, 0)) / H
after = divergence()
print("divergence before %.3g, after %.3g" % (abs(before).max(), abs(after).max()))
assert abs(after).max() < 1e-12 * abs(before).max()

page, panels = figure(2, height=2.1)
for axes, field, title, label in ((panels[0], before, "divergence before", "divergence, U/H"),
                                  (panels[1], p, "p, whose gradient takes it away", "p, U H")):
    shown = axes.imshow(field[NZ // 2], extent=around(x, y))
    finish(page, axes, title, "x / H, along the channel", "y / H", shown, label, shrink=0.8)
save(page, __file__)
