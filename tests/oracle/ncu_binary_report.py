#!/usr/bin/env python3
"""A small report of Nsight Compute with machine code, lines, PTX, samples at instructions and sections: what
tests read, and what a browser shows (ncu_binary_report.py FILE writes it).

One kernel of eight instructions on two lines of two files; the launch was at LOADED_AT.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from oracle.protobuf import encode  # noqa: E402

FUNCTION = "_Z5scalePf"
LOADED_AT = 0x7F0000001000
SIZE = 16  # of an instruction
# Guard (7: always), operation (low nine bits), and its name.
CODE = [(7, 0x119, "S2R"), (7, 0x024, "IMAD"), (7, 0x00C, "ISETP"), (0, 0x14D, "@P0 EXIT"), (7, 0x181, "LDG"),
        (7, 0x020, "FMUL"), (7, 0x186, "STG"), (7, 0x14D, "EXIT")]
FILES = ["scale.cu", "index.h"]
# From which instruction on, which file, which line.
SOURCE = [(0, 1, 7), (1, 2, 30), (2, 1, 8), (4, 1, 9), (7, 1, 10)]
PTX = ["", ".version 8.0", ".entry _Z5scalePf(", "mov.u32 %r1, %tid.x;", "mad.lo.s32 %r2, %r1, %r3, %r4;",
       "setp.ge.s32 %p1, %r2, %r5;", "@%p1 bra $done;", "ld.global.f32 %f1, [%rd1];", "mul.f32 %f2, %f1, 0f40000000;",
       "st.global.f32 [%rd1], %f2;", "$done:", "ret;", ".section .debug_str", "not shown"]
PTX_LINES = [(0, 0, 4), (1, 0, 5), (2, 0, 6), (3, 0, 7), (4, 0, 8), (5, 0, 9), (6, 0, 10), (7, 0, 12)]
SAMPLES = [3, 5, 0, 2, 100, 40, 20, 0]
STALLS = {"long_scoreboard": [0, 0, 0, 0, 30, 40, 0, 0], "wait": [1, 5, 0, 2, 0, 0, 0, 0],
          "lg_throttle": [0, 0, 0, 0, 60, 0, 20, 0], "selected": [2, 0, 0, 0, 10, 0, 0, 0]}
EXECUTED = [64, 64, 64, 64, 60, 60, 60, 60]


def line_table(files, rows):
    """A line program of DWARF 2: a row each, and the address of the first where a relocation is (its place)."""
    header = struct.pack("<BBbBB", 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"/src\0\0"
    header += b"".join(name.encode() + b"\0\x01\0\0" for name in files) + b"\0"
    program = b"\0\x09\x02"
    place = 4 + 2 + 4 + len(header) + len(program)
    program += bytes(8)
    at, line = 0, 1
    for index, file, to in rows:
        program += b"\x04" + bytes([file]) + b"\x03" + signed(to - line) + b"\x02" + bytes([(index - at) * SIZE]) + b"\x01"
        at, line = index, to
    program += b"\x02" + bytes([(len(CODE) - at) * SIZE]) + b"\0\x01\x01"
    body = struct.pack("<HI", 2, len(header)) + header + program
    return struct.pack("<I", len(body)) + body, place


def signed(value):
    """SLEB128 of a small number."""
    assert -64 <= value < 64
    return bytes([value & 0x7F])


def object_file():
    """An ELF file of 64 bits for compute capability 8.6."""
    code = b"".join(struct.pack("<QQ", guard << 12 | operation, 0) for guard, operation, _ in CODE)
    source, source_place = line_table(FILES, SOURCE)
    ptx, ptx_place = line_table([], PTX_LINES)
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 2, 0, 3, 0, len(code))
    sections = [("", 0, b"", 0, 0), (".strtab", 3, b"\0" + FUNCTION.encode() + b"\0", 0, 0),
                (".symtab", 2, symbols, 1, 0), (".text." + FUNCTION, 1, code, 0, 0),
                (".debug_line", 1, source, 0, 0), (".rel.debug_line", 9, struct.pack("<QQ", source_place, 1 << 32), 2, 4),
                (".nv_debug_line_sass", 1, ptx, 0, 0),
                (".rel.nv_debug_line_sass", 9, struct.pack("<QQ", ptx_place, 1 << 32), 2, 6),
                (".nv_debug_ptx_txt", 1, b"".join(line.encode() + b"\0" for line in PTX), 0, 0), (".shstrtab", 3, None, 0, 0)]
    names, at = b"", []
    for name, *_ in sections:
        at.append(len(names))
        names += name.encode() + b"\0"
    body, table = b"", b""
    for (_, kind, content, link, info), name in zip(sections, at):
        content = names if content is None else content
        table += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, 64 + len(body), len(content), link, info, 1, 0)
        body += content
    head = b"\x7fELF\x02\x01\x01\x33" + bytes(8)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0x00560556, 64, 0, 0, 64, len(sections),
                        len(sections) - 1)
    return head + body + table


def real(number, value):
    """A field with a double."""
    return bytes([number << 3 | 1]) + struct.pack("<d", value)


class Names:
    """The metric names of a report."""

    def __init__(self):
        self.all = []

    def of(self, name):
        if name not in self.all:
            self.all.append(name)
        return self.all.index(name)


def counted(names, name, values):
    """A metric that was counted at instructions."""
    instances = [(3, encode((1, encode((5, LOADED_AT + i * SIZE))), (2, encode((5, value)))))
                 for i, value in enumerate(values)]
    return (13, encode((1, names.of(name)), (2, encode((5, sum(values)))), *instances))


def plain(names, name, value):
    return (13, encode((1, names.of(name)), (2, real(3, float(value)))))


def section(name, title, order, head, chart=None):
    shown = [(2, encode((1, metric), (2, label))) for metric, label in head]
    fields = [(1, name), (2, title), (3, order), (4, encode(*shown)), (7, "What %s is for." % title)]
    if chart:
        bars = [(1, encode((1, metric), (2, label))) for metric, label in chart[1]]
        fields.append((5, encode((1, encode((2, encode(*bars)))), (2, chart[0]))))
    return (17, encode(*fields))


def rule(name, of, text):
    return (19, encode((1, name), (2, name), (3, encode((1, encode((1, encode((1, text), (2, 2), (3, 1))))))), (4, of)))


def with_length(data):
    return struct.pack("<I", len(data)) + data


def block(header, payload):
    return with_length(encode(*header, (5, len(payload)))) + payload


def report(with_code=True):
    names = Names()
    traffic = {"dram__bytes_read.sum": 4096, "dram__bytes_write.sum": 1024, "lts__t_sector_hit_rate.pct": 75,
               "l1tex__m_xbar2l1tex_read_bytes.sum": 8192, "smsp__sass_inst_executed_op_global_ld.sum": 60}
    ratios = {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 40, "gpu__time_duration.sum": 5000,
              "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active": 12,
              "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": 30}
    metrics = [plain(names, name, value) for name, value in {**traffic, **ratios}.items()]
    names.of("sm__not_measured.avg")
    metrics += [counted(names, "inst_executed", EXECUTED), counted(names, "smsp__pcsamp_sample_count", SAMPLES)]
    metrics += [counted(names, "smsp__pcsamp_warps_issue_stalled_" + word, values) for word, values in STALLS.items()]
    sections = [
        section("ComputeWorkloadAnalysis", "Compute Workload Analysis", 20, [("sm__not_measured.avg", "IPC")],
                ("Pipe Utilization", [("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active", "ALU"),
                                      ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "FMA")])),
        section("SpeedOfLight", "GPU Speed Of Light Throughput", 10,
                [("sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput"),
                 ("gpu__time_duration.sum", "Duration")])]
    rules = [rule("SOLBottleneck", "SpeedOfLight", "The grid is too small.")]
    extents = [(10, encode((1, 2), (2, 1), (3, 1))), (11, encode((1, 32), (2, 1), (3, 1)))]
    launch = encode((5, FUNCTION), (6, "scale"), (7, "scale(float *)"), *extents, *metrics, (15, encode((1, 77))),
                    *sections, *rules)
    functions = encode((1, encode((1, FUNCTION), (2, LOADED_AT), (3, 1))))
    source = encode((1, 77), (4, object_file()), (9, functions))
    data = b"NVR\0" + with_length(encode((1, 7)))
    if with_code:
        data += block([(1, 1), (2, 0)], with_length(source))
    return data + block([(1, 0), (2, 1), (4, encode(*[(1, name) for name in names.all]))], with_length(launch))


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(report())
