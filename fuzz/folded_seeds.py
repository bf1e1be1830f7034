"""Seeds of the fuzz target for folded stacks, whole and damaged."""


def seeds():
    whole = b"# by perf\nmain;work;_Z5innerv 3\nmain;work 2.5\nidle 4\n\nmain;a b_[k] 7\n"
    yield "whole.folded", whole
    yield "truncated.folded", whole[:30]
    yield "deep.folded", b"f;" * 300 + b"g 1\n"
    yield "numbers.folded", b"a;b 1e300\na;b .\na;b 99999999999999999999999999\n;; 1\n"
    yield "windows.folded", whole.replace(b"\n", b"\r\n")
