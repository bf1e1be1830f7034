"""Data-parallel training, each rank with two forked workers that load data."""
import torch
import torch.distributed
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 120

    def __getitem__(self, index):
        return torch.full((16,), float(index))


torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for batch in DataLoader(Numbers(), batch_size=8, num_workers=2, multiprocessing_context="fork"):
    model(batch).sum().backward()
    optimizer.step()
torch.distributed.destroy_process_group()
