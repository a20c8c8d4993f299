"""Turbulence between two walls: a recorded run of tests/example/channel beside published means.

The run is a direct simulation at 2784 = mean speed * half height / viscosity, which gives a friction of about Re_tau = 178.
Speeds are in units of the friction's, and z+ is the distance from the wall in units of viscosity over that.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from picture import figure, finish, save

# Moser, Kim and Mansour, Phys. Fluids 11, 943 (1999), Re_tau 178.12: z+, U, and the means of uu, vv, ww, -uw. Here z is the
# axis between the walls, and y the other one.
PUBLISHED = np.array([
    [0.85771, 0.85555, 0.096440, 0.023575, 3.3837e-05, 0.00047696],
    [1.9279, 1.9148, 0.48128, 0.094415, 0.00065008, 0.0055974],
    [3.4226, 3.3632, 1.4508, 0.22029, 0.0044488, 0.030437],
    [5.3381, 5.1133, 3.1074, 0.37999, 0.017023, 0.099746],
    [7.6700, 6.9892, 5.0136, 0.54990, 0.045228, 0.22265],
    [10.412, 8.7741, 6.4495, 0.71647, 0.094281, 0.37304],
    [13.559, 10.311, 7.0531, 0.86829, 0.16551, 0.51115],
    [17.102, 11.550, 6.9303, 0.99417, 0.25498, 0.61359],
    [21.033, 12.520, 6.3698, 1.0853, 0.35398, 0.67778],
    [25.342, 13.276, 5.6373, 1.1421, 0.45163, 0.71148],
    [30.019, 13.870, 4.9093, 1.1719, 0.53880, 0.72308],
    [40.432, 14.750, 3.7157, 1.1720, 0.65930, 0.70437],
    [52.171, 15.419, 2.8994, 1.0988, 0.69928, 0.65677],
    [65.123, 15.993, 2.3495, 1.0054, 0.67802, 0.59252],
    [79.164, 16.515, 1.9566, 0.90060, 0.62817, 0.51854],
    [98.037, 17.094, 1.5889, 0.74250, 0.55678, 0.42015],
    [118.12, 17.585, 1.2490, 0.58801, 0.47867, 0.31287],
    [139.10, 17.981, 0.94625, 0.44939, 0.41436, 0.20066],
    [160.66, 18.235, 0.72362, 0.36772, 0.37966, 0.089993],
    [178.12, 18.301, 0.66256, 0.34727, 0.37436, 0],
])

here = os.path.dirname(os.path.abspath(__file__))
run = np.loadtxt(os.path.join(here, "channel.txt"))
streaks = plt.imread(os.path.join(here, "channel.pgm"))

# The middle of the uppermost cell is a little below the middle of the channel.
inside = PUBLISHED[:, 0] < run[-1, 1]
found = [np.interp(PUBLISHED[inside, 0], run[:, 1], run[:, q]) for q in range(2, 7)]
off = abs(found[0] / PUBLISHED[inside, 1] - 1).max()
most = [abs(a - b).max() for a, b in zip(found[1:], PUBLISHED[inside, 2:].T)]
print("U is at most %.1f %% from the published one, uu, vv, ww, -uw at most %.2f, %.2f, %.2f, %.2f" % (100 * off, *most))
assert off < 0.02

page, (left, middle, right) = figure(3)
left.semilogx(run[:, 1], run[:, 2], label="psg")
left.semilogx(PUBLISHED[:, 0], PUBLISHED[:, 1], "ko", markersize=3, label="Moser et al. 1999")
left.legend()
finish(page, left, "mean speed", "z+, distance from the wall", "U+")
for q, (name, colour) in enumerate((("uu", "C0"), ("vv", "C1"), ("ww", "C2"), ("-uw", "C3")), 3):
    middle.plot(run[:, 1], run[:, q], colour, label=name)
    middle.plot(PUBLISHED[:, 0], PUBLISHED[:, q - 1], "o", color=colour, markersize=3)
middle.legend()
finish(page, middle, "mean squares and products", "z+, distance from the wall", "in units of the friction's speed squared")
shown = right.imshow(1.2 * streaks / 255, extent=(0, 2 * np.pi, 0, np.pi), cmap="magma")
finish(page, right, "speed along x near the wall, z+ = 15", "x / half height", "y / half height", shown, "u / mean speed", shrink=0.6)
save(page, __file__)
