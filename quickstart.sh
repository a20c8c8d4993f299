#!/bin/sh
# From a clone to a result.
#
#   ./quickstart.sh demo       install what is missing, build, compute the Madelung constant of rock salt
#   ./quickstart.sh test       the same set-up, then all tests (those for GPUs are skipped where there is none)
#   ./quickstart.sh simulate   build/simulate/psg, which schedules solves on machines that are not there
#   ./quickstart.sh sanitize   the tests again, built with AddressSanitizer and UndefinedBehaviorSanitizer
#
# Each works alone and first; a second run reuses everything. All that is built goes to build/ (and
# build/starpu, where the system has no StarPU 1.4). Installs packages only as root on Debian and its kin;
# elsewhere it says what is missing and stops.
set -eu
cd "$(dirname "$0")"
root=$PWD

packages="gcc g++ make cmake pkg-config libfftw3-dev libhdf5-openmpi-dev libjansson-dev libhwloc-dev libnuma-dev
libfxt-dev libglpk-dev libopenmpi-dev openmpi-bin help2man"
simulate_packages="libsimgrid-dev"
test_packages="python3 python3-numpy python3-h5py libfftw3-mpi-dev clang-format cppcheck shellcheck"

die() {
    echo "quickstart: $*" >&2
    exit 1
}

usage() {
    sed -n '2,10s/^# \{0,1\}//p' "$0"
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

install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        for tool in gcc g++ make cmake pkg-config; do
            command -v "$tool" >/dev/null ||
                die "'$tool' is missing, and this is no Debian: install what these Debian packages hold, then call again:" "$@"
        done
        pkg-config --exists fftw3 fftw3f jansson hwloc ||
            die "FFTW 3 (double and single), jansson or hwloc is missing, and this is no Debian: install what these Debian packages hold, then call again:" "$@"
        return
    fi
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || die "not root, and these packages are missing; run this first:  apt-get install $missing"
    echo "quickstart: installing $missing" >&2
    log=$(mktemp)
    # shellcheck disable=SC2086 # a list of words
    { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing; } \
        >"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; die "apt-get could not install: $missing"; }
    rm -f "$log"
}

# StarPU: the system's if it is 1.4 or newer, else our own build of it.
install_starpu() {
    if [ ! -f build/starpu/psg-settings ] && pkg-config --exists 'starpu-1.4 >= 1.4.0'; then
        return
    fi
    cmake/install-starpu.sh "$root/build/starpu"
}

# build/simulate, on StarPU's other side.
build_simulation() {
    STARPU_SIMGRID=yes cmake/install-starpu.sh "$root/build/starpu-simgrid"
    build_in build/simulate -DPSG_SIMULATE=ON "$@"
}

# build_in FOLDER CMAKE-OPTIONS...
build_in() {
    folder=$1
    shift
    python=$(command -v /usr/bin/python3 || command -v python3 || true)
    log=$folder/quickstart.log
    mkdir -p "$folder"
    echo "quickstart: building in $folder" >&2
    { cmake -S . -B "$folder" ${python:+"-DPython3_EXECUTABLE=$python"} "$@" &&
        cmake --build "$folder" --parallel "$(nproc)"; } >"$log" 2>&1 </dev/null ||
        { tail -n 40 "$log" >&2; die "the build failed; all of it is in $log"; }
}

# run_tests FOLDER...: all of them; the last line has the numbers.
run_tests() {
    status=0
    tests=0
    failed=0
    skipped=0
    number() {
        sed -n "/<testsuite /,/>/s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$2/quickstart-tests.xml" | head -n 1
    }
    for folder in "$@"; do
        ctest --test-dir "$folder" --output-on-failure --output-junit quickstart-tests.xml || status=$?
        tests=$((tests + $(number tests "$folder")))
        failed=$((failed + $(number failures "$folder")))
        skipped=$((skipped + $(number skipped "$folder")))
    done
    echo "$skipped skipped, which need what is not here"
    echo "$((tests - failed - skipped)) passed, $failed failed"
    return "$status"
}

case "${1:-}" in
demo)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages
    install_starpu
    build_in build -DPSG_TESTS=OFF
    build/psg solve --problem madelung --grid 64
    ;;
test)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $test_packages $simulate_packages
    install_starpu
    build_in build -DPSG_TESTS=ON -DPSG_WERROR=ON
    build_simulation -DPSG_TESTS=ON -DPSG_WERROR=ON
    run_tests build build/simulate
    ;;
simulate)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $simulate_packages
    build_simulation -DPSG_TESTS=OFF
    build/simulate/psg bench --machine h200 --grid 1024 --gpus 1,2,4,8 --data resident --repeat 1
    ;;
sanitize)
    # shellcheck disable=SC2086 # lists of words
    install_packages $packages $test_packages
    install_starpu
    build_in build-sanitize -DPSG_TESTS=ON -DPSG_SANITIZE=ON -DPSG_CUDA=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo
    run_tests build-sanitize
    ;;
-h | --help)
    usage
    ;;
*)
    usage >&2
    exit 2
    ;;
esac
