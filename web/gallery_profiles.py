#!/usr/bin/env python3
"""Writes the profiles of the gallery that no builder writes: small made-up ones, in the formats of other profilers, by
means of the writers of fuzz/. Deterministic.

  gallery_profiles.py FOLDER
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import ascend_seeds  # noqa: E402
import hpctoolkit_seeds  # noqa: E402
import ncu_seeds  # noqa: E402
import nsys_seeds  # noqa: E402

KERNELS = ("sgemm_128x64_tn", "softmax_forward", "layer_norm", "bias_gelu", "reduce_sum")


def nsys(folder):
    """Three time steps of a solver: ranges, launches, kernels on two streams, copies, synchronization."""
    numbers = random.Random(1)
    tables = {name: (columns, list(rows)) for name, (columns, rows) in nsys_seeds.TABLES.items()}
    process, thread = nsys_seeds.PROCESS, nsys_seeds.PROCESS + 1
    texts = ["stencil_step(float *, int)", "halo_exchange(float *)", "residual(float const *)", "time step", "solve",
             "exchange", "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020", "solver"]
    first = 100
    tables["StringIds"][1].extend((first + i, text) for i, text in enumerate(texts))
    text = {name: first + i for i, name in enumerate(texts)}
    calls, kernels, copies, ranges, waits = [], [], [], [], []
    now, free, number = 1_000_000, {7: 0, 8: 0}, 1000
    for _ in range(3):
        begin = now
        for part in range(12):
            part_begin = now
            for name, stream, length in ((0, 7, 90_000), (0, 7, 80_000), (2, 7, 25_000), (1, 8, 40_000)):
                number += 1
                call = 5_000 + numbers.randrange(4_000)
                calls.append((now, now + call, 0, thread, number, text["cudaLaunchKernel_v7000"]))
                start = max(now + call + 2_000, free[stream] + 1_000)
                free[stream] = start + length + numbers.randrange(length // 3)
                kernels.append((start, free[stream], 0, stream, number, process, first + name, first + name, 256))
                now += call + 3_000
            number += 1
            calls.append((now, now + 6_000, 0, thread, number, text["cudaMemcpyAsync_v3020"]))
            start = max(now + 8_000, free[8])
            free[8] = start + 30_000
            copies.append((start, free[8], 0, 8, number, process, 1 << 20, 1 + part % 2, 0, 2))
            now += 9_000
            if part % 4 == 3:
                number += 1
                end = max(free.values()) + 4_000
                calls.append((now, end, 0, thread, number, text["cudaStreamSynchronize_v3020"]))
                waits.append((now + 1_000, end - 1_000, 0, 7, number, process))
                now = end + 20_000
            ranges.append((part_begin, now, 59, None, thread, None, text["exchange" if part % 3 == 2 else "solve"], 0))
        now += 150_000
        ranges.append((begin, now, 59, None, thread, None, text["time step"], 0))
    for name, rows in (("CUPTI_ACTIVITY_KIND_RUNTIME", calls), ("CUPTI_ACTIVITY_KIND_KERNEL", kernels),
                       ("CUPTI_ACTIVITY_KIND_MEMCPY", copies), ("NVTX_EVENTS", ranges),
                       ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", waits)):
        tables[name] = (tables[name][0], rows)
    used = ["StringIds", "META_DATA_EXPORT", "TARGET_INFO_SESSION_START_TIME", "TARGET_INFO_GPU",
            "TARGET_INFO_CUDA_DEVICE", "ENUM_CUDA_MEM_KIND", "CUPTI_ACTIVITY_KIND_RUNTIME",
            "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
            "NVTX_EVENTS", "PROCESSES", "ThreadNames"]
    nsys_seeds.TABLES = tables
    (folder / "solver.sqlite").write_bytes(nsys_seeds.export(used))


def ncu(folder):
    """Measured launches from memory bound to compute bound."""
    numbers = random.Random(2)
    metrics = ncu_seeds.METRICS
    file = None
    names = list(metrics)
    results = []
    for index in range(24):
        name = KERNELS[index % len(KERNELS)]
        intensity = 4.0 ** (index % len(KERNELS)) * numbers.uniform(0.5, 1.5) / 8
        seconds = numbers.uniform(5e-6, 4e-4)
        bandwidth = numbers.uniform(0.3, 0.9) * 600e9 / max(1.0, intensity / 40)
        flops = intensity * bandwidth
        metrics.update({
            "gpu__time_duration.sum": seconds * 1e9, "launch__registers_per_thread": 16 + 8 * (index % 9),
            "sm__throughput.avg.pct_of_peak_sustained_elapsed": min(95.0, flops / 37e12 * 100 + 4),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": bandwidth / 6.96e9,
            "sm__warps_active.avg.pct_of_peak_sustained_active": numbers.uniform(20, 95),
            "dram__bytes.sum.per_second": bandwidth, "smsp__cycles_elapsed.avg.per_second": 1.3e9,
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed": flops / 1.3e9 * 0.2,
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed": flops / 1.3e9 * 0.2,
            "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2": flops / 1.3e9 * 0.6,
            "sm__ops_path_tensor_src_fp16_dst_fp32.sum.per_second": 0.0,
        })
        signature = "%s(float *, int)" % name
        more = ncu_seeds.field(5, name) + ncu_seeds.field(6, name) + ncu_seeds.field(7, signature)
        results.append(ncu_seeds.with_length(ncu_seeds.result(more)))
    field, block = ncu_seeds.field, ncu_seeds.block
    device = field(1, 0) + field(2, "NVIDIA A40") + field(
        3, field(1, "device__attribute_multiprocessor_count") + field(2, field(5, 84)))
    file = b"NVR\0" + ncu_seeds.with_length(field(1, 7))
    file += block(field(3, field(3, field(5, "node")) + field(8, field(1, "CUDA Version") + field(2, "13.0"))))
    file += block(field(1, 0) + field(2, len(results)) + field(4, b"".join(field(1, name) for name in names)),
                  b"".join(results))
    (folder / "kernels.ncu-rep").write_bytes(file + block(field(3, field(6, device))))


SOURCE = """\
__global__ void kernel(int n);
static int run(int n) {
  for (int i = 0; i < n; ++i)
    kernel<<<1, 1>>>(i);
  return 0;
}
int main() { return run(4); }
"""


def hpctoolkit(folder):
    """A database that has the source of its program."""
    target = folder / "hpctoolkit-program-measurements"
    (target / "src").mkdir(parents=True, exist_ok=True)
    (target / "src" / "a.cu").write_text(SOURCE)
    meta = hpctoolkit_seeds.meta().replace(b"/src/a.c\0", b"src/a.cu\0")
    for name, data in (("meta.db", meta), ("profile.db", hpctoolkit_seeds.profile()),
                       ("cct.db", hpctoolkit_seeds.cct()), ("trace.db", hpctoolkit_seeds.trace())):
        (target / name).write_bytes(data)


def ascend(folder):
    """Two training steps on an NPU: ops, queue, launches, kernels, a collective in each layer."""
    numbers = random.Random(3)
    seeds = ascend_seeds
    event, named = seeds.event, seeds.named
    events = [named(1, "Python"), named(seeds.CALLS, "CANN"), named(seeds.DEVICE, "Ascend Hardware"),
              named(seeds.COLLECTIVES, "HCCL"), named(seeds.COLLECTIVES, "Group 0 Communication", 0, "thread_name")]
    now, device, number = 0.0, 0.0, 0
    for step in range(2):
        begin = now
        for layer in range(8):
            for name, op, length in (("MatMulV2", "aten::linear", 180), ("LayerNorm", "aten::layer_norm", 40),
                                     ("Gelu", "aten::gelu", 30), ("SoftmaxV2", "aten::softmax", 60)):
                number += 1
                host = 30 + numbers.randrange(30)
                events.append(event(op, 1, 1, now, host, {"Sequence number": number, "Fwd thread id": 0}, cat="cpu_op"))
                events.append(event("Enqueue", 1, 1, now + 5, 6, {"correlation_id": number}, cat="enqueue"))
                events.append(event("Dequeue@aclnn" + name, 1, 2, now + 14, 22, {"correlation_id": number},
                                    cat="dequeue"))
                events.append(event("Node@launch", seeds.CALLS, 2, now + 18, 8, {"connection_id": 900 + number}))
                device = max(device + 1, now + 40)
                length += numbers.randrange(20)
                events.append(event("aclnn%s_%s" % (name, name), seeds.DEVICE, 2, device, length,
                                    {"Task Type": "AI_CORE", "connection_id": 900 + number}))
                device += length
                now += host + 4
            events.append(event("hcom_allReduce__019_%d_1" % (8 * step + layer), seeds.COLLECTIVES, 0, device, 120,
                                {"data_type": "FP16", "count": 1 << 20, "rank_size": 4}))
            now = max(now, device - 300)
        now = device + 150
        device = now
        events.append(event("ProfilerStep#%d" % (step + 3), 1, 1, begin, now - begin - 5, {"Sequence number": -1},
                            cat="cpu_op"))
    output = folder / "training_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True, exist_ok=True)
    # Times of all events as texts of whole microseconds and .125, as they are written.
    for each in events:
        if each["ph"] == "X":
            each["ts"] = "%d.125" % float(each["ts"].rsplit(".", 1)[0])
    (output / "trace_view.json").write_text(json.dumps(events))
    (output.parent / "profiler_info_3.json").write_text(
        json.dumps({"rank_id": "3", "config": {"_profiler_level": "Level1"}}))


if __name__ == "__main__":
    target_folder = pathlib.Path(sys.argv[1])
    for write in (nsys, ncu, hpctoolkit, ascend):
        write(target_folder)
