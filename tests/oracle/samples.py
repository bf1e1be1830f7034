"""Intervals of numbers of samples, found by trying shares instead of by a formula: a share p is possible where k of n is not
further from it than numbers of samples are at 95 %, with half a sample for continuity."""
import math

Z = 1.959963984540054


def is_possible(p, k, n):
    return abs(k / n - p) - 0.5 / n <= Z * math.sqrt(p * (1 - p) / n)


def share_bounds(k, n):
    """(lowest, highest) share of a frame with k of n samples."""
    def edge(inside, outside):
        for _ in range(100):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if is_possible(middle, k, n) else (inside, middle)
        return inside
    return (0.0 if k == 0 else edge(k / n, 0.0), 1.0 if k == n else edge(k / n, 1.0))
