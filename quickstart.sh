#!/bin/sh
# From a clone to a result.
#
#   ./quickstart.sh demo       install what is missing, build, compute the Madelung constant of rock salt
#   ./quickstart.sh test       the same set-up, then all tests (those for GPUs are skipped where there is none)
#   ./quickstart.sh simulate   build/simulate/psg, which schedules solves on machines that are not there
#   ./quickstart.sh deb        build/deb/psg_*.deb, a Debian package for machines without CUDA
#   ./quickstart.sh sanitize   the tests again, built with AddressSanitizer and UndefinedBehaviorSanitizer, and with
#                              ThreadSanitizer those of what runs in several threads
#
# `demo --cuda` and `test --cuda` build the CUDA side where there is no GPU. Without --cuda, they build it where there is a
# GPU, or where build/ has it already. Without a GPU `test` compiles kernels to check them alone, as nothing runs there
# but kernels that the CPU emulates; `demo --cuda` compiles them to be run. CI runs `test --cuda`.
#
# Each command works alone and first. A second run reuses everything. All that is built goes to build/ (and
# build/starpu, where the system has no StarPU 1.4). The first demo takes about five minutes on two cores: one for
# packages, two for StarPU, one or two for psg; the kernels for GPUs take ten more. `test` takes some twenty minutes in
# all. The script installs packages only as root on Debian and its kin; elsewhere it says what is missing and stops.
#
# PSG_TEST_PATIENCE=N in the environment gives each test N times as long, in place of what the load of the machine
# asks for.
set -eu
cd "$(dirname "$0")"
root=$PWD
# shellcheck source=cmake/progress.sh disable=SC1091
. cmake/progress.sh

packages="gcc g++ make cmake pkg-config libfftw3-dev libhdf5-openmpi-dev libjansson-dev libpng-dev libhwloc-dev libnuma-dev
libfxt-dev libglpk-dev libopenmpi-dev openmpi-bin libopenblas-pthread-dev help2man python3"
simulate_packages="libsimgrid-dev"
deb_packages="dpkg-dev file"
test_packages="gfortran python3-numpy python3-pytest python3-mpi4py python3-venv python3-pip python3-setuptools python3-wheel python3-h5py python3-scipy python3-yaml python3-matplotlib doxygen python3-breathe python3-myst-parser libfftw3-mpi-dev debootstrap clang clang-format clang-tidy cppcheck shellcheck graphviz
iproute2 zsh fish"

die() {
    echo "quickstart: $*" >&2
    exit 1
}

# The comment at the head of this file.
usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
}

# The packages of $@ that are not installed.
missing_of() {
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        "install ok installed") ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

apt_install() {
    apt-get -q update &&
        DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@"
}

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        for tool in gcc g++ make cmake pkg-config python3; do
            command -v "$tool" >/dev/null ||
                die "'$tool' is missing, and this is no Debian: install what these Debian packages hold, then call again:" "$@"
        done
        pkg-config --exists fftw3 fftw3f jansson libpng hwloc ||
            die "FFTW 3 (double and single), jansson, libpng or hwloc is missing, and this is no Debian: install what these Debian packages hold, then call again:" "$@"
        return
    fi
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || die "not root, and these packages are missing; run this first:  apt-get install $missing"
    log=build/quickstart-packages.log
    mkdir -p build
    : >$log
    echo "quickstart: installing $missing(log: $log)" >&2
    # shellcheck disable=SC2086 # a list of words
    with_progress "quickstart: installing packages" "$log" '^Setting up' 0 apt_install $missing ||
        { tail -n 20 "$log" >&2; die "apt-get could not install: $missing"; }
}

