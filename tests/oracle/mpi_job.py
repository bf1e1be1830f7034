"""Runs cgpu-mpi, under the launcher MPIRUN of Open MPI or of MPICH (default: mpirun)."""
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from . import tool

MPIRUN = os.environ.get("MPIRUN") or shutil.which("mpirun")
SESSIONS = tempfile.TemporaryDirectory(prefix="cgpu-mpi-")


def program():
    return os.path.join(os.path.dirname(tool.binary()), "cgpu-mpi")


def must_exist():
    """Skips the tests where there is no MPI."""
    tool.must_exist()
    if not MPIRUN:
        raise unittest.SkipTest("no mpirun")
    if not os.access(program(), os.X_OK):
        raise unittest.SkipTest("no cgpu-mpi beside %s: it was built without MPI" % tool.binary())


def is_open_mpi():
    version = subprocess.run([MPIRUN, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return b"Open MPI" in version.stdout or b"OpenRTE" in version.stdout


def launcher(processes):
    return [MPIRUN, "-n", str(processes), *(["--oversubscribe", "--allow-run-as-root"] if is_open_mpi() else [])]


def environment():
    """Of a job. Otherwise the launcher of Open MPI 4.1 shares memory with its processes, and waits for ever for a lock that
    died with one; and jobs that begin and end at once now and then remove the folder that another has just looked for."""
    return dict(os.environ, PMIX_MCA_gds="hash", OMPI_MCA_orte_tmpdir_base=tempfile.mkdtemp(dir=SESSIONS.name), NO_COLOR="1")


def command(processes, *arguments):
    return [*launcher(processes), program(), *map(str, arguments)]


def start(processes, *arguments):
    return subprocess.Popen(command(processes, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment())


def run(processes, *arguments):
    """Exit status, standard output, and what the program says."""
    done = subprocess.run(command(processes, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False, env=environment())
    return done.returncode, done.stdout, own_lines(done.stderr)


def own_lines(stderr):
    """What the program says, without the launcher; sorted, as files are opened in any order."""
    return sorted(line for line in stderr.decode().splitlines() if line.startswith("cgpu"))


def children(process):
    """The processes of a job by their numbers in it: their process ids."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/environ"):
        process_id = int(path.split("/")[2])
        try:
            if os.path.basename(os.readlink("/proc/%d/exe" % process_id)) != "cgpu-mpi":
                continue
            with open(path, "rb") as handle:
                variables = handle.read().split(b"\0")
        except OSError:
            continue
        numbers = [re.match(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)$", variable) for variable in variables]
        if any(numbers) and is_below(process_id, process.pid):
            found[int(next(filter(None, numbers)).group(1))] = process_id
    return found


def kill(process_id):
    """Whether the process was still at work when it was killed. A process that has ended, and that the launcher has not asked
    for yet, takes signals, too; so it is stopped first, which only one that runs can be."""
    try:
        os.kill(process_id, signal.SIGSTOP)
        while state(process_id) not in "TZX":
            time.sleep(0.0002)
        ran = state(process_id) == "T"
        os.kill(process_id, signal.SIGKILL)
    except OSError:
        return False
    return ran


def state(process_id):
    """The state of a process in one letter: T is stopped, Z and X have ended."""
    return after_name(process_id)[0].decode()


def after_name(process_id):
    """The fields of /proc/PID/stat behind the name of the program: its state, its parent, ..."""
    with open("/proc/%d/stat" % process_id, "rb") as handle:
        return handle.read().rsplit(b")", 1)[1].split()


def is_below(process_id, ancestor):
    while process_id > 1:
        if process_id == ancestor:
            return True
        try:
            process_id = int(after_name(process_id)[1])
        except OSError:
            return False
    return False
