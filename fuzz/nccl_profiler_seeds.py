"""Seeds of the fuzz target for logs of NCCL profiler plugins: both forms, cut, damaged, with extreme numbers."""
import json


def event(kind, address, parent, rank=0, begin=100, end=200, details=None, **more):
    return json.dumps({"recordType": "event", "type": "ncclProfile" + kind, "commId": 2**63 + 7, "rank": rank,
                       "start": {"ts": begin, "pid": 1, "tid": 2}, "stop": {"ts": end, "pid": 1, "tid": 2},
                       "parentObj": parent, "eventAddr": address, "details": details or {}, **more}) + "\n"


def lines(rank=0, count=1000, clock=1700000000000000000):
    call = {"func": "AllReduce", "count": count}
    return (json.dumps({"type": "ProfilerLifecycle", "func": "ProfilerInit", "commId": 2**63 + 7, "rank": rank,
                        "start": {"ts": 1}, "stop": {"ts": 1}, "details": {"nranks": 2, "commName": "dp"}}) + "\n" +
            event("CollApi", "0xa", "0x1", rank, details=call) +
            event("KernelLaunch", "0xb", "0x1", rank, extCorrId=rank + 1) +
            event("Coll", "0xc", "0xa", rank, details=dict(call, seq=4, dtype="ncclFloat32", parentGroup="0xd")) +
            json.dumps({"recordType": "state", "eventAddr": "0xe", "name": "KernelChStop", "pTimer": clock + 1000}) + "\n" +
            event("KernelCh", "0xe", "0xc", rank, details={"channel": 1, "pTimer": clock}) +
            json.dumps({"recordType": "cuptiActivity", "type": "KERNEL", "extCorrId": rank + 1, "deviceId": rank,
                        "start": {"ts": 150.25}, "stop": {"ts": 250.5}, "name": "ncclDevKernel"}) + "\n")


def example(phase, category, name, ts, arguments=""):
    return ('{"name": "%s", "cat": "%s", "ph": "%s", "id": 0, "pid": 9, "tid": 1, "ts": %f%s},\n' %
            (name, category, phase, ts, ', "args": {%s}' % arguments if arguments else ""))


def seeds():
    whole = (lines() + lines(1)).encode()
    yield "whole.jsonl", whole
    yield "truncated.jsonl", whole[:len(whole) * 2 // 3]
    yield "damaged.jsonl", whole.replace(b'"rank": 0', b'"rank": x', 1)
    yield "extremes.jsonl", lines(2**40, 2**63 - 1, -2**62).encode()
    trace = ("[\n" + example("b", "COLL_API", "AllReduce", 1, '"count": 64, "datatype": ncclFloat32') +
             example("e", "COLL_API", "AllReduce", 2) + example("b", "GROUP", "Group", 2, '"groupId": 0') +
             example("b", "COLL", "AllReduce", 3, '"SeqNum": 3, "CommHash": 77, "Rank": 0, "Count": 64') +
             example("b", "GPU", "KernelCh", 4, '"Channel": 1, "StartGpuClk": 1000, "StopGpuClk": 2000') +
             example("e", "GPU", "KernelCh", 9) + example("e", "COLL", "AllReduce", 5) +
             example("e", "GROUP", "Group", 6) + "{}]\n")
    yield "example.json", trace.encode()
    yield "open.json", trace[:trace.index('"ph": "e", "id": 0, "pid": 9, "tid": 1, "ts": 5')].encode()