# install_starpu OPTION [simulate]: StarPU, the system's if it is 1.4 or newer, else our own build of it. OPTION is CMake's
# for psg: where psg is built without CUDA, StarPU needs none. One with CUDA serves both. With `simulate`, the StarPU on SimGrid
# is built beside it: for half of the time both configure themselves, each on one core.
install_starpu() {
    with_cuda=yes
    [ "$1" != -DPSG_CUDA=OFF ] || with_cuda=no
    {
        [ ! -f build/starpu/psg-settings ] && pkg-config --exists 'starpu-1.4 >= 1.4.0' ||
            echo "STARPU_CUDA=$with_cuda cmake/install-starpu.sh \"$root/build/starpu\""
        [ "${2:-}" != simulate ] || echo "STARPU_SIMGRID=yes cmake/install-starpu.sh \"$root/build/starpu-simgrid\""
    } | xargs -r -P 2 -L 1 env
}

# build_simulation TARGET CMAKE-OPTIONS...: build/simulate, on StarPU's other side.
build_simulation() {
    STARPU_SIMGRID=yes cmake/install-starpu.sh "$root/build/starpu-simgrid"
    target=$1
    shift
    build_in build/simulate "$target" -DPSG_SIMULATE=ON "$@"
}

# build_in FOLDER TARGET CMAKE-OPTIONS...: a target, or all of them
build_in() {
    folder=$1
    target=$2
    shift 2
    python=$(command -v /usr/bin/python3 || command -v python3 || true)
    log=$folder/quickstart.log
    mkdir -p "$folder"
    cmake -S . -B "$folder" ${python:+"-DPython3_EXECUTABLE=$python"} "$@" >"$log" 2>&1 </dev/null ||
        { tail -n 40 "$log" >&2; die "cmake ended with an error; all of what it said is in $log"; }
    echo "quickstart: building in $folder (log: $log)" >&2
    total=$(progress_missing "$folder" "$target" | progress_weight)%
    [ "$total" != 0% ] || total=%
    with_progress "quickstart: building in $folder" "$log" 'Building [A-Z]* object' "$total" \
        cmake --build "$folder" --target "$target" --parallel "$(nproc)" ||
        { tail -n 40 "$log" >&2; die "the build failed; all of what it said is in $log"; }
}

has_gpu() {
    nvidia-smi -L 2>/dev/null | grep -q GPU
}

has_toolkit() {
    [ -n "${CUDA_HOME:-}" ] || command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]
}

# say_without_cuda COMMAND OPTION: a toolkit that is not used.
say_without_cuda() {
    if [ "$2" = -DPSG_CUDA=OFF ] && has_toolkit; then
        echo "quickstart: without CUDA, though there is a toolkit; with CUDA:  ./quickstart.sh $1 --cuda" >&2
    fi
}

# check_of COMMAND [--cuda]: CMake's option PSG_CUDA_CHECK. Without a GPU `test` compiles kernels to check them, which takes half
# of the time. What build/ has been configured with stays, until kernels are asked for that run.
check_of() {
    if has_gpu || [ "$*" = "demo --cuda" ]; then
        echo -DPSG_CUDA_CHECK=OFF
    elif [ "$1" = test ] && ! grep -q '^CMAKE_CUDA_ARCHITECTURES:' build/CMakeCache.txt 2>/dev/null; then
        echo -DPSG_CUDA_CHECK=ON
    fi
}

# cuda_of COMMAND [--cuda]: CMake's option PSG_CUDA. What build/ has been configured with stays. CI runs `test --cuda` on
# machines without a toolkit, too.
cuda_of() {
    if [ "$*" = "test --cuda" ]; then
        echo -DPSG_CUDA=AUTO
    elif [ "${2:-}" = --cuda ]; then
        echo -DPSG_CUDA=ON
    elif grep -q '^PSG_CUDA:' build/CMakeCache.txt 2>/dev/null; then
        sed -n 's/^PSG_CUDA:[A-Z]*=/-DPSG_CUDA=/p' build/CMakeCache.txt
    elif has_gpu; then
        echo -DPSG_CUDA=AUTO
    else
        echo -DPSG_CUDA=OFF
    fi
}

# How many times as long a test may take as on an idle machine.
patience() {
    cores=$(nproc)
    load=$(cut -d . -f 1 /proc/loadavg 2>/dev/null || echo 0)
    echo "${PSG_TEST_PATIENCE:-$((1 + (load + cores - 1) / cores))}"
}

