#!/bin/sh
# What deb.sh does inside of the bare Debian, in which /psg.deb is the package.

# loudly COMMAND...: its words are shown where it fails
loudly() {
    "$@" >/tmp/apt.log 2>&1 || {
        cat /tmp/apt.log
        return 1
    }
}

# add PACKAGE...: what the archive does not have is an error of the package; what cannot be fetched is none
add() {
    loudly apt-get -q -s install --no-install-recommends "$@"
    loudly apt-get -q -y install --download-only --no-install-recommends "$@" || exit 77
    loudly apt-get -q -y install --no-install-recommends "$@"
}
loudly apt-get -q update || exit 77

# The command.
add /psg.deb
psg --version
psg solve --problem madelung --grid 64 >/tmp/madelung.log
cat /tmp/madelung.log
grep -q 'Madelung  1.747564594633 of NaCl' /tmp/madelung.log
psg solve --problem modes --grid 20x18x16 --out /tmp/phi.h5:/phi --verify

# Programs in C and Python.
add gcc libc6-dev pkg-config python3-numpy
# shellcheck disable=SC2046 # flags
gcc /tmp/poisson.c -o /tmp/poisson $(pkg-config --cflags --libs psg) -lm
/tmp/poisson
python3 -c "
import numpy, psg
x = 2 * numpy.pi * numpy.arange(16) / 16
u = psg.solve(numpy.cos(x) * numpy.ones((12, 10, 1)), box=(1, 1, 2 * numpy.pi))
assert abs(u + numpy.cos(x)).max() <= 1e-12
print('Python: psg', psg.__version__)"

# What was installed is as it was, and goes.
dpkg --verify psg
loudly apt-get -q -y purge psg
left=$(find /usr /etc /opt -name '*psg*')
[ -z "$left" ] || {
    echo "left after the purge: $left"
    exit 1
}
