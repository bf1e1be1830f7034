"""Records jobs of several ranks that share one GPU, in pairs that differ in one planted thing: what it costs is the
difference between the two.

NCCL refuses two ranks on one device unless it takes them for ranks of two hosts (NCCL_HOSTID); they then talk over the
loopback interface, and the device works for one process at a time. Times of collectives are therefore no measure of
NCCL; who waits for whom is as real as anywhere.

Each is recorded by the profiler of every rank (JOB/rank-N.json.gz), and timed without it (times.json: ms a step).
--only NAME... records some of them.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.distributed as distributed
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import record_function

import common
from gpu_pairs import Block, busy

WIDTH, HEADS, BATCH, LENGTH = 512, 8, 8, 512
STEPS = 3


def layers(number):
    return nn.Sequential(*(Block(WIDTH, HEADS) for _ in range(number))).to("cuda")


def activations():
    return torch.randn(BATCH, LENGTH, WIDTH, device="cuda")


def prepare(late):
    """What comes before a step; on the late rank it takes 15 ms of Python."""
    with record_function("prepare_batch"):
        if distributed.get_rank() == late:
            busy(0.015)


def data_parallel(late=None, many_layers_on=None):
    rank = distributed.get_rank()
    model = DistributedDataParallel(layers(3), device_ids=[0], bucket_cap_mb=8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    repeated = 3 if rank == many_layers_on else 1  # the same gradients, of more work
    batch = activations()

    def step():
        prepare(late)
        loss = sum(model.module(batch).square().mean() for _ in range(repeated - 1)) if repeated > 1 else 0
        loss = loss + model(batch).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def fully_sharded(late=None):
    from torch.distributed.fsdp import fully_shard

    model = layers(3)
    for layer in model:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    batch = activations()

    def step():
        prepare(late)
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def pipeline(slow=None, late=None, micro_batches=4):
    """Each rank is a stage: all micro-batches forward, then all backward. The slow stage has three times the layers."""
    rank, last = distributed.get_rank(), distributed.get_world_size() - 1
    stage = layers(6 if rank == slow else 2)
    batch = activations()

    def step():
        prepare(late)
        kept = []
        for number in range(micro_batches):
            with record_function(f"forward {number}"):
                received = batch.clone() if rank == 0 else torch.empty_like(batch)
                if rank > 0:
                    distributed.recv(received, rank - 1)
                received.requires_grad_()
                sent = stage(received)
                if rank < last:
                    distributed.send(sent.detach(), rank + 1)
                kept.append((received, sent))
        for number, (received, sent) in enumerate(kept):
            with record_function(f"backward {number}"):
                if rank == last:
                    sent.square().mean().backward()
                else:
                    gradient = torch.empty_like(batch)
                    distributed.recv(gradient, rank + 1)
                    sent.backward(gradient)
                if rank > 0:
                    distributed.send(received.grad, rank - 1)
        stage.zero_grad(set_to_none=True)

    return step


def scheduled_pipeline(schedule, slow=None, late=None, micro_batches=4):
    """The same by torch.distributed.pipelining, which sends and receives in batches."""
    from torch.distributed import pipelining

    rank, world = distributed.get_rank(), distributed.get_world_size()
    batch = activations()
    stage = pipelining.PipelineStage(layers(6 if rank == slow else 2), rank, world, torch.device("cuda"))
    by_schedule = getattr(pipelining, schedule)(stage, micro_batches, loss_fn=lambda y, _: y.square().mean())

    def step():
        prepare(late)
        if rank == 0:
            by_schedule.step(batch)
        else:
            by_schedule.step(target=batch) if rank == world - 1 else by_schedule.step()
        stage.submod.zero_grad(set_to_none=True)

    return step


def ring(slow=None):
    """Each rank hands on a block to the next while it works on its own, as attention over a ring does."""
    rank, world = distributed.get_rank(), distributed.get_world_size()
    layer = layers(3 if rank == slow else 1)
    mine = activations()

    @torch.no_grad()
    def step():
        block = mine
        for _ in range(world):
            coming = torch.empty_like(block)
            work = distributed.batch_isend_irecv([
                distributed.P2POp(distributed.isend, block, (rank + 1) % world),
                distributed.P2POp(distributed.irecv, coming, (rank - 1) % world),
            ])
            layer(block)
            for each in work:
                each.wait()
            block = coming

    return step


def experts(share=None):
    """One expert a rank; `share` of all words go to the first of them, else as many to each."""
    rank, world = distributed.get_rank(), distributed.get_world_size()
    share = share or 1 / world
    words = BATCH * LENGTH
    to = [round(words * share)] + [round(words * (1 - share) / (world - 1))] * (world - 1)
    come = [to[rank]] * world
    dense, expert = layers(1), nn.Sequential(
        nn.Linear(WIDTH, 8 * WIDTH), nn.GELU(), nn.Linear(8 * WIDTH, WIDTH)
    ).to("cuda")
    batch = activations()

    @torch.no_grad()
    def step():
        prepare(None)
        x = dense(batch).view(words, WIDTH)[: sum(to)].contiguous()
        mine = torch.empty(sum(come), WIDTH, device="cuda")
        distributed.all_to_all_single(mine, x, come, to)
        mine = expert(mine)
        back = torch.empty_like(x)
        distributed.all_to_all_single(back, mine, to, come)

    return step


def tensor_parallel(late=None):
    """Two groups of two ranks that share each layer, and two that share gradients."""
    rank = distributed.get_rank()
    tensor = [distributed.new_group([2 * i, 2 * i + 1], group_desc="TENSOR_PARALLEL") for i in range(2)][rank // 2]
    data = [distributed.new_group([i, i + 2], group_desc="DATA_PARALLEL") for i in range(2)][rank % 2]
    model = layers(3)
    batch = activations()

    def step():
        prepare(late)
        x = batch
        with torch.no_grad():
            for layer in model:
                x = layer(x)
                distributed.all_reduce(x, group=tensor)
        model(batch).square().mean().backward()
        for parameter in model.parameters():
            distributed.all_reduce(parameter.grad, group=data)
        model.zero_grad(set_to_none=True)

    return step


# ranks, backend, step
JOBS = {
    "data_parallel": (2, "nccl", data_parallel),
    "data_parallel_late": (2, "nccl", lambda: data_parallel(late=1)),
    "data_parallel_more_work": (2, "nccl", lambda: data_parallel(many_layers_on=1)),
    "over_gloo": (4, "gloo", data_parallel),
    "over_gloo_late": (4, "gloo", lambda: data_parallel(late=2)),
    "fully_sharded": (2, "nccl", fully_sharded),
    "fully_sharded_late": (2, "nccl", lambda: fully_sharded(late=1)),
    "pipeline": (3, "nccl", pipeline),
    "pipeline_slow": (3, "nccl", lambda: pipeline(slow=1)),
    "pipeline_late": (3, "nccl", lambda: pipeline(late=0)),
    "scheduled": (3, "nccl", lambda: scheduled_pipeline("Schedule1F1B")),
    "scheduled_slow": (3, "nccl", lambda: scheduled_pipeline("Schedule1F1B", slow=1)),
    "ring": (3, "nccl", ring),
    "ring_slow": (3, "nccl", lambda: ring(slow=1)),
    "experts_even": (2, "nccl", experts),
    "experts_skewed": (2, "nccl", lambda: experts(0.9)),
    "tensor_parallel": (4, "nccl", tensor_parallel),
    "tensor_parallel_late": (4, "nccl", lambda: tensor_parallel(late=3)),
}


def milliseconds(step, rounds=5):
    """A step without the profiler: the median of some rounds of steps, all ranks starting together."""
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        distributed.barrier()
        begin = time.perf_counter()
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
        distributed.barrier()
        times.append(1000 * (time.perf_counter() - begin) / STEPS)
    return round(statistics.median(times), 3)


def run_rank(name, folder):
    _, backend, make = JOBS[name]
    distributed.init_process_group(backend)
    rank = distributed.get_rank()
    torch.manual_seed(rank)
    torch.set_num_threads(1)
    step = make()
    common.record(step, SimpleNamespace(output=folder / name / f"rank-{rank}.json.gz", steps=STEPS))
    time_of_step = milliseconds(step)
    if rank == 0:
        file = folder / "times.json"
        times = json.loads(file.read_text()) if file.exists() else {}
        times[name] = time_of_step
        file.write_text(json.dumps(times, indent=1) + "\n")
        print(f"{name}: {time_of_step} ms a step without the profiler", flush=True)
    distributed.destroy_process_group()


def run_job(name, folder, port):
    """One process a rank. Returns whether all of them ended well."""
    ranks = JOBS[name][0]
    (folder / name).mkdir(parents=True, exist_ok=True)
    shared = {"WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo",
              "NCCL_SOCKET_IFNAME": "lo", "NCCL_IB_DISABLE": "1"}
    command = [sys.executable, __file__, "--output", str(folder), "--rank-of", name]
    processes = [
        subprocess.Popen(command, env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": "0",
                                       "NCCL_HOSTID": f"host{rank}"})
        for rank in range(ranks)
    ]
    until = time.monotonic() + 60
    try:
        return all([process.wait(max(1, until - time.monotonic())) == 0 for process in processes])
    except subprocess.TimeoutExpired:
        print(f"{name}: not done after 60 s", flush=True)
        return False
    finally:
        for process in processes:
            process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("h100_ranks"), help="the folder to write to")
    parser.add_argument("--only", nargs="+", choices=JOBS, default=list(JOBS), help="record these")
    parser.add_argument("--rank-of", choices=JOBS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.rank_of:
        return run_rank(arguments.rank_of, arguments.output)
    bad = [name for number, name in enumerate(arguments.only) if not run_job(name, arguments.output, 29500 + number)]
    return f"failed: {', '.join(bad)}" if bad else None


if __name__ == "__main__":
    sys.exit(main())
