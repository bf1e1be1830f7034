"""Seeds of the fuzz target for trtexec: times of layers and of runs, whole and damaged."""
import json


def run(start, end):
    return {"startEnqMs": start, "endEnqMs": start + 0.01, "startH2dMs": start, "endH2dMs": start + 0.1,
            "startComputeMs": start + 0.1, "endComputeMs": end, "startD2hMs": end, "endD2hMs": end, "latencyMs": end - start}


def seeds():
    layers = [{"count": 4}] + [{"name": name, "timeMs": time, "averageMs": time / 4, "medianMs": time / 4, "percentage": 50}
                               for name, time in (("Conv_0 + Relu_1", 0.111616), ("MaxPool_2", 1e-9), ("bad", -1))]
    whole = json.dumps(layers).encode()
    yield "layers.json", whole
    yield "runs.json", json.dumps([run(1, 2), run(2, 3.5), run(3, 4)]).encode()
    yield "impossible_runs.json", json.dumps([run(5, 1), run(1e300, 2), {"startComputeMs": "x"}]).encode()
    yield "truncated.json", whole[:len(whole) * 2 // 3]
