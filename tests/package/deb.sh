#!/bin/sh
# The Debian package of a build installs on a bare Debian, solves, serves programs in C and Python, and goes without a trace.
#
#   deb.sh CPACK BUILD SOURCE WORK
#
# SOURCE is the clone. WORK keeps the bare Debian. What is mounted into its copy is mounted for deb_inside.sh alone: where files
# are removed, nothing is mounted. Ends with 77 where Debian's archive cannot be reached.
set -eu
cpack=$1 build=$2 source=$3 work=$4

# shellcheck source=tests/package/bare.sh disable=SC1091
. "$source/tests/package/bare.sh"

root=$work/root
rm -rf "$work/made" "$root"
"$cpack" -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/cpack.log" 2>&1 || {
    cat "$work/cpack.log"
    exit 1
}
cp -a "$bare" "$root"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe" # dpkg waits for no disk
cp "$work/made"/psg_*.deb "$root/psg.deb"
cp "$source/tests/example/poisson.c" "$source/tests/package/deb_inside.sh" "$root/tmp/"

# CUDA's libraries are in no package of Debian's. They are copied, so that the package of a build with CUDA runs on cores.
dpkg-deb --contents "$root/psg.deb" >"$work/contents"
ldd "$build/libpsg.so" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | while read -r library; do
    name=$(basename "$library")
    if ! grep -qF "/$name" "$work/contents" && ! dpkg-query -S "*/$name" >/dev/null 2>&1; then
        cp -L "$library" "$root/usr/local/lib/"
    fi
done

# With nothing of this machine's environment.
status=0
# shellcheck disable=SC2016 # the inner shell's own
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive STARPU_SILENT=1 \
    unshare -m sh -euc 'mount -t proc proc "$1/proc"; mount -t sysfs -o ro sysfs "$1/sys"; exec chroot "$1" sh -eu /tmp/deb_inside.sh' \
    sh "$root" || status=$?
rm -rf "$root"
exit "$status"
