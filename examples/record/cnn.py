"""Records the training of a small convolutional network whose images are prepared by data-loader workers.

With --workers 0 the main process prepares every image itself between two steps; with more, worker processes do so
while the network trains. The two traces show the same training with and without the wait for data.
"""

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

import common

IMAGE_SIZE = 64
CLASSES = 10


class RandomImages(Dataset):
    """Images of noise that cost what real ones do: enlarge, crop, flip, normalise. More than any run takes."""

    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        noise = torch.Generator().manual_seed(index)
        image = torch.rand(1, 3, 256, 256, generator=noise)
        image = functional.interpolate(image, size=320, mode="bicubic", antialias=True)
        top, left = torch.randint(0, 320 - IMAGE_SIZE, (2,), generator=noise).tolist()
        image = image[0, :, top : top + IMAGE_SIZE, left : left + IMAGE_SIZE]
        if index % 2:
            image = image.flip(2)
        return (image - 0.5) / 0.25, index % CLASSES


class Block(nn.Module):
    """Two convolutions and a shortcut; the first one halves the image."""

    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels_in, channels_out, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(),
            nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
        )
        self.shortcut = nn.Conv2d(channels_in, channels_out, 1, stride=2, bias=False)

    def forward(self, images):
        return functional.relu(self.body(images) + self.shortcut(images))


def network():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        Block(16, 32),
        Block(32, 64),
        Block(64, 128),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(128, CLASSES),
    )


def main():
    parser = common.options(__doc__.splitlines()[0], "cnn.json.gz")
    parser.add_argument("--workers", type=int, default=0, help="data-loader worker processes")
    parser.add_argument("--batch", type=int, default=8, help="images a step")
    arguments = parser.parse_args()
    device = common.prepare(arguments)

    on_gpu = device.type == "cuda"
    loader = DataLoader(RandomImages(), arguments.batch, num_workers=arguments.workers, pin_memory=on_gpu)
    batches = iter(loader)
    model = network().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def run_step():
        images, labels = next(batches)
        images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
        loss = functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    common.record(run_step, arguments, profile_memory=True)


if __name__ == "__main__":
    main()
