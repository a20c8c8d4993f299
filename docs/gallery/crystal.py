"""The potential of rock salt, and its Madelung constant.

Eight ions in a periodic cell, each a narrow Gaussian. The energy of the Gaussians less that of each in its own potential is the
energy of point charges, because Gaussians so far apart act on each other as points do. Lengths are in sides a of the cell, charges
in e, and the potential of e at the distance r is e/r.
"""

import math

import numpy as np
import psg
from picture import around, figure, finish, save

N, SIGMA = 64, 0.045
x = np.arange(N) / N


def line(centre):
    """A Gaussian along one axis, with its images in the cells beside."""
    return sum(np.exp(-((x - centre + cell) ** 2) / (2 * SIGMA**2)) for cell in (-2, -1, 0, 1, 2)) / math.sqrt(2 * math.pi) / SIGMA


rho = np.zeros((N, N, N))
for ion in np.ndindex(2, 2, 2):
    sign = -1 if sum(ion) % 2 else 1
    rho += sign * np.einsum("k,j,i->kji", *(line(place / 2) for place in ion))

phi = psg.solve(rho, factor=-4 * math.pi)  # lap(phi) = -4 pi rho

energy = (rho * phi).sum() / 2 / N**3 - 8 / (2 * math.sqrt(math.pi) * SIGMA)
madelung = -energy * 0.5 / 4  # four pairs, 0.5 apart
print("Madelung constant %.12f" % madelung)
assert abs(madelung - 1.747564594633) < 1e-11

page, panels = figure(2)
places = np.arange(2 * N) / N
for axes, field, title, label in zip(panels, (rho, phi), ("f: the charge of the ions", "u: the potential that they make"),
                                     ("charge density, e/a\N{SUPERSCRIPT THREE}", "potential, e/a")):
    cells = np.tile(field[0], (2, 2))
    end = abs(cells).max()
    shown = axes.imshow(cells, extent=around(places, places), vmin=-end, vmax=end)
    axes.set_xticks((0, 0.5, 1, 1.5))
    axes.set_yticks((0, 0.5, 1, 1.5))
    finish(page, axes, title, "x / a", "y / a", shown, label)
save(page, __file__)
