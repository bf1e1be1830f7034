"""Traces of the kinds that the PyTorch profiler writes, whole and damaged, as seeds of trace_event_fuzz."""
import gzip
import json
import re
import struct


def event(category, name, ts, dur, tid, pid=1, ph="X", **more):
    """One event; arguments that are no Python identifiers come in `args`."""
    return {"ph": ph, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, **more}


def launch(ts, correlation, kernel="void gemm<float>(int)", name="cudaLaunchKernel", stream=7, era="new"):
    """A framework op, its call, its kernel, and the flow between them."""
    op, call, device, flow = {
        "new": ("cpu_op", "cuda_runtime", "kernel", "ac2g"),
        "2021": ("Operator", "Runtime", "Kernel", "async_cpu_to_gpu"),
        "xpu": ("cpu_op", "xpu_runtime", "kernel", "ac2g"),
    }[era]
    external = "external id" if era == "2021" else "External id"
    device_thread = "stream %d" % stream if era == "2021" else stream
    where = {"device": 0, "stream": stream, "correlation": correlation, external: correlation}
    return [
        event(op, "aten::mm", ts, 20, 11, args={external: correlation, "Sequence number": correlation,
                                                "Fwd thread id": 0, "Input Dims": [[2, 3], []]}),
        event(call, name, ts + 5, 4, 11, args={"correlation": correlation, external: correlation, "cbid": 211}),
        event(device, kernel, ts + 12, 30, device_thread, pid=0,
              args={**where, "grid": [1, 2, 3], "block": [32, 1, 1], "est. achieved occupancy %": 50}),
        {"ph": "s", "id": correlation, "pid": 1, "tid": 11, "ts": ts + 5, "cat": flow, "name": flow},
        {"ph": "f", "id": correlation, "pid": 0, "tid": device_thread, "ts": ts + 12, "cat": flow, "name": flow,
         "bp": "e"},
    ]


HEADER = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 85899345920, "computeMajor": 9,
                          "computeMinor": 0, "warpSize": 32, "numSms": 132}],
    "cuda_runtime_version": 12040, "with_stack": 1, "displayTimeUnit": "ms", "host_name": "node",
    "API_TOKEN": "not-a-real-one",
}
DISTRIBUTED = {"backend": "nccl", "rank": 3, "world_size": 8, "pg_count": 1, "nccl_version": "2.20.5",
               "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 8,
                              "ranks": [0, 1, 2, 3, 4, 5, 6, 7]}]}
NAMES = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}},
         {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "ts": 0, "args": {"name": "stream 7"}},
         {"ph": "M", "name": "process_sort_index", "pid": 1, "tid": 0, "args": {"sort_index": 1}}]
SPAN = event("Trace", "PyTorch Profiler (0)", 0, 100, "PyTorch Profiler", pid="Spans")


def document(events, **header):
    return {**header, "traceEvents": events}


