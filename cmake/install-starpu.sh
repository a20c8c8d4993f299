#!/bin/sh
# Build StarPU 1.4 from Debian's source package into a prefix of its own.
#
#   cmake/install-starpu.sh PREFIX          (PREFIX absolute)
#
# For distributions whose own StarPU is older than 1.4. The archive is the one this machine's apt
# already uses; no address is written here. A second call with the same settings returns at once.
#
# Environment:
#   STARPU_TARBALL      an upstream starpu-1.4.x.tar.gz, for machines without a network
#   CUDA_HOME           the CUDA toolkit (default: where nvcc is; none: StarPU is built for CPUs alone)
#   STARPU_CUDA=no      CUDA is not needed, though there is a toolkit: one that is there already with CUDA is good, too
#   STARPU_MPI=yes      build StarPU-MPI, too, for --exchange starpu (with the MPI of mpicc)
#   STARPU_SIMGRID=yes  build for simulation, on SimGrid (libsimgrid-dev) and without CUDA
#   STARPU_ARCH         CUDA architecture of StarPU's own kernels (default sm_90)
set -eu
# shellcheck source=cmake/progress.sh disable=SC1091
. "$(dirname "$0")/progress.sh"
here=$(cd "$(dirname "$0")" && pwd)

die() {
    echo "install-starpu: $*" >&2
    exit 1
}

