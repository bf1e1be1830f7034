"""What the recording scripts share: their options, the device, and the set-up of the profiler."""

import argparse
import os
import tempfile
from pathlib import Path

# Threads that wait for their part of an operator spin otherwise, and on a small machine slow down those that work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from sanitise import sanitise, write_gzip

WARM_UP_STEPS = 5
DISCARDED_STEPS = 2  # the last of the warm-up: the profiler runs, and what it sees is dropped


def options(description, output):
    """The parser with the options every recording script has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(output), help="the trace to write (.json.gz)")
    parser.add_argument("--steps", type=int, default=5, help="ProfilerSteps to record, after the warm-up")
    parser.add_argument("--threads", type=int, default=1, help="threads of one operator on the CPU")
    return parser


def prepare(arguments):
    """Seeds the generators, sets the threads, and returns the device to run on: a GPU where there is one."""
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def record(run_step, arguments, **profiler_options):
    """Calls run_step for the warm-up and the recorded steps, and writes the sanitised trace of the latter.

    profiler_options go to torch.profiler.profile (profile_memory=True, with_stack=True).
    """
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    steps = schedule(
        wait=WARM_UP_STEPS - DISCARDED_STEPS, warmup=DISCARDED_STEPS, active=arguments.steps, repeat=1
    )
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / "trace.json"
        with profile(
            activities=activities,
            schedule=steps,
            on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(exported)),
            record_shapes=True,
            **profiler_options,
        ) as profiler:
            for number in range(WARM_UP_STEPS + arguments.steps):
                run_step()
                if number + 1 == WARM_UP_STEPS and torch.cuda.is_available():
                    torch.cuda.synchronize()  # what is recorded begins with an idle device
                profiler.step()
        trace = sanitise(exported.read_text(encoding="utf-8"), arguments.output.name.removesuffix(".gz"))
    write_gzip(arguments.output, trace)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1000:.0f} kB, torch {torch.__version__}")
