"""Forward passes of a model, which is copied meanwhile: hooks on a model must not forbid that."""
import copy
import pickle

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(16, 16)
        self.second = torch.nn.Linear(16, 16)

    def forward(self, values):
        return self.second(torch.relu(self.first(values)))


net = Net().eval()
with torch.no_grad():
    for step in range(15):
        net(torch.ones(4, 16))
        if step == 4:
            copies = [copy.deepcopy(net), pickle.loads(pickle.dumps(net))]
            for copied in copies:
                for _ in range(5):
                    copied(torch.ones(4, 16))
scripted = torch.jit.script(net)
print(tuple(scripted(torch.ones(1, 16)).shape), len(net._forward_hooks), len(torch.nn.modules.module._global_forward_hooks))
