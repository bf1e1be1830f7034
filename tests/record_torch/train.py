"""Trains a little: train.py STEPS [what to do after step 8, as Python code]."""
import os
import signal
import sys

import torch

model = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scope = {"os": os, "signal": signal, "sys": sys, "torch": torch, "optimizer": optimizer}
exec(os.environ.get("TRAIN_FIRST", ""), scope)
for step in range(int(sys.argv[1])):
    model(torch.ones(8, 32)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    if step == 8 and len(sys.argv) > 2:
        exec(sys.argv[2], scope)
print("trained %d steps" % (step + 1))
