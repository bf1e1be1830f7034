"""Seeds of the fuzz target for PyTorch's flight recorder: dumps as JSON and as pickles, whole and damaged."""
import json
import pickle

EPOCH = 1700000000000000000


def entry(sequence, state, created, **more):
    return {"record_id": sequence, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": sequence,
            "p2p_seq_id": 0, "profiling_name": "nccl:all_reduce", "time_created_ns": EPOCH + created,
            "input_sizes": [[1024, 1024]], "input_dtypes": ["Float"], "output_sizes": [[1024, 1024]], "state": state,
            "is_p2p": False, "frames": [{"name": "main", "filename": "t.py", "line": 10}], **more}


def seeds():
    dump = {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
            "pg_status": {"0": {"last_completed_collective": 1}},
            "entries": [entry(1, "completed", 0, time_discovered_completed_ns=EPOCH + 900, duration_ms=0.0005),
                        entry(2, "started", 1000, time_discovered_started_ns=EPOCH + 1100), entry(3, "scheduled", 2000)]}
    whole = json.dumps(dump).encode()
    yield "whole.json", whole
    yield "truncated.json", whole[:len(whole) * 2 // 3]
    yield "whole.pickle", pickle.dumps(dump, protocol=4)
    yield "truncated.pickle", pickle.dumps(dump, protocol=2)[:-40]
    dump["entries"] = [entry(2**62, "completed", -EPOCH, duration_ms=1e300, input_sizes=[[2**40, 2**40], [-1], 7])]
    yield "extremes.json", json.dumps(dump).encode()
