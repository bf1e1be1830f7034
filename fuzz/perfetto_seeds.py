"""Seeds of the fuzz target for Perfetto traces: one of everything that writers do, whole and damaged."""
import gzip
import struct
import zlib


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


class Fixed(int):
    """A number that is written as eight bytes."""


def message(*fields):
    """(number, value) pairs, a value by its type: int, Fixed, float, bytes or str."""
    out = b""
    for number, value in fields:
        if isinstance(value, Fixed):
            out += varint(number << 3 | 1) + struct.pack("<Q", value)
        elif isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def packet(*fields, sequence=1):
    return message((1, message((10, sequence), *fields)))


def event(time, *fields, sequence=1):
    return packet((8, time), (11, message(*fields)), sequence=sequence)


def number(name, value):
    return 4, message((10, name), (4, value))


def tracks():
    process = message((1, 1), (3, message((1, 100), (6, "python"))))
    thread = message((1, 2), (4, message((1, 100), (2, 101), (5, "main"))))
    gpu = message((1, 3), (3, message((1, 0), (6, "GPU 0"))))
    stream = message((1, 4), (5, 3), (2, "stream 7"))
    counter = message((1, 5), (5, 1), (2, "load"), (8, message((4, 2), (5, 1))))
    return b"".join(packet((60, one)) for one in (process, thread, gpu, stream, counter))


def slices():
    yield event(10, (9, 1), (11, 2), (22, "cpu_op"), (23, "aten::mm"), number("Sequence number", 3))
    yield event(12, (9, 1), (11, 2), (22, "cuda_runtime"), (23, "cudaLaunchKernel"), number("correlation", 9),
                (47, Fixed(77)))
    yield event(14, (9, 2), (11, 2), (31, 5), (12, 4)) + event(15, (9, 2), (11, 2), number("late", 1))
    yield event(20, (9, 1), (11, 4), (22, "kernel"), (23, "_Z4gemmPf"), number("correlation", 9), number("device", 0),
                number("stream", 7), (48, Fixed(77)))
    yield event(25, (9, 2), (11, 4))
    yield event(26, (9, 1), (11, 4), (22, "gpu_memcpy"), (23, "Memcpy HtoD (Pinned -> Device)"), number("bytes", 64))
    yield event(27, (9, 2), (11, 4))
    yield event(28, (9, 3), (11, 2), (23, "[memory]"), number("Bytes", 512), number("Device Type", 1))
    yield event(29, (9, 4), (11, 5), (30, 3)) + event(29, (9, 4), (11, 5), (44, 0.5))


def annotated():
    values = [(2, 1), (3, 5), (4, -5), (5, 0.5), (6, "text"), (7, 48879), (9, '{"a":[1]}'),
              (11, message((10, "x"), (4, 1))), (12, message((12, message((4, 2))))),
              (8, message((1, 1), (2, "k"), (3, message((5, 1)))))]
    return event(40, (9, 1), (11, 2), *((4, message((10, "v%d" % i), value)) for i, value in enumerate(values)),
                 (4, message((1, 3), (17, 4)))) + event(41, (9, 2), (11, 2))


def interned():
    entries = message((1, message((1, 1), (2, "cuda_runtime"))), (2, message((1, 2), (2, "a name"))),
                      (3, message((1, 3), (2, "key"))), (29, message((1, 4), (2, "value"))))
    return packet((13, 3), (12, entries), (59, message((58, 6), (11, message((11, 2)))))) + \
        event(50, (9, 1), (10, 2), (3, 1), (4, message((1, 3), (17, 4)))) + event(51, (9, 2)) + \
        packet((13, 2), (42, 1), (8, 52), (11, message((9, 1), (10, 2))))


def clocks():
    clock = [message((1, 6), (2, 1000)), message((1, 1), (2, 1700000000000000000)), message((1, 3), (2, 500)),
             message((1, 64), (2, 7), (3, 1), (4, 1000))]
    return packet((6, message(*((1, one) for one in clock), (2, 6)))) + \
        packet((8, 600), (58, 3), (11, message((9, 3), (11, 2), (23, "x")))) + \
        packet((8, 1), (58, 64), (11, message((9, 3), (11, 2), (23, "y")))) + \
        packet((8, 1), (58, 99), (11, message((9, 3), (11, 2), (23, "z"))))


