#!/bin/sh
# A process of a launcher that sees one GPU alone, its own as far as there are enough: apart.sh PROGRAM ARGUMENTS...
count=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
CUDA_VISIBLE_DEVICES=$((${OMPI_COMM_WORLD_LOCAL_RANK:-0} % (count > 0 ? count : 1)))
export CUDA_VISIBLE_DEVICES
exec "$@"
