"""Two processes that train, started by the method of the command line."""
import sys

import torch
import torch.multiprocessing


def train(_):
    model = torch.nn.Linear(16, 4)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 12):
        model(torch.ones(4, 16)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    torch.multiprocessing.start_processes(train, nprocs=2, start_method=sys.argv[1])
