"""Records the training of a small recommendation model in the manner of DLRM, with Python call stacks.

Dense features go through a multilayer perceptron, sparse ones through embedding bags; the dot products of every pair of
the resulting vectors and the dense vector feed a second perceptron that predicts a click.
"""

import torch
from torch import nn
from torch.nn import functional

import common

DENSE_FEATURES = 13
TABLE_ROWS = [200_000, 50_000, 50_000, 10_000, 10_000, 2_000, 500, 100]
EMBEDDING = 64
LOOKUPS = 20  # a sample and table


def perceptron(*widths):
    layers = []
    for width_in, width_out in zip(widths, widths[1:]):
        layers += [nn.Linear(width_in, width_out), nn.ReLU()]
    return nn.Sequential(*layers)


class RecommendationModel(nn.Module):
    def __init__(self):
        super().__init__()
        vectors = len(TABLE_ROWS) + 1
        self.bottom = perceptron(DENSE_FEATURES, 256, 128, EMBEDDING)
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, EMBEDDING, mode="sum", sparse=True) for rows in TABLE_ROWS)
        self.top = perceptron(EMBEDDING + vectors * (vectors - 1) // 2, 256, 128)
        self.click = nn.Linear(128, 1)
        self.register_buffer("pairs", torch.tril_indices(vectors, vectors, offset=-1))

    def forward(self, dense, sparse):
        dense = self.bottom(dense)
        vectors = torch.stack([dense, *(table(rows) for table, rows in zip(self.tables, sparse))], dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        interactions = products[:, self.pairs[0], self.pairs[1]]
        return self.click(self.top(torch.cat([dense, interactions], dim=1))).squeeze(1)


def main():
    parser = common.options(__doc__.splitlines()[0], "dlrm.json.gz")
    parser.add_argument("--batch", type=int, default=512, help="samples a step")
    arguments = parser.parse_args()
    device = common.prepare(arguments)

    model = RecommendationModel().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def run_step():
        dense = torch.rand(arguments.batch, DENSE_FEATURES).to(device)
        sparse = [torch.randint(0, rows, (arguments.batch, LOOKUPS)).to(device) for rows in TABLE_ROWS]
        clicks = torch.randint(0, 2, (arguments.batch,)).float().to(device)
        loss = functional.binary_cross_entropy_with_logits(model(dense, sparse), clicks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    common.record(run_step, arguments, with_stack=True)


if __name__ == "__main__":
    main()
