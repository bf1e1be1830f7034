"""The loop of a C++ program that steps through time."""
import math

from .case import MS, US, case

NAMES = ("void stencil<double, 8>(double const*, double*, int, int)",
         "void flux<double>(double const*, double const*, double*, int)", "void update_state(double*, double const*, double, int)",
         "void reduce_residual<256>(double const*, double*, int)", "void apply_boundary(double*, int, int)")


class Solver:
    """A time-stepping loop on one thread. `step`: ns of kernels of one step, which `count` launches divide."""

    def __init__(self, job, step_ms=None, count=None, steps=None, marks=None, process=None):
        draw = job.draw
        self.job, self.process = job, process or job.processes[0]
        self.main = self.process.thread("solver")
        self.step = int((step_ms or math.exp(draw.uniform(math.log(2), math.log(200)))) * MS)
        self.count = count or draw.randint(4, 12)
        self.steps = steps or draw.randint(8, 40)
        drawn = draw.random() < 0.5
        self.marks = drawn if marks is None else marks
        self.shares = [draw.uniform(0.5, 1.5) for _ in range(self.count)]
        total = sum(self.shares)
        self.shares = [share / total for share in self.shares]

    def kernels(self, thread=None, stream=7, part=1.0, after=None, blocks=1056):
        thread = thread or self.main
        for i, share in enumerate(self.shares):
            yield from thread.quiet(1500)
            yield from thread.launch(NAMES[i % len(NAMES)], self.step * share * part, stream, blocks)
            if after:
                yield from after()

    def run(self, body=None, before=None):
        """body(step): of each; without it the kernels."""
        main = self.main
        main.begin_loop()
        if before:
            yield from before
        for step in range(self.steps):
            begin = main.now
            yield from body(step) if body else self.kernels()
            if self.marks:
                main.note("nvtx", "time step", begin)
        yield from main.end_loop()


def solver(name, *rules, second=None, **shape):
    """A case whose body(job, s, step) is of each step, with and without the cause: job.planted says which."""
    def add(body):
        def program(job):
            s = Solver(job, **shape)
            return [s.run(lambda step: body(job, s, step))]
        case("nsys", *rules, name="C++: " + name, second=second)(program)
        return body
    return add


def at_least(s, part, least=MS):
    return max(least, int(s.step * part))
