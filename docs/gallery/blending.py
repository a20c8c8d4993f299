"""A part of one picture in another: pasted, it has a rim; blended, it has none.

The recipe of docs/clients.md: inside, the part has the second differences of its source, and at its rim the values of the target
(Perez, Gangnet and Blake 2003). One solve of 58 x 78 points in 2-D, Dirichlet sides with values, points on nodes, stencil fd2.
"""

import numpy as np
import psg
from picture import figure, finish, save

y, x = np.mgrid[:120, :160]
target = np.sin(x / 25) + y / 60
source = 3 + 0.5 * np.cos(x / 3) * np.cos(y / 4) * np.exp(-((x - 80) ** 2 + (y - 60) ** 2) / 900)


def second_differences(a):
    return a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1]


part, inner = np.s_[30:90, 40:120], np.s_[31:89, 41:119]
f = second_differences(source[part])
rim = [(target[30, 41:119], target[89, 41:119]), (target[31:89, 40], target[31:89, 119])]
pasted, blend = target.copy(), target.copy()
pasted[inner] = source[inner]
blend[inner] = psg.solve(f, box=np.add(f.shape, 1), bc="dirichlet", points="nodes", symbol="fd2", values=rim)
left = abs(second_differences(blend[part]) - f).max()
steps = [abs(np.diff(picture, axis=0)[[30, 88], 41:119]).max() for picture in (pasted, blend)]
print("largest step across the rim %.2f pasted, %.2f blended; second differences differ by %.1e" % (*steps, left))
assert left < 1e-12 and steps[1] < 0.1 * steps[0]

page, panels = figure(2, height=2.6)
for axes, shown, title in ((panels[0], pasted, "pasted"), (panels[1], blend, "blended by one solve")):
    image = axes.imshow(shown, cmap="gray", vmin=-1, vmax=3.5)
    finish(page, axes, title, "x, pixels", "y, pixels", image, "brightness", shrink=0.8)
save(page, __file__)