# run_tests FOLDER...: all of them, four at a time, as most of them wait for most of their time; the last line has
# the numbers.
run_tests() {
    status=0
    tests=0
    failed=0
    skipped=0
    number() {
        sed -n "/<testsuite /,/>/s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$2/quickstart-tests.xml" | head -n 1
    }
    for folder in "$@"; do
        ctest --test-dir "$folder" --parallel 4 --output-on-failure --output-junit quickstart-tests.xml || status=$?
        tests=$((tests + $(number tests "$folder")))
        failed=$((failed + $(number failures "$folder")))
        skipped=$((skipped + $(number skipped "$folder")))
    done
    echo "$skipped skipped, which need what is not here"
    echo "$((tests - failed - skipped)) passed, $failed failed"
    return "$status"
}

# try_next FOLDER COMMAND...: where psg is, and what to do with it.
try_next() {
    folder=$1
    shift
    printf '\nThe program is %s/psg. Try next:\n' "$folder"
    printf '    %s\n' "$@"
    cat <<END
To call it as psg in this terminal:
    export PATH="$root/$folder:\$PATH"
To install it:
    cmake --build $folder --parallel && cmake --install $folder --prefix "\$HOME/.local"
END
}

command=${1:-}
case $command:$#:${2:-} in
*:1: | demo:2:--cuda | test:2:--cuda) ;;
*) command= ;;
esac
case $command in
demo)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages
    cuda=$(cuda_of "$@")
    say_without_cuda "$1" "$cuda"
    install_starpu "$cuda"
    # shellcheck disable=SC2046 # one word or none
    build_in build psg_command -DPSG_TESTS=ON "$cuda" $(check_of "$@")
    build/psg solve --problem madelung --grid 64
    try_next build "build/psg solve --problem modes --grid 100x120x90 --verify --out phi.h5" "build/psg info" \
        "build/psg solve --help"
    ;;
test)
    factor=$(patience)
    cuda=$(cuda_of "$@")
    echo "quickstart: building and all tests take about twenty minutes on two cores" >&2
    say_without_cuda "$1" "$cuda"
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $test_packages $simulate_packages $deb_packages
    export STARPU_MPI=yes # for the tests of exchange starpu
    install_starpu "$cuda" simulate
    # shellcheck disable=SC2046 # one word or none
    build_in build all -DPSG_TESTS=ON -DPSG_WERROR=ON "$cuda" "-DPSG_TEST_PATIENCE=$factor" $(check_of "$@")
    build_simulation all -DPSG_TESTS=ON -DPSG_WERROR=ON "-DPSG_TEST_PATIENCE=$factor"
    run_tests build build/simulate
    ;;
simulate)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $simulate_packages
    build_simulation psg_command -DPSG_TESTS=ON
    build/simulate/psg bench --machine h200 --grid 1024 --gpus 1,2,4,8 --data resident --repeat 1
    try_next build/simulate "build/simulate/psg solve --machine h200 --problem modes --grid 512 --gpus 4 --trace trace.json" \
        "build/simulate/psg info --machine h200" "build/simulate/psg bench --help"
    ;;
deb)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $deb_packages
    STARPU_CUDA=no cmake/install-starpu.sh "$root/build/starpu-cpu"
    build_in build/deb package -DPSG_TESTS=OFF -DPSG_CUDA=OFF -DBLA_VENDOR=Generic "-DPSG_STARPU_PREFIX=$root/build/starpu-cpu"
    ls build/deb/psg_*.deb
    ;;
sanitize)
    factor=$(patience)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $test_packages
    install_starpu -DPSG_CUDA=OFF
    for sanitizer in ADDRESS THREAD; do
        build_in "build-sanitize/$sanitizer" all -DPSG_TESTS=ON "-DPSG_SANITIZE=$sanitizer" -DPSG_CUDA=OFF \
            -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DPSG_TEST_PATIENCE=$factor"
    done
    run_tests build-sanitize/ADDRESS build-sanitize/THREAD
    ;;
-h | --help)
    usage
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
