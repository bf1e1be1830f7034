"""A case: a program with a planted cause, or one that nothing is wrong with."""
import collections
import os
import random

from . import kineto_file, nsys_file
from .events import Simulation
from .process import Process

MS, US = 1_000_000, 1000
WRITERS = {"kineto": (kineto_file.write, ".json"), "nsys": (nsys_file.write, ".sqlite")}
CASES = {}


class Case(collections.namedtuple("Case", "name format rules second ranks devices program")):
    """`rules`: names of the cause that are right; empty where nothing is wrong. `second`: that of a smaller cause beside it.
    program(job): generators of the work of all threads."""

    def simulate(self, planted, seed=0):
        job = Job(self, planted, seed)
        for task in self.program(job):
            job.simulation.start(task)
        job.simulation.run()
        unfinished = [p.rank for p in job.processes if p.loop[0] is None or not p.loop[1]]
        if unfinished:
            raise RuntimeError("%s: ranks %s did not end" % (self.name, unfinished))
        return job


class Job:
    """Processes of one run. `draw`: numbers that are the same with and without the cause."""

    def __init__(self, case, planted, seed):
        self.case, self.planted = case, planted
        self.draw = random.Random("%s, %d" % (case.name, seed))
        self.ranks = case.ranks
        self.simulation = Simulation()
        self.simulation.now = 5 * MS
        self.processes = [Process(self.simulation, rank, case.ranks, case.devices, case.name) for rank in range(case.ranks)]

    def elapsed(self):
        return max(p.loop[1] for p in self.processes) - min(p.loop[0] for p in self.processes)

    def write(self, folder):
        write, ending = WRITERS[self.case.format]
        paths = []
        for process in self.processes:
            paths.append(os.path.join(folder, "rank%d%s" % (process.rank, ending)))
            write(process, paths[-1])
        return paths


def case(format, *rules, ranks=1, devices=1, name=None, second=None):
    def add(program):
        full = (name or program.__name__).replace("_", " ")
        assert full not in CASES, full
        CASES[full] = Case(full, format, rules, second, ranks, devices, program)
        return program
    return add
