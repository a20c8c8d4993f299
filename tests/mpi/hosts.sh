#!/bin/sh
# u does not depend on the hosts that the processes run on: two network namespaces, each with a name and an
# address of its own, play two hosts that reach each other by TCP alone. psg takes them for two nodes.
#
#     hosts.sh MPIEXEC RANKS PROGRAM [ARGUMENT ...]      Open MPI; root; skipped (77) where that is not to be had
#
# PSG_HOSTS_MBIT=1000 makes the link between them one of so many Mbit/s each way, for measurements. PSG_HOSTS_COUNT=1
# says how many bytes went over it at the end.
set -u

mpiexec=$1
ranks=$2
shift 2

skip() {
    echo "skipped: $1"
    exit 77
}

[ "$(id -u)" = 0 ] || skip "network namespaces want root"
for tool in ip unshare hostname mktemp; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
"$mpiexec" --version 2>/dev/null | grep -Eq "Open ?(MPI|RTE)" || skip "$mpiexec is not Open MPI's"

one=psg-one-$$
two=psg-two-$$
folder=$(mktemp -d) || exit 1
clean() {
    for host in ${PSG_HOSTS_COUNT:+"$one" "$two"}; do
        echo "$host sent $(ip netns exec "$host" cat /sys/class/net/wire/statistics/tx_bytes) bytes"
    done
    ip netns del "$one" 2>/dev/null
    ip netns del "$two" 2>/dev/null
    rm -rf "$folder"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

{ ip netns add "$one" && ip netns add "$two"; } 2>/dev/null || skip "no network namespaces here"
ip link add wire netns "$one" type veth peer name wire netns "$two" || skip "no veth here"
ip -n "$one" address add 10.213.7.1/24 dev wire || exit 1
ip -n "$two" address add 10.213.7.2/24 dev wire || exit 1
for host in "$one" "$two"; do
    ip -n "$host" link set lo up && ip -n "$host" link set wire up || exit 1
done

if [ -n "${PSG_HOSTS_MBIT:-}" ]; then
    for host in "$one" "$two"; do
        tc -n "$host" qdisc add dev wire root tbf rate "${PSG_HOSTS_MBIT}mbit" burst 128k latency 20ms || exit 1
    done
fi

# A command on a host; and what Open MPI calls instead of ssh: agent HOST COMMAND ...
cat >"$folder/on" <<END
#!/bin/sh
host=\$1
shift
exec ip netns exec "\$host" unshare --uts sh -c "hostname \$host; PSG_TEST_NODE=\$host; export PSG_TEST_NODE; \$*"
END
cat >"$folder/agent" <<END
#!/bin/sh
[ "\$1" = 10.213.7.2 ] || exit 1
shift
exec "$folder/on" $two "\$@"
END
chmod +x "$folder/on" "$folder/agent"

# on_both PROGRAM ...
on_both() {
    "$folder/on" "$one" "$mpiexec" --host "10.213.7.1:$ranks,10.213.7.2:$ranks" --map-by node \
        --bind-to none -n "$ranks" --mca plm rsh --mca plm_rsh_agent "$folder/agent" \
        --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include wire --mca oob_tcp_if_include wire "$@"
}

hosts=$(on_both hostname </dev/null | sort -u | grep -c psg-)
[ "$hosts" = 2 ] || { echo "processes on $hosts hosts instead of 2"; exit 1; }
on_both "$@"
