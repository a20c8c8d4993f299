#!/bin/sh
# The Containerfile makes an image, and psg solves in it.
#
#   container.sh SOURCE WORK
#
# SOURCE is the clone. The image is made from the bare Debian in WORK, in place of the one of the internet that the Containerfile
# names. buildah keeps what it makes in WORK/images while the test runs. Ends with 77 where Debian's archive cannot be reached.
set -eu
source=$1 work=$2
# shellcheck source=tests/package/bare.sh disable=SC1091
. "$source/tests/package/bare.sh"

# A folder for each image, and chroot in place of a container: both need nothing of the kernel.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
images() {
    buildah --log-level error --root "$work/images" --runroot "$work/images/run" "$@"
}
clear_images() {
    images rm --all && images rmi --all --force
}
clear_images >/dev/null
trap 'clear_images >/dev/null' EXIT

container=$(images from scratch)
cp -a "$bare/." "$(images mount "$container")"
images run "$container" -- apt-get -q update >"$work/container.log" 2>&1 || {
    cat "$work/container.log"
    exit 77
}
images commit --rm "$container" localhost/debian >"$work/container.log" 2>&1
images build --pull-never --build-arg DEBIAN=localhost/debian -f "$source/packaging/container/Containerfile" -t localhost/psg \
    "$source" >"$work/container.log" 2>&1 || {
    tail -n 40 "$work/container.log"
    exit 1
}

entry=$(images inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' localhost/psg)
[ "$entry" = "[psg]" ] || {
    echo "the image starts $entry"
    exit 1
}
container=$(images from --pull-never localhost/psg)
inside() {
    images run "$container" -- "$@"
}
inside psg --version
inside psg solve --problem madelung --grid 64 | tee "$work/madelung.log"
grep -q 'Madelung  1.747564594633 of NaCl' "$work/madelung.log"
inside mpirun --oversubscribe -n 2 psg solve --problem modes --grid 20x18x16 --verify
inside python3 -c 'import numpy, psg; print(abs(psg.solve(numpy.zeros((8, 8, 8)))).max())'
