# shellcheck shell=sh
# How far a command is that takes minutes; sourced by quickstart.sh and install-starpu.sh.

# with_progress WORDS LOG PATTERN TOTAL COMMAND ...: append what COMMAND says to LOG, and say how far it is on the
# standard error: how many files, which are the lines of LOG that match PATTERN, of TOTAL (0: none are counted; %:
# the last line "[ 12%]" of LOG says how far it is; N%: the files stand for N files of C, see progress_weight),
# after how many seconds. A terminal gets one line that changes, anything else a line every 15 seconds. The exit status
# is COMMAND's.
with_progress() {
    progress_words=$1
    progress_log=$2
    progress_pattern=$3
    progress_total=$4
    shift 4
    progress_start=$(date +%s)
    progress_every=15
    [ ! -t 2 ] || progress_every=1
    : >>"$progress_log"
    progress_skip=$(wc -l <"$progress_log")
    progress_before=$(grep -c -e "$progress_pattern" "$progress_log" || :)
    progress_report &
    progress_reporter=$!
    progress_status=0
    "$@" >>"$progress_log" 2>&1 </dev/null || progress_status=$?
    kill "$progress_reporter" 2>/dev/null || :
    wait "$progress_reporter" 2>/dev/null || :
    [ "$progress_status" != 0 ] || progress_say "done"
    [ ! -t 2 ] || echo >&2
    return "$progress_status"
}

# In the background, until with_progress ends it, or was itself ended.
progress_report() {
    progress_next=$progress_every
    while sleep 1 >/dev/null 2>&1 && kill -0 "$$" 2>/dev/null; do
        [ $(($(date +%s) - progress_start)) -ge "$progress_next" ] || continue
        progress_next=$((progress_next + progress_every))
        progress_say ""
    done
}

# progress_weight: how many files of C the files take as long as that are named in the input, a line each. A kernel for
# GPUs counts as 35: the 51 files of kernels take about ten minutes on two cores, and 400 files of C take three to four. An
# estimate that counts all files alike doubles on the way.
progress_weight() {
    awk '/Building CUDA object|\.cu\.o/ { n += 35; next } { n++ } END { print n + 0 }'
}

# progress_missing FOLDER TARGET: the objects that a build of CMake has still to make, a line each. TARGET `all` has tests.
progress_missing() {
    sed -n -e 's/^ *"directory": "\(.*\)",$/\1/p' -e 's/^ *"command": ".* -o \([^ "]*\.o\)[ "].*/\1/p' \
        "$1/compile_commands.json" 2>/dev/null | while read -r folder && read -r object; do
        case $2:$folder in
        all:*) ;;
        *:*/"$1"/tests | *:*/"$1"/tests/*) continue ;;
        esac
        [ -e "$folder/$object" ] || echo "$object"
    done
}

# progress_say [done]
progress_say() {
    progress_seconds=$(($(date +%s) - progress_start))
    progress_done=$(($(grep -c -e "$progress_pattern" "$progress_log" || :) - progress_before))
    progress_share=0
    progress_line="$progress_words: "
    case $progress_total in
    0) ;;
    [0-9]*%)
        progress_share=$(tail -n "+$((progress_skip + 1))" "$progress_log" | grep -e "$progress_pattern" | progress_weight)
        progress_share=$((100 * progress_share / ${progress_total%?}))
        [ "$progress_share" -lt 100 ] || progress_share=99 # a file is counted when it begins
        [ -z "$1" ] || progress_share=100
        progress_line="$progress_line$progress_done files, $progress_share %, "
        ;;
    %)
        progress_share=$(sed -n 's/^\[ *\([0-9]*\)%\].*/\1/p' "$progress_log" | tail -n 1)
        progress_share=${progress_share:-0}
        progress_line="$progress_line$progress_done files, $progress_share %, "
        ;;
    *)
        progress_share=$((100 * progress_done / progress_total))
        progress_line="$progress_line$progress_done of $progress_total files, "
        ;;
    esac
    progress_line="$progress_line${1:+done in }$progress_seconds s"
    # The first seconds and files say nothing.
    if [ -z "$1" ] && [ "$progress_seconds" -ge 5 ] && [ "$progress_share" -ge 5 ] && [ "$progress_share" -lt 100 ]; then
        progress_left=$((progress_seconds * (100 - progress_share) / progress_share))
        progress_line="$progress_line, about $progress_left s left"
    fi
    if [ -t 2 ]; then
        printf '\r%s\033[K' "$progress_line" >&2
    else
        echo "$progress_line" >&2
    fi
}
