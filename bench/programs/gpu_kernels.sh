#!/bin/sh
# Build kernels/, its tests and its bench with nvcc alone (no StarPU, no CMake), and run them on this
# machine's GPU.
#
#   bench/programs/gpu_kernels.sh FOLDER [build] [test] [sanitize] [bench] [quick] [pitch]
#
# FOLDER gets the programs and the logs; without further words it does build, test, sanitize, bench.
# quick: the bench at 512^3 only. pitch: fields with ghost layers and padded rows, compared to dense
# ones. PSG_CUDA_ARCH: architecture to build for (sm_90).
# A folder built on one machine can be carried to another that has the same libraries: leave out build.
# Where OUT is set, the logs are copied there. Exit 1 if a test or a sanitizer finds something.
set -u

if [ $# -lt 1 ]; then
    sed -n '2,12p' "$0"
    exit 2
fi
mkdir -p "$1" || exit 1
folder=$(cd "$1" && pwd)
shift
steps=${*:-build test sanitize bench}
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
arch=${PSG_CUDA_ARCH:-sm_90}
units="divide fft kspace kspace_f32 kspace_f64 kspace_generic pack scale transpose xy"
units="$units xy_f32 xy_f64 xy_strided_f32 xy_strided_f64"
tests="emulate_kspace emulate_moves emulate_xy transpose pack divide fft kspace xy"
racing="transpose pack divide kspace xy"
failed=0
table=$folder/table.txt
: > "$table"

say() {
    echo "$*" | tee -a "$table"
}

wanted() {
    case " $steps " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# compile OBJECT SOURCE: in the background, with its log beside the object.
compile() {
    nvcc -std=c++17 -O3 -arch="$arch" -DPSG_KSPACE_TRIALS -Xptxas -v -I. -c "$2" \
        -o "$folder/$1.o" > "$folder/$1.log" 2>&1 || echo "$2" >> "$folder/broken" &
}

build() {
    start=$(date +%s)
    rm -f "$folder/broken"
    for unit in $units; do
        compile "$unit" "kernels/$unit.cu"
    done
    compile error kernels/error.c
    for test in $tests; do
        compile "test_$test" "tests/kernels/$test.cu"
    done
    compile bench bench/programs/kernels_bench.cu
    compile transposes_gpu bench/programs/transposes_gpu.cu
    for part in measure transposes; do
        cc -std=c11 -O2 -D_GNU_SOURCE -I. -c "bench/programs/$part.c" -o "$folder/bench_$part.o" || exit 1
    done
    wait
    if [ -e "$folder/broken" ]; then
        while read -r source; do
            say "does not compile: $source"
            head -30 "$folder/$(basename "${source%.*}").log" 2> /dev/null
        done < "$folder/broken"
        exit 1
    fi
    objects=
    for unit in $units error; do
        objects="$objects $folder/$unit.o"
    done
    for program in $tests; do
        # shellcheck disable=SC2086 # a list
        nvcc -arch="$arch" "$folder/test_$program.o" $objects -lcufft -o "$folder/test_$program" || exit 1
    done
    # shellcheck disable=SC2086
    nvcc -arch="$arch" "$folder/bench.o" "$folder/bench_measure.o" $objects -lcufft -o "$folder/kernels_bench" || exit 1
    # shellcheck disable=SC2086
    nvcc -arch="$arch" "$folder/transposes_gpu.o" "$folder/bench_measure.o" "$folder/bench_transposes.o" $objects -lcufft \
        -o "$folder/transposes_gpu" || exit 1
    spills=$(cat "$folder"/kspace_f??.log | grep -c ' [1-9][0-9]* bytes spill stores')
    say "build: $(($(date +%s) - start)) s; kernels of kspace_f32, kspace_f64 that spill: $spills"
}

# check NAME SECONDS COMMAND..: a line in the table, the end of the log if it fails.
check() {
    name=$1
    limit=$2
    shift 2
    start=$(date +%s)
    timeout "$limit" "$@" > "$folder/$name.txt" 2>&1
    code=$?
    if [ $code -eq 0 ]; then
        say "$name: passed, $(($(date +%s) - start)) s"
    elif [ $code -eq 77 ]; then
        failed=1
        say "$name: NOT RUN, no device"
    else
        failed=1
        say "$name: FAILED ($code), $(($(date +%s) - start)) s"
        grep -v '^$' "$folder/$name.txt" | head -25
    fi
}

if wanted build; then
    build
fi
if wanted test; then
    for test in $tests; do
        check "$test" 200 "$folder/test_$test"
    done
fi
if wanted sanitize; then
    if command -v compute-sanitizer > /dev/null; then
        for test in transpose pack divide fft kspace xy; do
            check "memcheck_$test" 120 compute-sanitizer --tool memcheck --error-exitcode 9 \
                "$folder/test_$test" small
        done
        for test in $racing; do
            check "racecheck_$test" 120 compute-sanitizer --tool racecheck --error-exitcode 9 \
                "$folder/test_$test" small
        done
    else
        say "no compute-sanitizer on this machine: not run"
    fi
fi
if wanted bench; then
    size=full
    if wanted quick; then
        size=quick
    fi
    if ! timeout 300 "$folder/kernels_bench" "$size" > "$folder/bench.txt" 2>&1 ||
        ! timeout 300 "$folder/transposes_gpu" 512 500x300x200 >> "$folder/bench.txt" 2>&1; then
        failed=1
        say "bench: FAILED"
    fi
fi
if wanted pitch; then
    check pitch 300 "$folder/kernels_bench" pitch
    cat "$folder/pitch.txt"
fi
if [ -n "${OUT:-}" ]; then
    cp "$folder"/*.txt "$folder"/*.log "$OUT" 2> /dev/null
fi
echo "---- result"
cat "$table"
if wanted bench; then
    cat "$folder/bench.txt"
fi
exit $failed