prefix=${1:?usage: install-starpu.sh PREFIX}
case $prefix in /*) ;; *) die "PREFIX must be an absolute path, not '$prefix'" ;; esac

cuda=
simgrid=${STARPU_SIMGRID:-no}
if [ "${STARPU_CUDA:-yes}" != no ] && [ "$simgrid" != yes ]; then
    if [ -n "${CUDA_HOME:-}" ]; then
        cuda=$CUDA_HOME
    elif command -v nvcc >/dev/null; then
        cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
    elif [ -x /usr/local/cuda/bin/nvcc ]; then
        cuda=/usr/local/cuda
    fi
fi
arch=${STARPU_ARCH:-sm_90}
changes=4 # counts the changes to its sources below
settings="StarPU 1.4 cuda=${cuda:-none} arch=$arch changes=$changes"
gpus=8
if [ "$simgrid" = yes ]; then
    gpus=16 # of machines that are not there, twice as many as of those that were recorded
    settings="$settings simgrid=yes gpus=$gpus"
fi
stamp=$prefix/psg-settings
mpi=no
if [ "${STARPU_MPI:-no}:$simgrid" = yes:no ]; then
    mpi=yes
    settings="$settings mpi=yes"
fi
there=$(cat "$stamp" 2>/dev/null || :)
case $there in
"$settings" | "$settings mpi=yes") exit 0 ;;
"StarPU 1.4 cuda=/"*" changes=$changes"*) [ "${STARPU_CUDA:-yes}:$simgrid" != no:no ] || exit 0 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The source: the tarball given, or the source package of suite sid, whose 1.4 is the one that the
# archive keeps. Lists and state are our own, so that the machine's apt stays as it is.
if [ -n "${STARPU_TARBALL:-}" ]; then
    [ -r "$STARPU_TARBALL" ] || die "STARPU_TARBALL=$STARPU_TARBALL cannot be read"
    tarball=$STARPU_TARBALL
else
    command -v apt-get >/dev/null ||
        die "no apt-get here: install StarPU >= 1.4 yourself (it is found by pkg-config starpu-1.4), or set STARPU_TARBALL"
    # shellcheck disable=SC2016 # apt's own variables
    site=$(apt-get indextargets --format '$(LABEL) $(SITE)' "Created-By: Packages" 2>/dev/null |
        awk '$1 == "Debian" { print $2; exit }')
    [ -n "$site" ] || die "this machine's apt names no Debian archive: set STARPU_TARBALL"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    echo "deb-src $site sid main" >"$work/sources.list"
    set -- -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root \
        -o Acquire::Check-Valid-Until=false # a mirror may lag; what it signed is still checked
    echo "install-starpu: fetching the source package" >&2
    (cd "$work" && apt-get "$@" -q update >apt.log 2>&1 &&
        apt-get "$@" -q source --download-only starpu >>apt.log 2>&1) ||
        { cat "$work/apt.log" >&2; die "the source package starpu could not be fetched"; }
    tarball=$(find "$work" -maxdepth 1 -name 'starpu_*.orig.tar.*' ! -name '*.asc' | head -n 1)
    [ -n "$tarball" ] || die "the source package has no .orig.tar"
fi

mkdir "$work/src"
tar -C "$work/src" --strip-components=1 -xf "$tarball" || die "$tarball cannot be unpacked"
cd "$work/src"
[ -x configure ] || die "$tarball has no configure script: take a release tarball"
version=$(sed -n "s/^PACKAGE_VERSION='\(.*\)'/\1/p" configure)
case $version in 1.4.*) ;; *) die "$tarball is StarPU $version, and 1.4 is needed" ;; esac

# CUDA 13 took computeMode out of cudaDeviceProp; the attribute has been there since CUDA 2.
for file in src/drivers/cuda/driver_cuda.c src/drivers/cuda/driver_cuda1.c; do
    if grep -q 'props\[devid\]\.computeMode' "$file" 2>/dev/null; then
        sed -i 's/if (props\[devid\]\.computeMode ==/int compute_mode = 0; cudaDeviceGetAttribute(\&compute_mode, cudaDevAttrComputeMode, devid); if (compute_mode ==/' "$file"
    fi
done

# On its first start on a machine StarPU measures copies to and from GPUs. It would then reset the GPUs, and take the memory
# and the streams of the program that it is part of.
if [ -f src/core/perfmodel/perfmodel_bus.c ]; then
    sed -i '/^[[:space:]]*cudaDeviceReset();$/d' src/core/perfmodel/perfmodel_bus.c
fi

# On SimGrid what copies data ends when StarPU stops, and has to be made anew if it starts again.
if grep -q '^[[:space:]]*starpu_sem_destroy(&t->sem);$' src/core/simgrid.c 2>/dev/null; then
    sed -i 's/^[[:space:]]*starpu_sem_destroy(&t->sem);$/& t->runner = NULL;/' src/core/simgrid.c
fi

# starpu_replay would not notice that a task has more than STARPU_NMAXBUFS pieces of data, and stop. It would free the lists
# of such a task twice.
if grep -q '^[[:space:]]*arrays_managing(set_alloc_mode(nb_parameters));$' tools/starpu_replay.c 2>/dev/null; then
    sed -i 's/arrays_managing(set_alloc_mode(nb_parameters));$/alloc_mode = set_alloc_mode(nb_parameters); arrays_managing(alloc_mode);/
            /^[[:space:]]*free(task->task.dyn_\(handles\|modes\));$/d' tools/starpu_replay.c
fi

# StarPU would look for models of tasks in PREFIX, where it installs those of its authors' machines, and warn
# where PREFIX is gone, as it may be after `cmake --install`.
if [ -f src/core/perfmodel/perfmodel.c ]; then
    sed -i '/_perf_model_add_dir(STARPU_SAMPLING_DIR, 1,/d' src/core/perfmodel/perfmodel.c
fi

# StarPU would stop the process over files and variables that it cannot read. psg can do without the patch: it looks at
# its own files, and at the variables that people set.
if patch -p1 -s --dry-run <"$here/starpu-1.4.patch" >/dev/null 2>&1; then
    patch -p1 -s <"$here/starpu-1.4.patch"
else
    echo "install-starpu: starpu-1.4.patch does not fit StarPU $version, which is built without it" >&2
fi

set -- --disable-build-doc --disable-build-examples --disable-build-tests --disable-opencl --disable-hip \
    --disable-fortran --disable-socl --disable-starpupy --disable-starpufft --disable-static \
    --enable-maxcpus=128 "--enable-maxcudadev=$gpus"
if [ -n "$cuda" ]; then
    set -- "$@" "--with-cuda-dir=$cuda" "--with-cuda-lib-dir=$cuda/lib64" \
        "LDFLAGS=-L$cuda/lib64/stubs" "NVCCFLAGS=-arch=$arch"
    PATH=$cuda/bin:$PATH
else
    set -- "$@" --disable-cuda
fi
if [ "$simgrid" = yes ]; then
    set -- "$@" --enable-simgrid
fi
if [ "$mpi" = yes ]; then
    set -- "$@" --enable-mpi --enable-mpi-minimal-tests
else
    set -- "$@" --disable-mpi
fi
mkdir -p "$prefix"
log=$prefix/psg-build.log
: >"$log"
failed() {
    tail -n 40 "$log" >&2
    die "StarPU $version did not build; all of what was said is in $log"
}
what="StarPU $version${cuda:+ with CUDA}$([ "$simgrid" = no ] || echo " on SimGrid")"
echo "install-starpu: building $what, about two minutes on two cores (log: $log)" >&2
with_progress "install-starpu: configuring $what" "$log" '^checking' 0 ./configure --prefix="$prefix" "$@" || failed
# What is to compile, from a run of make that does nothing.
files=$(make -n 2>/dev/null | grep -c 'echo "  \(CC\|NVCC\|CXX\) ' || :)
with_progress "install-starpu: building $what" "$log" '^  \(CC\|NVCC\|CXX\) ' "$files" make -j"$(nproc)" || failed
make install >>"$log" 2>&1 </dev/null || failed
# psg loads StarPU-MPI when StarPU is there already. No path of this machine stands in the library.
for library in "$prefix"/lib/libstarpumpi-1.4.so.*.*; do
    if [ -f "$library" ]; then
        echo "file(RPATH_REMOVE FILE \"$library\")" >"$work/path.cmake"
        cmake -P "$work/path.cmake" >>"$log" 2>&1 || failed
    fi
done
if [ -n "$cuda" ] && ! grep -q 'define STARPU_USE_CUDA 1' "$prefix/include/starpu/1.4/starpu_config.h"; then
    die "StarPU $version was built, but its configure did not accept the CUDA toolkit $cuda"
fi
echo "$settings" >"$stamp"
