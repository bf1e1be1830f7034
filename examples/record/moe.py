"""Records the training of a small transformer whose feed-forward layers are mixtures of experts.

A router sends every token to its best two of eight experts; an expert sees only the tokens that were sent to it, so the
shapes of its products change from step to step.
"""

import torch
from torch import nn
from torch.nn import functional
from torch.profiler import record_function

import common

VOCABULARY = 1000
WIDTH = 128
HEADS = 4
LAYERS = 2
EXPERTS = 8
EXPERTS_A_TOKEN = 2


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, tokens):
        batch, length, _ = tokens.shape
        heads = self.inputs(tokens).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


class MixtureOfExperts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)) for _ in range(EXPERTS)
        )

    def forward(self, tokens):
        flat = tokens.reshape(-1, WIDTH)
        with record_function("moe.route"):
            weights, chosen = self.router(flat).softmax(dim=1).topk(EXPERTS_A_TOKEN)
        result = torch.zeros_like(flat)
        with record_function("moe.experts"):
            for index, expert in enumerate(self.experts):
                rows, place = torch.where(chosen == index)
                result = result.index_add(0, rows, expert(flat[rows]) * weights[rows, place].unsqueeze(1))
        return result.view_as(tokens)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.experts_norm = nn.LayerNorm(WIDTH)
        self.experts = MixtureOfExperts()

    def forward(self, tokens):
        tokens = tokens + self.attention(self.attention_norm(tokens))
        return tokens + self.experts(self.experts_norm(tokens))


def network():
    layers = (Layer() for _ in range(LAYERS))
    return nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH), *layers, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)
    )


def main():
    parser = common.options(__doc__.splitlines()[0], "moe.json.gz")
    parser.add_argument("--batch", type=int, default=4, help="sequences a step")
    parser.add_argument("--length", type=int, default=128, help="tokens a sequence")
    arguments = parser.parse_args()
    device = common.prepare(arguments)

    model = network().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def run_step():
        tokens = torch.randint(0, VOCABULARY, (arguments.batch, arguments.length + 1)).to(device)
        with record_function("forward"):
            predicted = model(tokens[:, :-1])
            loss = functional.cross_entropy(predicted.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        with record_function("backward"):
            loss.backward()
        optimizer.step()

    common.record(run_step, arguments, profile_memory=True)


if __name__ == "__main__":
    main()
