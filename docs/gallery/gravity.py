"""The gravity of a galaxy: a disk with a bulge, and how fast stars go round in it.

Disk (Miyamoto and Nagai, 1975) and bulge (Plummer, 1911) have potentials in closed form. They are known on the sides of the box,
as values for the stencil fd2, and the solve finds the potential between. Lengths are in kpc, speeds in km/s, and masses in
masses of the Sun.
"""

import math

import numpy as np
import psg
from matplotlib.colors import LogNorm
from picture import around, figure, finish, save

G = 4.30091e-6  # kpc (km/s)^2 over a mass of the Sun
N, BOX = 96, 20.0  # points along each axis; kpc
DISK, A, B = 6.5e10, 3.0, 0.6  # mass, and lengths
BULGE, C = 1.3e10, 0.8


def potential(z, y, x):
    flat = A + np.sqrt(z**2 + B**2)
    return -G * DISK / np.sqrt(x**2 + y**2 + flat**2) - G * BULGE / np.sqrt(x**2 + y**2 + z**2 + C**2)


def density(z, y, x):
    r2, s = x**2 + y**2, np.sqrt(z**2 + B**2)
    disk = DISK * B**2 / (4 * math.pi) * (A * r2 + (A + 3 * s) * (A + s) ** 2) / ((r2 + (A + s) ** 2) ** 2.5 * s**3)
    return disk + 3 * BULGE * C**2 / (4 * math.pi) / (r2 + z**2 + C**2) ** 2.5


sides = dict(box=BOX, bc="dirichlet", points="nodes")
z, y, x = (a - BOX / 2 for a in psg.points((N, N, N), **sides))
far = BOX / 2
values = {"z": (potential(-far, y, x)[0], potential(far, y, x)[0]), "y": (potential(z, -far, x)[:, 0], potential(z, far, x)[:, 0]),
          "x": (potential(z, y, -far)[:, :, 0], potential(z, y, far)[:, :, 0])}
phi = psg.solve(density(z, y, x), factor=4 * math.pi * G, symbol="fd2", values=values, **sides)

error = abs(phi - potential(z, y, x)).max() / abs(phi).max()
print("error of the potential %.2g of its maximum" % error)
assert error < 0.01

middle, h = N // 2, BOX / (N + 1)
along = (phi[middle, middle - 1] + phi[middle, middle] + phi[middle - 1, middle - 1] + phi[middle - 1, middle]) / 4
r = x.ravel()[middle + 1:-1]
speed = np.sqrt(r * (along[middle + 2:] - along[middle:-2]) / (2 * h))

page, (left, right) = figure(2)
shown = left.imshow(density(z, y, x)[:, middle], extent=around(x, z), cmap="magma", norm=LogNorm())
left.contour(x.ravel(), z.ravel(), phi[:, middle], 12, colors="white", linewidths=0.5, linestyles="solid")
finish(page, left, "density, and lines of equal potential", "x, kpc", "z, kpc", shown, "suns / kpc\N{SUPERSCRIPT THREE}")
right.plot(r, speed)
right.set_ylim(0, None)
finish(page, right, "speed of stars in the plane", "distance from the centre, kpc", "speed, km/s")
save(page, __file__)
