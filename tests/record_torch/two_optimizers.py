"""Two models and two optimizers of one class, as in adversarial training."""
import torch

models = [torch.nn.Linear(8, 8) for _ in range(2)]
optimizers = [torch.optim.SGD(model.parameters(), lr=0.01) for model in models]
for _ in range(15):
    for model, optimizer in zip(models, optimizers):
        model(torch.ones(4, 8)).sum().backward()
        optimizer.step()
