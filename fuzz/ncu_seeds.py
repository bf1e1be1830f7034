"""Seeds of the fuzz target for Nsight Compute: small reports and pages with one of everything, whole and damaged."""
import csv
import gzip
import io
import struct


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A field by the type of its value: int, float, bytes or str."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def with_length(data):
    return struct.pack("<I", len(data)) + data


def block(header=b"", payload=b""):
    return with_length(header + field(5, len(payload))) + payload


METRICS = {
    "gpu__time_duration.sum": 5184.0, "launch__registers_per_thread": 16, "launch__device_id": 0,
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 12.5,
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 80.0,
    "sm__warps_active.avg.pct_of_peak_sustained_active": 50.0, "dram__bytes.sum.per_second": 1e9,
    "smsp__cycles_elapsed.avg.per_second": 1e9,
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed": 1.0,
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed": 1.0,
    "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2": 2.0,
    "sm__ops_path_tensor_src_fp16_dst_fp32.sum.per_second": 1e12,
    "launch__func_cache_config": "PreferNone",
}


def result(more=b""):
    data = field(5, "_Z1fPf") + field(6, "f") + field(7, "f(float *)")
    data += field(10, field(1, 4) + field(2, 1) + field(3, 1)) + field(11, field(1, 256))
    for i, value in enumerate(METRICS.values()):
        number = {float: 3, int: 5, str: 1}[type(value)]
        data += field(13, field(1, i) + field(2, field(number, value)) + field(3, field(1, field(5, 0))))
    header = field(2, field(1, "gpu__time_duration.sum") + field(2, "Duration"))
    data += field(17, field(1, "SpeedOfLight") + field(2, "GPU Speed Of Light") + field(4, header))
    finding = field(1, field(1, "see @section:A:a@") + field(2, 4)) + field(10, field(1, 2) + field(2, 44.5))
    data += field(19, field(1, "Rule") + field(3, field(1, finding)) + field(4, "SpeedOfLight"))
    return data + more


def report(version=7, more=b""):
    device = field(1, 0) + field(2, "NVIDIA A40") + field(3, field(1, "device__attribute_multiprocessor_count") +
                                                          field(2, field(5, 84)))
    names = b"".join(field(1, name) for name in METRICS)
    file = b"NVR\0" + with_length(field(1, version))
    file += block(field(3, field(3, field(5, "node")) + field(8, field(1, "CUDA Version") + field(2, "13.0"))))
    file += block(field(1, 1) + field(2, 0), with_length(field(4, b"\x7fELF")))
    file += block(field(1, 0) + field(2, 1) + field(4, names), with_length(result(more)))
    file += block(field(3, field(6, device)))
    return file + block(field(2, 1), with_length(result()))


ABOUT = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
         "Device", "CC"]
LAUNCH = ["0", "1", "app", "node", "f<1, 2>(int)", "1", "7", "(256, 1, 1)", "(4, 1, 1)", "0", "9.0"]
DETAILS = ["Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type", "Rule Description",
           "Estimated Speedup Type", "Estimated Speedup"]


def page(rows):
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def details():
    return page([ABOUT + DETAILS,
                 LAUNCH + ["GPU Speed Of Light Throughput", "Duration", "usecond", "21,058.94"],
                 LAUNCH + ["GPU Speed Of Light Throughput", "Memory Throughput", "%", "61,84"],
                 LAUNCH + ["Memory Workload Analysis", "Memory Throughput", "Gbyte/second", "1.5"],
                 LAUNCH + ["Occupancy", "", "", "", "Rule", "OPT", "a \"loss\"", "global", "38.16"]])


def raw():
    return page([ABOUT + ["gpu__time_duration.sum", "launch__func_cache_config"], [""] * len(ABOUT) + ["msecond", ""],
                 LAUNCH + ["1.5", "PreferNone"], LAUNCH + ["n/a"]])


TEXT = b"""==PROF== Connected to process 7 (/tmp/a.out)
[7] a.out@127.0.0.1
  void f<int>(int) (32, 2, 1)x(64, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
    Section: Occupancy
    ------------------ ----------- ------------
    Metric Name        Metric Unit Metric Value
    ------------------ ----------- ------------
    Duration               usecond     1,262.50
    Achieved Occupancy           %        16.27
    ------------------ ----------- ------------

    OPT   Est. Speedup: 26.5%
          Look at the memory first.

  g, 2020-Mar-05 11:05:23, Context 1, Stream 13
    f(int) (32, 1, 1)x(32, 1, 1), Invocations 10
"""


def seeds():
    whole = report()
    yield "whole.ncu-rep", whole
    yield "whole.ncu-rep.gz", gzip.compress(whole, mtime=0)
    yield "truncated.ncu-rep", whole[:len(whole) * 2 // 3]
    yield "other_version.ncu-rep", report(8)
    yield "groups.ncu-rep", report(more=b"\xa3\x06\x08\x01\xa4\x06" + field(99, 1))
    yield "damaged_rule.ncu-rep", report(more=b"\x9a\x01\xff\xff\xff\x7f")
    yield "deep.ncu-rep", report(more=b"\x0b" * 500)
    yield "huge_block.ncu-rep", whole + b"\xff\xff\xff\xff"
    yield "huge_message.ncu-rep", whole + block(field(2, 1), b"\xff\xff\xff\xffabc")
    yield "details.csv", details()
    yield "log_before.csv", b"==PROF== Connected\n\"the app: {\n" + details() + b"==WARNING== late\n"
    yield "raw.csv", raw()
    yield "two_pages.csv", details() + raw()
    yield "cut_in_quotes.csv", details()[:-9]
    yield "header_only.csv", page([ABOUT + DETAILS])
    yield "ragged.csv", page([ABOUT + DETAILS, LAUNCH[:3], LAUNCH + DETAILS + ["more"], ["x"]])
    yield "page.txt", TEXT
    yield "page_cut.txt", TEXT[:len(TEXT) * 2 // 3]
