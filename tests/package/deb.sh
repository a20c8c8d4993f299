#!/bin/sh
# The Debian package of a build installs on a bare Debian, solves, serves programs in C and Python, and goes without a trace.
#
#   deb.sh CPACK BUILD SOURCE WORK
#
# SOURCE is the clone. WORK keeps the bare Debian, of this machine's release, from run to run. What is mounted into the bare
# Debian is mounted for deb_inside.sh alone: where files are removed, nothing is mounted. Ends with 77 where the archive cannot
# be reached.
set -eu
cpack=$1 build=$2 source=$3 work=$4

# Debian's archive as this machine's apt knows it.
# shellcheck disable=SC2016 # apt's own variables
site=$(apt-get indextargets --format '$(LABEL) $(SITE)' "Created-By: Packages" | awk '$1 == "Debian" { print $2; exit }')
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
bare=$work/bare-$release
if [ ! -e "$bare.made" ]; then
    rm -rf "$bare"
    mkdir -p "$work"
    debootstrap --variant=minbase "$release" "$bare" "$site" >"$work/debootstrap.log" 2>&1 || {
        tail -n 5 "$work/debootstrap.log"
        echo "no bare Debian could be made from $site"
        exit 77
    }
    touch "$bare.made"
fi

root=$work/root
rm -rf "$work/made" "$root"
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/cpack.log" 2>&1 || {
    cat "$work/cpack.log"
    exit 1
}
cp -a "$bare" "$root"
cp "$work/made"/psg_*.deb "$root/psg.deb"
cp "$source/tests/example/poisson.c" "$source/tests/package/deb_inside.sh" "$root/tmp/"

# With nothing of this machine's environment.
status=0
# shellcheck disable=SC2016 # the inner shell's own
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive STARPU_SILENT=1 \
    unshare -m sh -euc 'mount -t proc proc "$1/proc"; mount -t sysfs -o ro sysfs "$1/sys"; exec chroot "$1" sh -eu /tmp/deb_inside.sh' \
    sh "$root" || status=$?
rm -rf "$root"
exit "$status"