def everything():
    """Events of every category of today's traces."""
    copy = {"device": 0, "stream": 7, "bytes": 4096, "memory bandwidth (GB/s)": 1.5}
    memory = {"Addr": 139872, "Bytes": 512, "Device Type": 1, "Device Id": 0, "Total Allocated": 1024,
              "Total Reserved": 2097152, "Ev Idx": 3}
    nccl = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1024, "Out msg nelems": 1024,
            "Group size": 8, "Process Group Name": "0", "Process Group Ranks": "[0, 1, ..., 7]", "Seq": 4,
            "stream": 20, "device": 0, "correlation": 9}
    return [
        *NAMES, SPAN, *launch(10.5, 1), *launch(60.25, 2, "_Z4copyPfS_", "hipLaunchKernel"),
        event("user_annotation", "ProfilerStep#4", 0, 100, 11),
        event("gpu_user_annotation", "ProfilerStep#4", 10, 90, 7, pid=0),
        event("python_function", "train.py(12): step", 0, 100, 11, args={"Python id": 1, "Python parent id": None}),
        event("cuda_runtime", "cudaMemcpyAsync", 30, 3, 11, args={"correlation": 5}),
        event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 35, 2.5, 7, pid=0, args={**copy, "correlation": 5}),
        event("gpu_memset", "Memset (Device)", 38, 1, 7, pid=0, args={**copy, "correlation": 6}),
        event("cuda_runtime", "cudaGraphLaunch", 40, 3, 11, args={"correlation": 8}),
        event("kernel", "triton_poi_fused_add_0", 44, 2, 7, pid=0,
              args={"stream": 7, "device": 0, "correlation": 8, "graph node id": 12}),
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 46, 9, 20, pid=0, args=nccl),
        event("cuda_driver", "cuLaunchKernelEx", 50, 1, 11, args={"correlation": 10}),
        event("cuda_sync", "Stream Sync", 51, 3, 1000007, pid=0, args={"stream": 7, "device": 0,
                                                                       "wait_on_cuda_event_record_corr_id": 4}),
        event("overhead", "Buffer Flush", 55, 1, 0, pid=-1),
        event("mtia_ccp_events", "dma_in", 70, 2, 1, pid=0), event("mtia_runtime", "mtiaLaunch", 69, 1, 11),
        event("collective_comm", "nccl:all_gather", 72, 3, 1, pid=0),
        {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 11, "ts": 12,
         "args": memory},
        {"ph": "i", "name": "Record Window End", "pid": "", "tid": "", "ts": 100, "s": "g"},
        {"ph": "C", "cat": "hardware_counters", "name": "sm_active", "pid": "GPU 0 Counters", "ts": 20,
         "args": {"value": 71.5}},
        {"ph": "s", "id": 77, "pid": 1, "tid": 11, "ts": 10.5, "cat": "fwdbwd", "name": "fwdbwd"},
        {"ph": "f", "id": 77, "pid": 1, "tid": 11, "ts": 60.25, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"},
    ]


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def zstd_frame(data):
    """A zstd frame with one uncompressed block, so that no zstd library is needed."""
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def well_formed():
    whole = document(everything(), **HEADER, distributedInfo=DISTRIBUTED, baseTimeNanoseconds=1717200000000000000)
    absolute = [*launch(1717200000000000, 1), event("kernel", "k", "1717200000000100.500", "2.001", 7, pid=0)]
    yield "today.json", json.dumps(whole, indent=2).encode()
    yield "today_compact.json", compact(whole)
    yield "today.json.gz", gzip.compress(compact(whole), mtime=0)
    yield "today.json.zst", zstd_frame(compact(whole))
    yield "bare_array.json", compact(everything())
    yield "header_last.json", compact({"traceEvents": launch(1, 1), **HEADER, "traceName": "a.json",
                                       "distributedInfo": {**DISTRIBUTED, "pg_config": [{"ranks": "[0, 1]"}]}})
    yield "year_2021.json", compact(document(
        [*launch(1623143566756000, 1, era="2021"), event("Memcpy", "Memcpy DtoH (Device -> Pinned)", 1623143566757000,
                                                         3, "stream 7", pid=0, args={"external id": 3, "bytes": 8}),
         event("Operator", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1623143566755000, 9, 11),
         event("Operator", "ProfilerStep#1", 1623143566755000, 4000, 11)],
        computeProperties=[{"id": 0, "name": "Tesla V100", "major": 7, "minor": 0, "multiProcessorCount": 80}]))
    yield "absolute_decimals.json", re.sub(rb'"ts":(\d+)', rb'"ts":\1.123', compact(document(absolute, schemaVersion=1)))
    yield "rocm.json", compact(document(launch(5, 1, "Cijk_Ailk_Bljk_HHS_BH_MT64", "hipExtModuleLaunchKernel"),
                                        deviceProperties=[{"id": 0, "name": "AMD Instinct MI300X", "warpSize": 64}]))
    yield "xpu.json", compact(document(launch(5, 1, name="urEnqueueKernelLaunch", era="xpu")))
    yield "cpu_only.json", compact(document([event("cpu_op", "aten::add", 1, 2, 3)]))
    yield "no_events.json", b'{"traceEvents":[]}'
    yield "begin_end.json", compact([{"ph": "B", "name": "a", "pid": "p", "tid": "t", "ts": 1},
                                     {"ph": "E", "pid": "p", "tid": "t", "ts": 2.5}])


