#!/usr/bin/env bash
#   summaries.sh PROFILES SUMMARIES [PROCESSES]
#
# The same as summaries.sbatch on one machine without Slurm: a summary of every file in the folder PROFILES, by as many
# processes at a time (default: one a processor).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
processes=${3:-$(nproc)}
export SLURM_ARRAY_TASK_COUNT=$processes SLURM_ARRAY_TASK_MIN=0 SLURM_CPUS_PER_TASK=1

seq 0 $((processes - 1)) | xargs -P "$processes" -I{} env SLURM_ARRAY_TASK_ID={} bash "$here/summaries.sbatch" "$1" "$2"
