"""The busy time of the devices of a folder of ranks in HTA (HolisticTraceAnalysis, PyPI). Prints [rank, ns] of each."""
import json
import sys

from hta.trace_analysis import TraceAnalysis

analysis = TraceAnalysis(trace_dir=sys.argv[1])
times = analysis.get_temporal_breakdown(visualize=False)
busy = (times["compute_time(us)"] + times["non_compute_time(us)"]) * 1000
print(json.dumps(sorted(zip(times["rank"].tolist(), busy.tolist()))))
