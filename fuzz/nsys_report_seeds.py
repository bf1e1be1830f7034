"""Seeds of nsys_report_fuzz: small reports of Nsight Systems with one of every event, whole, cut and damaged, and
messages of events alone."""
from ncu_seeds import field, varint

THREAD = 1 << 48 | 100 << 24 | 100
PROCESS = 1 << 48 | 100 << 24

TEXTS = ["[Unknown]", "void gemm<float>(int)", "gemm", "cudaLaunchKernel_v7000", "poll", "step"]


def device(start, kind, of_kind):
    return (field(1, start) + field(2, start + 10) + field(3, 1) + field(4, 0) + field(5, 1) + field(6, 7) +
            field(8, PROCESS) + field(kind, of_kind))


def call(start, event_class, more=b""):
    return (field(1, start) + field(2, start + 5) + field(3, 1) + field(6, event_class) + field(7, 3) + field(8, 7) +
            field(13, THREAD) + more)


def numbers(*values):
    return b"".join(field(i + 1, value) for i, value in enumerate(values))


FRAME = field(1, 1) + field(2, 2)
EVENTS = [
    (79, 107, device(10, 101, numbers(1, 2) + field(10, 64) + field(13, 256) + field(21, 32))),
    (80, 107, device(30, 102, field(1, 4096) + field(2, 1) + field(4, 0) + field(5, 2))),
    (80, 107, device(50, 103, field(1, 64) + field(4, 2))),
    (106, 107, device(60, 105, field(1, 2) + field(3, 2) + field(2, 1))),
    (127, 107, device(70, 106, numbers(2, 2))), (130, 107, device(80, 107, numbers(4, 5))),
    (48, 108, call(5, 0)), (48, 108, call(6, 1)), (48, 108, call(7, 27, field(15, FRAME))), (48, 108, call(8, 3)),
    (48, 108, call(9, 103)), (48, 108, call(9, 67)), (47, 108, call(1, 31)), (47, 108, call(1, 6)),
    (113, 108, call(2, 77)), (48, 108, call(2, 98)),
    (59, 102, numbers(59, 3) + field(10, 90) + field(9, THREAD) + field(12, 5) + field(8, field(3, 1.5) + field(7, 2))),
    (60, 102, numbers(60, 4) + field(9, THREAD) + field(7, "open")), (75, 102, field(1, 75) + field(2, 0) +
                                                                       field(13, 3) + field(7, "NCCL")),
    (41, 106, field(1, 1) + field(3, 2) + field(4, 1) + field(6, THREAD)),
    (31, 104, field(1, 5) + field(11, THREAD) + field(5, field(2, 100)) + field(4, FRAME) + field(4, FRAME)),
    (49, 110, field(1, field(1, 0)) + field(3, 2) + field(4, "Not all events were collected")),
    (27, 113, field(2, PROCESS) + field(6, "python")), (28, 109, field(1, 1)), (128, 128, field(1, 1)),
]


def event(kind, number, payload):
    return field(1, field(1, kind) + field(number, payload))


def messages(events):
    return b"".join(event(*one) for one in events) + field(2, field(1, 1) + field(2, 5) + field(3, "raw"))


def literals(data):
    """An LZ4 block that repeats nothing."""
    rest = len(data) - 15
    if rest < 0:
        return bytes([len(data) << 4]) + data
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


def block(message):
    text = varint(len(message)) + message
    packed = literals(text)
    return varint(len(packed)) + varint(len(text)) + packed


def report(blocks):
    def with_length(data):
        return varint(len(data)) + data

    clock = b"".join(field(1, field(1, a) + field(2, b) + field(5, str(by))) for a, b, by in
                     [(7, 1, -5), (1, 3, 7), (3, 9, -1700000000000000002)])
    environment = field(1, field(1, 619) + field(2, "node7")) + field(1, field(1, 610) + field(2, "A=b"))
    head = field(1, field(1, "Local (CLI)") + field(2, environment)) + field(16, clock) + field(17, 5)
    events = b"QDTEXT00" + with_length(head) + with_length(field(1, len(EVENTS)) + field(3, 6) + field(9, "lz4"))
    events += b"".join(map(block, blocks))
    texts = len(events) - 8
    events += block(b"".join(field(1, text) for text in TEXTS))
    events += with_length(field(1, field(2, 5) + field(4, THREAD)))
    gpu = field(1, 0) + field(2, "NVIDIA H100") + field(11, 8 << 30) + field(14, 132) + field(41, 9) + field(42, 0)
    events += with_length(field(1, field(1, 1) + field(2, field(7, gpu) + field(9, numbers(1, 0, 100)))))
    file = b"NVIDIA Tegra Profiler Report 2025@1@1@110-0v0."
    directory = b""
    options = field(12, field(1, 1000)) + field(26, field(42, 1) + field(49, field(1, 0)) + field(30, field(1, "A")))
    for name, data in [("Analysis Options Data", options), ("Raw Sampling Data", events),
                       ("Sampling Data Offsets", field(1, "lz4") + field(2, texts)),
                       ("UI Data", field(6, "2025.1.1.110-0v0"))]:
        directory += field(1, field(1, name) + field(2, len(file)) + field(3, len(data)))
        file += data
    return file + directory + len(file).to_bytes(8, "little") + b"U3w[END]"


def seeds():
    whole = report([messages(EVENTS[:9]), messages(EVENTS[9:])])
    yield "whole.nsys-rep", whole
    yield "no_directory.nsys-rep", whole[:-30]
    yield "cut.nsys-rep", whole[:len(whole) * 2 // 3]
    yield "header.nsys-rep", whole[:60]
    yield "no_events.nsys-rep", report([])
    yield "damaged_block.nsys-rep", whole.replace(b"\xf0", b"\xf1", 1)
    yield "events.bin", b"B" + messages(EVENTS)
    for i, one in enumerate(EVENTS):
        yield "event%d.bin" % i, b"B" + event(*one)
