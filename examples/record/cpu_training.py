"""Trains a small transformer on synthetic texts, on the CPU, for a few seconds.

    cgpu record -- python examples/record/cpu_training.py

Nothing in it knows of a profiler. One worker prepares the texts, more slowly than the training reads them. So the
training waits for it, which `cgpu diagnose` says of the recording.
"""
import time

import torch
from torch.utils.data import DataLoader, Dataset

STEPS = 30
BATCH_SIZE = 8
TEXT_LENGTH = 64
VOCABULARY = 256
WIDTH = 64


class Texts(Dataset):
    """Texts in which each word follows from the one before it."""

    def __len__(self):
        return STEPS * BATCH_SIZE

    def __getitem__(self, index):
        time.sleep(0.012)  # the inefficiency: as if each text was read and tokenised anew
        return (index + torch.arange(TEXT_LENGTH + 1) * 7) % VOCABULARY


class LanguageModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.layers = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=4 * WIDTH, batch_first=True), num_layers=2)
        self.head = torch.nn.Linear(WIDTH, VOCABULARY)

    def forward(self, words):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(words.shape[1])
        return self.head(self.layers(self.embedding(words), mask=mask))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)  # on a busy machine, threads that wait for each other take longer than one
    model = LanguageModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step, texts in enumerate(DataLoader(Texts(), batch_size=BATCH_SIZE, num_workers=1)):
        words, following = texts[:, :-1], texts[:, 1:]
        loss = torch.nn.functional.cross_entropy(model(words).flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 9:
            print("step %d: loss %.3f" % (step + 1, loss.item()))


if __name__ == "__main__":
    main()
