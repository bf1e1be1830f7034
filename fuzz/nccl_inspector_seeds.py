"""Seeds of the fuzz target for logs of NCCL's Inspector: whole, cut, damaged, with extreme numbers."""
import json

EPOCH_US = 1700000000000000


def record(kind, name, sequence, communicator="0xa", rank=0, size=4096, begin=0, **more):
    kernels = [{"channel_id": 0, "kernel_start_ts": EPOCH_US + begin, "kernel_stop_ts": EPOCH_US + begin + 100}]
    return json.dumps({
        "header": {"id": communicator, "comm_name": "dp", "rank": rank, "n_ranks": 2, "nnodes": 1},
        "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node", "pid": 7,
                     "dump_timestamp_us": EPOCH_US + 10**6},
        kind + "_perf": {kind: name, kind + "_sn": sequence, kind + "_msg_size_bytes": size, kind + "_exec_time_us": 90,
                         "event_trace_ts": {"kernel_events": kernels}, **more}}, separators=(",", ":")) + "\n"


def seeds():
    whole = (record("coll", "AllReduce", 0) + record("coll", "AllGather", 0, begin=200) +
             record("p2p", "Send", 0, "0xb", begin=400, p2p_peer=1)).encode()
    yield "whole.log", whole
    yield "truncated.log", whole[:len(whole) * 2 // 3]
    yield "damaged.log", whole.replace(b'"rank":0', b'"rank":x', 1)
    yield "ranks.log", (record("coll", "AllReduce", 0) + record("coll", "AllReduce", 0, rank=1)).encode()
    yield "extremes.log", record("coll", "ReduceScatter", 2**62, rank=2**40, size=2**62, begin=2**62).encode()
