"""A program with a profiler of its own: own_profiler.py FIRST LAST, the steps that it records of 20."""
import sys

import torch

first, last = int(sys.argv[1]), int(sys.argv[2])
model = torch.nn.Linear(16, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
for step in range(20):
    if step == first:
        profiler.start()
    model(torch.ones(4, 16)).sum().backward()
    optimizer.step()
    if step == last:
        profiler.stop()
print(sum(row.count for row in profiler.key_averages() if row.key == "aten::addmm"), "calls of addmm")
