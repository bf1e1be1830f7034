"""The same in HTA (HolisticTraceAnalysis, PyPI): a trace opened, and its kernels as a DataFrame. Prints seconds of the imports and
of that, the number of kernels' names and their whole time in ns."""
import json
import sys
import time

begin = time.perf_counter()
from hta.trace_analysis import TraceAnalysis  # pylint: disable=wrong-import-position

start = time.perf_counter()
analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
_, kernels = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=1_000_000, duration_ratio=1.0)
end = time.perf_counter()
kernels = kernels[kernels["kernel_type"] != "MEMORY"]
print(json.dumps([start - begin, end - start, len(kernels), float(kernels["sum (us)"].sum()) * 1000]))