def gpu():
    entries = message((24, message((1, 1), (2, "Stream 7"), (4, 2))), (24, message((1, 2), (2, "Kernel"))),
                      (1000, message((1, 3), (2, "_Z1fv"), (3, "f()"), (4, "sm_90"))),
                      (1001, message((1, 4), (2, "registers"))), (23, message((1, 5), (2, 100), (3, 4))))
    launch = message((1, message((1, 8), (2, 1))), (2, message((1, 256))), (3, message((1, 4), (4, 32))))
    stage = message((1, 501), (2, 5), (5, 5), (10, 44), (11, 0), (13, 1), (14, 2), (19, 3), (21, launch),
                    (6, message((1, "bytes"), (2, "64"))))
    early = message((7, message((2, message((1, "queue"))), (3, message((1, "stage"))))))
    counters = message((1, message((1, message((1, 9), (2, "active"))))), (2, message((1, 9), (3, 0.5))), (3, 0))
    info = message((1, message((1, "H100"), (2, "NVIDIA"), (6, message((1, "numSms"), (2, "132"))))))
    submit = message((2, message((1, 3), (2, 5), (3, 6), (6, 44))))
    return packet((13, 1), (12, entries)) + event(60, (9, 1), (11, 2), (23, "go"), (3000, message((1, 501)))) + \
        event(61, (9, 2), (11, 2)) + packet((8, 62), (53, stage)) + packet((8, 62), (53, early)) + \
        packet((8, 63), (52, counters)) + packet((128, info)) + packet((8, 64), (65, submit))


def legacy():
    out = packet((44, message((1, 5), (2, 6), (6, 1000), (5, "old"))))
    for phase, more in (("B", []), ("X", [(3, 4)]), ("E", []), ("b", [(11, 1)]), ("e", [(11, 1)]), ("s", [(6, 1)]),
                        ("f", [(8, 1), (13, 1)]), ("i", []), ("C", []), ("M", []), ("N", [])):
        out += packet((11, message((1, 2), (23, "process_name"), (22, "ac2g"), (4, message((10, "name"), (4, 1))),
                                   (6, message((2, ord(phase)), *more)))))
    return out


def ftrace():
    tree = message((1, message((1, 50), (3, "/bin/app x"))), (2, message((1, 51), (3, 50), (2, "render"))))
    marks = [message((1, 70 + i), (2, 51), (3, message((2, text)))) for i, text in enumerate(
        ("B|50|draw\n", "E|50", "C|50|depth|7", "S|50|fetch|3", "F|50|fetch|3", "I|50|now", "N|50|lane|x", "other"))]
    switches = [message((1, 80 + i), (4, message((5, "render"), (6, i % 2 * 51)))) for i in range(3)]
    columns = message((1, b"\x5a\x05\x05"), (3, b"\x33\x00\x33"), (5, "render"), (5, "idle"), (6, b"\x00\x01\x00"))
    return packet((2, tree)) + packet((1, message((1, 2), *((2, one) for one in marks + switches), (4, columns))))


def seeds():
    whole = tracks() + b"".join(slices()) + annotated() + interned() + clocks() + gpu() + legacy() + ftrace()
    parts = {"slices": tracks() + b"".join(slices()), "annotated": annotated(), "interned": interned(),
             "clocks": clocks(), "gpu": gpu(), "legacy": legacy(), "ftrace": ftrace(),
             "compressed": packet((50, zlib.compress(tracks() + b"".join(slices()) + annotated()))),
             "damaged_block": packet((50, zlib.compress(tracks())[:-8])),
             "zstd_block": packet((133, struct.pack("<IBI", 0xFD2FB528, 0xA0, len(tracks())) +
                                   struct.pack("<I", len(tracks()) << 3 | 1)[:3] + tracks()))}
    for name, data in parts.items():
        yield name + ".pftrace", data
    yield "whole.pftrace", whole
    yield "whole.pftrace.gz", gzip.compress(whole, mtime=0)
    yield "truncated.pftrace", whole[:len(whole) * 2 // 3]
    yield "long_length.pftrace", whole + b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
    yield "group.pftrace", message((1, message((10, 1)) + b"\x1b\x08\x05\x1c")) + whole
