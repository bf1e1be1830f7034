"""What the benchmarks have in common: building, and measuring whole processes."""
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-bench"


def say(text):
    """Progress, to stderr."""
    print(text, file=sys.stderr, flush=True)


def quietly(*command):
    """Runs a command and gives its standard output; ends the program with all that it said where it fails."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        sys.exit("%s%s\n%s failed" % (done.stdout, done.stderr, command[0]))
    return done.stdout


def build(*targets):
    """Builds targets of the preset "bench", with what they need installed."""
    say("building")
    quietly("scripts/install-dependencies", "test")
    quietly("cmake", "--preset", "bench")
    quietly("cmake", "--build", "--preset", "bench", "--target", *targets)


def measure(command):
    """Seconds, peak memory in bytes, and output of a process, from its start to its end (bench/measure.cpp)."""
    done = subprocess.run([str(word) for word in [BUILD / "measure", *command]], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        sys.exit("%s: exit status %d" % (command[0], done.returncode))
    output, _, measured = done.stdout.rstrip().rpartition("\n")
    word, seconds, peak = measured.split()
    assert word == "measured"
    return float(seconds), int(peak), output


def race(commands, runs):
    """Runs all commands in turn, round after round, so that a slow minute of the machine hits every one; the first round
    warms up. By name of the command: median of the seconds, median of the peak memory in bytes, the last output."""
    seconds, peaks, outputs = {}, {}, {}
    for number in range(runs + 1):
        say("round %d of %d" % (number, runs))
        for name, command in commands.items():
            took, peak, outputs[name] = measure(command)
            if number > 0:
                seconds.setdefault(name, []).append(took)
                peaks.setdefault(name, []).append(peak)
    return {name: (statistics.median(seconds[name]), statistics.median(peaks[name]), outputs[name]) for name in commands}