def damaged():
    text = compact(document(everything(), **HEADER))
    one = b'{"traceEvents":[{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{%s}}]}'
    yield "truncated.json", text[:len(text) * 2 // 3]
    yield "truncated.json.gz", gzip.compress(text, mtime=0)[:-300]
    yield "truncated.json.zst", zstd_frame(text)[:-100]
    yield "two_members.json.gz", gzip.compress(text[:500], mtime=0) + gzip.compress(text[500:], mtime=0)
    yield "quotes.json", one % (b'say "hello" twice', b"1", b"2", b"")
    yield "quotes_and_braces.json", one % (b'f("},{", "[") \\', b"1", b"2", b'"correlation":1')
    yield "control_bytes.json", one % (b"tab\there\nand\x00\x1f", b"1", b"2", b"")
    yield "broken_utf8.json", one % (b"\xff\xfe\xc3(\xed\xa0\x80 \\ud800", b"1", b"2", b"")
    yield "not_numbers.json", one % (b"k", b"NaN", b"inf", b'"blocks per SM":-inf,"bytes":N/A,"stream":nan')
    yield "huge_numbers.json", one % (b"k", b"123456789012345678901234567890.5", b"1e400",
                                      b'"correlation":18446744073709551615,"bytes":99999999999999999999999')
    yield "negative.json", one % (b"k", b"-5.0005", b"-3", b'"stream":-1,"device":-9223372036854775808')
    yield "tiny_numbers.json", one % (b"k", b"0.0000000000000000000000000000000000000000001", b"1e-400", b"")
    yield "wrong_types.json", one % (b"k", b"[1]", b'{"a":null}', b'"stream":{},"correlation":"12","device":true')
    yield "missing_fields.json", b'{"traceEvents":[{},{"ph":"X"},{"ph":"X","ts":1},{"name":7},[],null,3,"x"]}'
    yield "duplicate_keys.json", b'{"traceEvents":[{"ph":"X","ph":"M","ts":1,"ts":2,"name":"a"}],"traceEvents":[]}'
    yield "deep.json", one % (b"k", b"1", b"2", b'"a":' + b"[" * 3000 + b"]" * 3000)
    yield "deep_open.json", b'{"traceEvents":' + b'[{"a":' * 3000
    yield "events_object.json", b'{"traceEvents":{"ph":"X"}}'
    yield "trailing.json", b'{"traceEvents":[{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"a"},]} tail'
    yield "byte_order_mark.json", b"\xef\xbb\xbf" + b'{"traceEvents":[]}'
    yield "same_bounds.json", compact(document([event("cpu_op", name, 1, 5, 1) for name in "abcde"] +
                                               [event("cpu_op", "overlap", 3, 9, 1), event("cpu_op", "zero", 3, 0, 1)]))


def chrome():
    """Traces of other programs: every phase, in and out of order."""
    def part(ph, name, ts, **more):
        return {"ph": ph, "name": name, "pid": 1, "tid": 2, "ts": ts, "cat": "c", **more}

    frames = {"1": {"name": "main", "category": "app"}, "2": {"name": "f", "parent": "1"},
              "3": {"name": "g", "parent": 3}}
    samples = [{"tid": 2, "ts": 5, "sf": 2, "weight": 1}, {"tid": 2, "ts": 6, "sf": "3"}, {"ts": 7, "sf": 9}]
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2]},
             {"id": 2, "callFrame": {"functionName": "f", "url": "a.js", "lineNumber": 3}},
             {"id": 3, "parent": 2, "callFrame": {"functionName": ""}}]
    threads = [part("B", "a", 1), part("B", "b", 2), part("E", "a", 3), part("E", "", 4), part("E", "none", 4),
               part("X", "x", 1, dur=3), part("X", "open", 2), part("X", "thread time", 2, tdur=1),
               part("B", "open", 5)]
    work = [part("b", "load", 0, id=1), part("n", "now", 1, id=1), part("b", "load", 1, id="0x2", scope="s"),
            part("e", "load", 3, id=1), part("b", "mine", 1, id2={"local": "0x3"}),
            part("e", "mine", 2, id2={"local": "0x3"}), part("b", "all", 1, id2={"global": 4}),
            part("S", "old", 1, id=5), part("T", "old", 2, id=5, args={"step": "half"}),
            part("p", "old", 3, id=5, args={"step": "past"}), part("F", "old", 4, id=5)]
    flows = [part("s", "f", 1, id=6), part("t", "f", 2, id=6), part("f", "f", 3, id=6), part("f", "f", 3, id=6, bp="e"),
             part("X", "out", 1, dur=1, bind_id="0x7", flow_out=True),
             part("X", "in", 3, dur=1, bind_id="0x7", flow_in=True)]
    others = [part("C", "memory", 1, args={"used": 1, "free": 2.5}), part("C", "load", 1, id=8, args={"value": 3}),
              part("I", "here", 1, s="p"), part("R", "everywhere", 2, s="g"), part("N", "o", 1, id=9),
              part("O", "o", 2, id=9, args={"snapshot": {}}), part("D", "o", 3, id=9), part("v", "dump", 1, id=10),
              part("c", "clock_sync", 1), part("(", "context", 1), part("P", "sample", 1, sf=2), part("P", "bare", 1),
              part("P", "Profile", 1, id="0xb", args={"data": {"startTime": 1}}),
              part("P", "ProfileChunk", 2, id="0xb",
                   args={"data": {"cpuProfile": {"nodes": nodes, "samples": [2, 3, 4]}, "timeDeltas": [1, 2, 3]}}),
              part("M", "thread_sort_index", 0, args={"sort_index": 1})]
    everything_else = [*threads, *work, *flows, *others]
    yield "chrome_threads.json", compact(threads)
    yield "chrome_async.json", compact(work)
    yield "chrome_flows.json", compact(flows)
    yield "chrome_all.json", compact(document(everything_else, stackFrames=frames, samples=samples,
                                              systemTraceEvents="# x"))
    yield "chrome_reversed.json", compact(everything_else[::-1])
    yield "chrome_keys_sorted.json", json.dumps(everything_else, sort_keys=True, indent=1).encode()
    yield "chrome_open_array.json", compact(everything_else)[:-1] + b",\n"
    yield "chrome_in_kineto.json", compact(document([*everything(), *everything_else], **HEADER))
    yield "chrome_same_time.json", re.sub(rb'"ts":[0-9]+', b'"ts":1', compact(everything_else))


