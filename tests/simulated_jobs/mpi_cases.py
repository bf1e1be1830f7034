"""Programs in C++ with CUDA and MPI, a file of Nsight Systems for each rank."""
from .case import MS, US, case
from .groups import Group, Mail
from .solver import Solver


def on_each_rank(job, step_ms, count, steps, marks, body):
    """A Solver of each process with kernels of equal length; body(s, step): of each step."""
    def one(process):
        s = Solver(job, step_ms, count, steps, marks=marks, process=process)
        s.shares = [1 / s.count] * s.count
        return s.run(lambda step: body(s, step))
    return [one(process) for process in job.processes]


def ranks_in_a_ring(name, *rules, ranks=4, halo=400_000, reduces=True, host=None, slow=None, io=None, rate=None, sum_takes=None,
                    marks=None, is_uneven=False):
    """Each step: kernels, a halo to both neighbours by the host, and a sum of all ranks.
    If planted: host(rank) is the part of the step that the host takes, slow(rank) the factor of the kernels (where the work
    `is_uneven`, all have their mean in the twin), rank 0 writes every `io` steps, messages have this rate, sums take so long."""
    def program(job):
        mail = Mail(job.simulation, (rate if job.planted else 1e6) if rate else 10.0)
        world = Group(job.simulation, "world", range(ranks))
        *shape, drawn = (job.draw.uniform(4, 30), job.draw.randint(4, 8), job.draw.randint(12, 24), job.draw.random() < 0.5)
        if slow and (job.planted or is_uneven):
            for process in job.processes:
                factor = slow(process.rank) if job.planted else sum(map(slow, range(ranks))) / ranks
                process.devices[0].slowdown = lambda now, factor=factor: factor

        def body(s, step):
            main, rank = s.main, s.process.rank
            neighbours = [(rank - 1) % ranks, (rank + 1) % ranks]
            yield from s.kernels(blocks=round(1056 * (slow(rank) if is_uneven and job.planted else 1)))
            yield from main.copy("DtoH", halo)
            yield from main.synchronize(7)
            if host and job.planted and host(rank):
                yield from main.work("nvtx", "remesh", host(rank) * s.step)
            if io and job.planted and rank == 0 and step % io == io - 1:
                yield from main.work("os", "fwrite", 3 * s.step)
            for neighbour in neighbours:
                yield from main.work("mpi", "MPI_Irecv", 1500)
            for neighbour in neighbours:
                yield from mail.post(main, neighbour, step, halo)
            yield from mail.receive_all(main, set(neighbours), step)
            yield from main.copy("HtoD", halo)
            yield from main.launch("void unpack_halo(double*, double const*, int)", 12 * US)
            if reduces:
                yield from main.synchronize(7)
                takes = sum_takes if sum_takes and job.planted else 12 * US
                yield from world.on_hosts(main, "mpi", "MPI_Allreduce", takes)
        return on_each_rank(job, *shape, drawn if marks is None else marks, body)
    case("nsys", *rules, ranks=ranks, name="MPI: " + name)(program)


ranks_in_a_ring("one rank's host computes", "straggler", "host_stall", host=lambda rank: 0.4 * (rank == 2))
ranks_in_a_ring("one rank's host computes, without a sum", "straggler", "host_stall", host=lambda rank: 0.5 * (rank == 1),
                reduces=False)
ranks_in_a_ring("one of eight ranks' hosts computes", "straggler", "host_stall", ranks=8, host=lambda rank: 0.6 * (rank == 5))
ranks_in_a_ring("all hosts compute", "host_stall", host=lambda rank: 0.5)
ranks_in_a_ring("one device is slow", "straggler", slow=lambda rank: 1.4 if rank == 1 else 1.0)
ranks_in_a_ring("one of two devices is slow", "straggler", ranks=2, slow=lambda rank: 1.35 if rank == 1 else 1.0)
ranks_in_a_ring("one of sixteen devices is slow", "straggler", ranks=16, slow=lambda rank: 1.5 if rank == 11 else 1.0)
ranks_in_a_ring("domains of different sizes", "straggler", "load_imbalance", slow=lambda rank: (1.0, 1.1, 1.45, 1.05)[rank],
                is_uneven=True)
ranks_in_a_ring("one device is slow, without marks", "straggler", slow=lambda rank: 1.4 if rank == 3 else 1.0, marks=False)
ranks_in_a_ring("one device is slow, without a sum", "straggler", slow=lambda rank: 1.4 if rank == 3 else 1.0, reduces=False)
ranks_in_a_ring("rank 0 writes", "straggler", "io", "host_stall", io=4)
ranks_in_a_ring("halos that travel slowly", "exposed_communication", halo=30_000_000, rate=6.0)
ranks_in_a_ring("sums that take long", "exposed_communication", sum_takes=5 * MS)
ranks_in_a_ring("ranks in a ring")
ranks_in_a_ring("eight ranks in a ring", ranks=8)


def rank_0_reads(name, rules, takes):
    """Rank 0 reads the input of each step and sends it to all."""
    def program(job):
        world = Group(job.simulation, "world", range(4))

        def body(s, step):
            if s.process.rank == 0 and job.planted:
                yield from s.main.work("os", "read", takes * s.step)
            yield from world.on_hosts(s.main, "mpi", "MPI_Bcast", 50 * US)
            yield from s.main.copy("HtoD", 200_000)
            yield from s.kernels()
            yield from s.main.synchronize()
            yield from world.on_hosts(s.main, "mpi", "MPI_Barrier", 10 * US)
        return on_each_rank(job, job.draw.uniform(5, 30), 6, 16, True, body)
    case("nsys", *rules, ranks=4, name="MPI: " + name)(program)


rank_0_reads("rank 0 reads for all", ("straggler", "io", "host_stall", "data_loading"), 0.5)
rank_0_reads("a sum of all ranks in each step", (), 0)


def conjugate_gradients(name, rules, takes):
    """Many short iterations with two sums of all ranks in each."""
    def program(job):
        world = Group(job.simulation, "world", range(4))

        def body(s, step):
            for i in range(2):
                yield from s.kernels(part=0.5)
                yield from s.main.copy("DtoH", 8)
                yield from s.main.synchronize(7)
                yield from world.on_hosts(s.main, "mpi", "MPI_Allreduce", takes if job.planted else 2 * US)
        return on_each_rank(job, job.draw.uniform(0.6, 1.2), 4, 60, False, body)
    case("nsys", *rules, ranks=4, name="MPI: " + name)(program)


conjugate_gradients("sums of a solver take long", ("exposed_communication",), 220 * US)


def overlapped_halo(job):
    """The interior is computed while halos travel."""
    mail = Mail(job.simulation)

    def body(s, step):
        neighbours = {(s.process.rank - 1) % 4, (s.process.rank + 1) % 4}
        yield from s.main.launch("void pack_halo(double const*, double*, int)", 30 * US, 13)
        yield from s.main.copy("DtoH", 800_000, stream=13)
        yield from s.kernels()
        yield from s.main.synchronize(13)
        for neighbour in neighbours:
            yield from mail.post(s.main, neighbour, step, 800_000)
        yield from mail.receive_all(s.main, neighbours, step)
        yield from s.main.copy("HtoD", 800_000, stream=13)
        yield from s.main.synchronize()
    return on_each_rank(job, job.draw.uniform(8, 30), 5, 16, True, body)


case("nsys", ranks=4, name="MPI: the interior is computed while halos travel")(overlapped_halo)
