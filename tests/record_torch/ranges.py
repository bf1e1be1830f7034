"""Steps that only a range marks, within which another range runs."""
import torch

for _ in range(15):
    with torch.profiler.record_function("batch"):
        with torch.profiler.record_function("part"):
            torch.ones(8, 8) @ torch.ones(8, 8)
