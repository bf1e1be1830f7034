"""Seeds of the fuzz target for XPlane profiles: devices, threads, memory, whole and damaged."""
import gzip

from perfetto_seeds import message


def named(number, name):
    return message((1, number), (2, message((1, number), (2, name))))


def stats(*names):
    return [(5, named(i + 1, name)) for i, name in enumerate(names)]


def events(*names):
    return [(4, named(i + 1, name)) for i, name in enumerate(names)]


def stat(number, kind, value):
    return 4, message((1, number), (kind, value))


def device():
    stream = message((1, 16), (2, "Stream #16(Kernel)"), (3, 1000),
                     (4, message((1, 1), (2, 2500), (3, 4000), stat(1, 3, 7))),
                     (4, message((1, 2), (2, 9500), (3, 500), stat(1, 3, 8), stat(2, 7, 3))))
    derived = message((1, 5), (2, "XLA Modules"), (3, 1000), (4, message((1, 1), (2, 0), (3, 9000))),
                      (4, message((1, 1), (5, 3))))
    return message((1, 0), (2, "/device:GPU:0"), (3, stream), (3, derived), *events("gemm.kd", "MemcpyH2D"),
                   *stats("correlation_id", "memcpy_details", "kind_src:pinned kind_dst:device size:64 dest:0",
                          "core_count", "device_vendor"),
                   (6, message((1, 4), (3, 304))), (6, message((1, 5), (5, "AMD"))))


def host():
    thread = message((1, 99), (2, "python"), (11, "python"), (3, 900),
                     (4, message((1, 1), (2, 0), (3, 90000))),
                     (4, message((1, 2), (2, 1000), (3, 500), stat(1, 3, 7))),
                     (4, message((1, 3), (2, 2000), stat(2, 4, 256), stat(3, 4, 512), stat(4, 5, "GPU_0_bfc"))),
                     (4, message((1, 4), (2, 3000))), (4, message((1, 9), (2, 4000), (3, 1))))
    return message((2, "/host:CPU"), (3, thread),
                   *events("$main.py:1 f", "hipLaunchKernel", "MemoryAllocation", "Mark"),
                   *stats("correlation_id", "allocation_bytes", "bytes_allocated", "allocator_name"))


def task():
    return message((2, "Task Environment"), *stats("profile_start_time"),
                   (6, message((1, 1), (3, 1700000000000000000))))


def seeds():
    whole = message((1, device()), (1, host()), (1, task()), (2, "an error"), (4, "node"))
    yield "whole.xplane.pb", whole
    yield "whole.xplane.pb.gz", gzip.compress(whole, mtime=0)
    yield "device.xplane.pb", message((1, device()))
    yield "host.xplane.pb", message((1, host()), (1, task()))
    yield "cut.xplane.pb", whole[:len(whole) * 2 // 3]
    yield "empty.xplane.pb", message((1, message((2, "/host:CPU"))))
    yield "large.xplane.pb", message((1, message((1, 1), (2, "/device:TPU:0"), *events("while"), (3, message(
        (2, "XLA Ops"), (3, (1 << 64) - 1), (4, message((1, 1), (2, (1 << 63) - 1), (3, (1 << 63) - 1))))))))
    yield "long_length.xplane.pb", whole + b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
