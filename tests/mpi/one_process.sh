#!/bin/sh
# One process of a launcher has a variable of the environment: one_process.sh NUMBER NAME=VALUE PROGRAM ARGUMENTS...
number=$1
variable=$2
shift 2
if [ "${OMPI_COMM_WORLD_RANK:-0}" = "$number" ]; then
    export "${variable?}"
fi
exec "$@"
