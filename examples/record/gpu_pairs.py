"""Records runs on a GPU that differ in one thing each: what it costs is the difference between two of them.

Each is recorded by the profiler, and timed without it (times.json: ms a step), since a profiler lengthens what the host
does. --only NAME... records some of them.
"""

import argparse
import gc
import json
import statistics
import time
from pathlib import Path
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset

import common

WORDS = 8192  # in the vocabulary
BATCH, LENGTH = 8, 1024
STEPS = 3


class Block(nn.Module):
    """Attention and a perceptron, each behind a normalization."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.before_attention(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.projection(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.before_perceptron(x))))


class LanguageModel(nn.Module):
    def __init__(self, layers=3, width=2048, heads=16, recompute=False):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, WORDS)
        self.recompute = recompute

    def forward(self, words):
        x = self.embedding(words)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)
        return self.head(self.norm(x))


class SlowTexts(Dataset):
    """Texts of noise, each of which takes a processor 4 ms."""

    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        busy(0.004)
        return torch.randint(0, WORDS, (LENGTH,))


def busy(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def training(precision=torch.bfloat16, layers=3, batch=BATCH, recompute=False, optimizer="fused", words=None,
             before=None, after=None):
    """A step of training: of the words that `words()` gives; before() is called first and after(loss) last."""
    model = LanguageModel(layers, recompute=recompute).to("cuda")
    adam = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=optimizer == "fused", foreach=optimizer == "foreach")
    always = torch.randint(0, WORDS, (batch, LENGTH), device="cuda")

    def step():
        if before:
            before()
        seen = words() if words else always
        with torch.autocast("cuda", precision, enabled=precision != torch.float32):
            loss = functional.cross_entropy(model(seen).flatten(0, 1).float(), seen.flatten())
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        if after:
            after(loss)

    return step


def loading(workers):
    batches = iter(DataLoader(SlowTexts(), BATCH, num_workers=workers, pin_memory=True))
    return training(words=lambda: next(batches).to("cuda", non_blocking=True))


def copying(pinned, stream=None):
    """256 MiB go to the device in each step."""
    host = torch.zeros(32 << 20, dtype=torch.int64, pin_memory=pinned)

    def before():
        with torch.cuda.stream(stream):
            host.to("cuda", non_blocking=pinned)

    return training(before=before)


def matrix_precision(name):
    def step_of():
        torch.set_float32_matmul_precision(name)
        return training(torch.float32)

    return step_of


def convolutions(layout):
    channels = [16] + [64] * 8
    layers = [
        layer
        for inputs, outputs in zip(channels, channels[1:])
        for layer in (nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())
    ]
    model = nn.Sequential(*layers).to("cuda", torch.half).to(memory_format=layout)
    images = torch.randn(64, 16, 112, 112, device="cuda", dtype=torch.half).to(memory_format=layout)

    def step():
        model(images).float().mean().backward()
        model.zero_grad(set_to_none=True)

    return step


def answering(graph):
    """A small model reads one text of 128 words: op by op, or as a CUDA graph."""
    model = LanguageModel(layers=4, width=1024).to("cuda", torch.bfloat16).eval()
    words = torch.randint(0, WORDS, (1, 128), device="cuda")

    @torch.no_grad()
    def step():
        return model(words)

    if not graph:
        return step
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        step()
    return captured.replay


def two_halves(streams):
    """A batch in one piece, or its halves on two streams."""
    model = LanguageModel(layers=3).to("cuda", torch.bfloat16).eval()
    words = torch.randint(0, WORDS, (8, 512), device="cuda")
    if streams == 1:
        return torch.no_grad()(lambda: model(words))
    lanes = [torch.cuda.Stream() for _ in range(2)]

    @torch.no_grad()
    def step():
        current = torch.cuda.current_stream()
        halves = [model.embedding(half) for half in words.chunk(2)]
        for lane in lanes:
            lane.wait_stream(current)
        for block in model.blocks:
            for i, lane in enumerate(lanes):
                with torch.cuda.stream(lane):
                    halves[i] = block(halves[i])
        for lane in lanes:
            current.wait_stream(lane)
        return model.head(model.norm(torch.cat(halves)))

    return step


class Experts(nn.Module):
    """Eight experts, two for each word; `skew` sends more words to the last ones."""

    def __init__(self, width, skew, experts=8):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(experts)
        )
        self.skew = torch.linspace(0, skew, experts, device="cuda")

    def forward(self, x):
        weights, chosen = torch.softmax(self.router(x).float() + self.skew, -1).topk(2, -1)
        y = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            word, place = (chosen == number).nonzero(as_tuple=True)
            y.index_add_(0, word, expert(x[word]) * weights[word, place, None].to(x.dtype))
        return y


def experts(skew):
    model = nn.Sequential(Experts(1024, skew), Experts(1024, skew)).to("cuda", torch.bfloat16)
    words = torch.randn(8192, 1024, device="cuda", dtype=torch.bfloat16)
    return torch.no_grad()(lambda: model(words))


def denoising(passes=6):
    """An image from noise: a text encoder, so many passes of one network, a decoder."""
    encoder = nn.Sequential(Block(768, 12), Block(768, 12)).to("cuda", torch.bfloat16)
    network = nn.Sequential(Block(1024, 16), Block(1024, 16), Block(1024, 16)).to("cuda", torch.bfloat16)
    decoder = nn.Sequential(nn.ConvTranspose2d(4, 64, 4, 2, 1), nn.SiLU(), nn.ConvTranspose2d(64, 3, 4, 2, 1))
    decoder = decoder.to("cuda", torch.bfloat16)

    @torch.no_grad()
    def step():
        encoder(torch.randn(2, 77, 768, device="cuda", dtype=torch.bfloat16))
        x = torch.randn(2, 1024, 1024, device="cuda", dtype=torch.bfloat16)
        for _ in range(passes):
            x = x - network(x) / passes
        return decoder(x.view(2, 4, 512, 512))

    return step


def cache_to_host():
    """A cache of keys and values goes to the host and back on a stream of its own, beside products."""
    cache = torch.randn(32, 1024, 1024, device="cuda", dtype=torch.bfloat16)
    host = torch.empty_like(cache, device="cpu", pin_memory=True)
    matrix = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    stream = torch.cuda.Stream()

    def step():
        with torch.cuda.stream(stream):
            host.copy_(cache, non_blocking=True)
            cache.copy_(host, non_blocking=True)
        for _ in range(8):
            matrix @ matrix
        torch.cuda.current_stream().wait_stream(stream)

    return step


RUNS = {
    "training": training,
    "more_layers": lambda: training(layers=4),
    "recomputed": lambda: training(recompute=True),
    "loop_optimizer": lambda: training(optimizer="loop"),
    "loss_read": lambda: training(after=lambda loss: loss.item()),
    "host_stall": lambda: training(before=lambda: busy(0.02), after=lambda loss: loss.item()),
    "garbage_collected": lambda: training(after=lambda loss: (loss.item(), gc.collect())),
    "cache_emptied": lambda: training(after=lambda loss: torch.cuda.empty_cache()),
    "fp32": matrix_precision("highest"),
    "tf32": matrix_precision("high"),
    "copies_pageable": lambda: copying(pinned=False),
    "copies_pinned": lambda: copying(pinned=True),
    "copies_beside": lambda: copying(pinned=True, stream=torch.cuda.Stream()),
    "workers_0": lambda: loading(0),
    "workers_8": lambda: loading(8),
    "convolutions_nchw": lambda: convolutions(torch.contiguous_format),
    "convolutions_nhwc": lambda: convolutions(torch.channels_last),
    "op_by_op": lambda: answering(graph=False),
    "graph": lambda: answering(graph=True),
    "one_stream": lambda: two_halves(1),
    "two_streams": lambda: two_halves(2),
    "experts_even": lambda: experts(0),
    "experts_skewed": lambda: experts(4),
    "denoising": denoising,
    "cache_to_host": cache_to_host,
}


def milliseconds(step, rounds=5):
    """A step without the profiler, the device kept busy from step to step: the median of some rounds of steps."""
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - begin) / STEPS)
    return round(statistics.median(times), 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("h100"), help="the folder to write to")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), help="record these")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    file = arguments.output / "times.json"
    times = json.loads(file.read_text()) if file.exists() else {}
    for name in arguments.only:
        torch.manual_seed(0)
        step = RUNS[name]()
        common.record(step, SimpleNamespace(output=arguments.output / f"{name}.json.gz", steps=STEPS))
        times[name] = milliseconds(step)
        print(f"{name}: {times[name]} ms a step without the profiler", flush=True)
        torch.set_float32_matmul_precision("highest")
        del step
        gc.collect()
        torch.cuda.empty_cache()
        file.write_text(json.dumps(times, indent=1) + "\n")


if __name__ == "__main__":
    main()
