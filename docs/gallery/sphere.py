"""The flow of an ideal fluid around a ball: a solid body in the solve.

The velocity is U (x + grad phi), and nothing flows through the ball: div(eps grad phi) = -d eps/dx, with eps = 1 in the fluid and 0
in the ball. If there is nothing else in space, grad phi has the energy that half the ball's volume of fluid has with the speed U (the
added mass), and the fluid is fastest beside the ball, with 3/2 U. Here the ball has neighbours six radii away, as the box is periodic.
Lengths are in radii of the ball.
"""

import numpy as np
import psg
from picture import around, figure, finish, save

N, BOX = 96, 6.0
h = BOX / N
z, y, x = (axis - BOX / 2 for axis in psg.points((N, N, N), box=BOX))
eps = np.where(x**2 + y**2 + z**2 > 1, 1.0, 0.0)

opened = [eps * np.roll(eps, -1, axis) for axis in range(3)]  # the face between a point and the next one: 1, or 0 beside the ball
f = -(opened[2] - np.roll(opened[2], 1, 2)) / h
with psg.Plan(f.shape, box=BOX, symbol="fd2") as plan:
    phi, gradient = plan.gradient(f, epsilon=eps)
velocity = [face * (along + (axis == 2)) for axis, (face, along) in enumerate(zip(opened, gradient))]  # through these faces
divergence = sum(part - np.roll(part, 1, axis) for axis, part in enumerate(velocity)) / h
mass = -np.sum(phi * f) / np.count_nonzero(eps == 0)
print("added mass: %.3f of the ball's volume; the fastest fluid: %.2f U; divergence: %.1g U/R"
      % (mass, velocity[2].max(), np.abs(divergence).max()))
assert abs(mass - 0.5) < 0.01
assert abs(velocity[2].max() - 1.5) < 0.15
assert np.abs(divergence).max() < 1e-7

page, panels = figure(2)
w, _, u = (0.5 * (part + np.roll(part, 1, axis))[:, N // 2] for axis, part in enumerate(velocity))  # at the points of a plane
speed = np.where(eps[:, N // 2] > 0, np.hypot(u, w), np.nan)
pressure = 1 - speed**2
across = x.ravel(), z.ravel()
for axes, field, title, words, map_ in zip(
        panels, (speed, pressure), ("speed, and lines that the fluid follows", "pressure, from Bernoulli's equation"),
        ("speed / U", r"pressure / ($\rho U^2/2$)"), ("viridis", "RdBu_r")):
    shown = axes.imshow(field, extent=around(*across), cmap=map_, vmin=0 if field is speed else -1.3, vmax=1.5 if field is speed else 1.3)
    finish(page, axes, title, "x / R", "z / R", shown, words)
panels[0].streamplot(*across, np.where(np.isnan(speed), 0, u), np.where(np.isnan(speed), 0, w), color="white", linewidth=0.5,
                     arrowsize=0.5, density=1.1)
save(page, __file__)
