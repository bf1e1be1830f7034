"""Compiled in one of the ways that there are; prints how many graphs that made, and why they broke."""
import sys

import torch
from torch._dynamo.testing import CompileCounter
from torch._dynamo.utils import counters


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 16)
        self.second = torch.nn.Linear(16, 16)

    def forward(self, values):
        return self.second(torch.relu(self.first(values)))


way = sys.argv[1]
counter = CompileCounter()  # a backend that runs the graph as it is
net = Net()
if way == "training":
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    compiled = torch.compile(net, backend=counter)
    for _ in range(12):
        compiled(torch.ones(4, 16)).sum().backward()
        optimizer.step()
else:
    with torch.no_grad():
        if way == "warm":
            for _ in range(3):
                net(torch.ones(4, 16))
        if way == "in place":
            net.compile(backend=counter)
            run = net
        elif way == "function":
            run = torch.compile(lambda values: net(values) + 1, backend=counter)
        else:
            run = torch.compile(net, backend=counter)
        for _ in range(12):
            run(torch.ones(4, 16))
print(way, counter.frame_count, counter.op_count, dict(counters["stats"]), dict(counters["graph_break"]))
