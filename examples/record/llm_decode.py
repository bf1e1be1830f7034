"""Records a language model that answers requests: one prefill, then token by token from a key-value cache.

A ProfilerStep is one batch of requests, with one range `prefill` and a range `decode` for every further token inside.
"""

import torch
from torch import nn
from torch.nn import functional
from torch.profiler import record_function

import common

VOCABULARY = 8000
WIDTH = 256
HEADS = 8
LAYERS = 4


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, tokens, cache, start):
        """cache holds (keys and values, batch, head, position, channel); positions before start are filled."""
        batch, length, _ = tokens.shape
        heads = self.inputs(tokens).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        end = start + length
        cache[:, :, :, start:end] = heads[1:]
        keys, values = cache[:, :, :, :end]
        mixed = functional.scaled_dot_product_attention(heads[0], keys, values, is_causal=start == 0)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


class FeedForward(nn.Module):
    """The gated kind: down(silu(gate(x)) * up(x))."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.down = nn.Linear(3 * WIDTH, WIDTH, bias=False)

    def forward(self, tokens):
        return self.down(functional.silu(self.gate(tokens)) * self.up(tokens))


class LanguageModel(nn.Module):
    def __init__(self, positions):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(positions, WIDTH)
        self.layers = nn.ModuleList(
            nn.ModuleList([nn.RMSNorm(WIDTH), Attention(), nn.RMSNorm(WIDTH), FeedForward()]) for _ in range(LAYERS)
        )
        self.norm = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, caches, start):
        """The most likely next token of every sequence."""
        where = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        state = self.tokens(tokens) + self.positions(where)
        for (attention_norm, attention, feed_forward_norm, feed_forward), cache in zip(self.layers, caches):
            state = state + attention(attention_norm(state), cache, start)
            state = state + feed_forward(feed_forward_norm(state))
        return self.head(self.norm(state[:, -1:])).argmax(dim=2)


def main():
    parser = common.options(__doc__.splitlines()[0], "llm_decode.json.gz")
    parser.add_argument("--batch", type=int, default=4, help="requests answered together")
    parser.add_argument("--prompt", type=int, default=256, help="tokens of a prompt")
    parser.add_argument("--tokens", type=int, default=6, help="tokens of an answer after its first")
    arguments = parser.parse_args()
    device = common.prepare(arguments)

    positions = arguments.prompt + arguments.tokens
    model = LanguageModel(positions).to(device).eval()
    caches = torch.empty(LAYERS, 2, arguments.batch, HEADS, positions, WIDTH // HEADS, device=device)

    @torch.inference_mode()
    def run_step():
        prompt = torch.randint(0, VOCABULARY, (arguments.batch, arguments.prompt)).to(device)
        with record_function("prefill"):
            token = model(prompt, caches, 0)
        answer = [token]
        for index in range(arguments.tokens):
            with record_function("decode"):
                token = model(token, caches, arguments.prompt + index)
            answer.append(token)
        torch.cat(answer, dim=1).cpu()

    common.record(run_step, arguments)


if __name__ == "__main__":
    main()