def devices_by_name():
    """Traces of writers whose device work is known by names of processes, rows and events."""
    def half(ph, name, ts, tid):
        return {"attr": {"Power": "3620872431", "TS1": "7"}, "name": name, "ph": ph, "pid": 0, "tid": tid, "ts": ts}

    rows = [("cuda", "gemm", "Stream 7"), ("cuda", "relu", "CUDA API 8"), ("", "Memcpy HtoD", "Stream 8"),
            ("nvtx", "step", "NVTX Thread 5"), ("nvtx-kernel", "step", "NVTX Kernel Thread 5"),
            ("cuda_api", "cudaLaunchKernel", "CUDA API Thread 5")]
    yield "converted_export.json", compact([event(category, name, 10 * i, 5, tid, pid="Device %d" % (i % 2), args={})
                                            for i, (category, name, tid) in enumerate(rows)])
    work = [("add_11 Cmpt Prep", 0, 15514734831341844875), ("add_11 Cmpt Exec", 4, 2009867741857745393),
            ("SenRdmaSend_8 [sync=AllReduce_4] DmaO", 9, 3), ("x DmaI", 14, 4)]
    yield "aiu.json", compact([half(ph, name, ts + (4.5 if ph == "E" else 0), tid)
                               for name, ts, tid in work for ph in "BE"])
    yield "onnx_runtime.json", compact([
        event("Session", "session_initialization", 0, 5, 7, args={}), event("Session", "model_run", 10, 20, 7, args={}),
        event("Node", "conv1_kernel_time", 12, 5, 7, args={"op_name": "Conv", "provider": "CUDAExecutionProvider"}),
        event("Kernel", "cudnn", 13, 4, -1, pid=-1, args={"stream": "7", "block_x": 32, "grid_x": 4})])
    yield "xla.json", compact([
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "/device:TPU:0 (pid 3)"}},
        {"ph": "M", "name": "thread_name", "pid": 3, "tid": 3, "args": {"name": "XLA Ops"}},
        {"ph": "X", "name": "fusion.1", "pid": 3, "tid": 3, "ts": 1, "dur": 3, "args": {"correlation_id": 1}}])


def seeds():
    yield from well_formed()
    yield from chrome()
    yield from devices_by_name()
    yield from damaged()
