"""Seeds of the fuzz target for memory timelines: both forms, whole and damaged."""
import gzip
import json

START = 1700000000000001000


def raw():
    rows = [[-1, 1, 37888, 7], [-1, 1, 512, 0]]
    for i in range(6):
        rows += [[START + 1000 * i, 2, 1024, i % 8], [START + 1000 * i, 3, -1024, i % 8],
                 [START + 1000 * i, 3, 1024, (i + 1) % 8], [START + 1000 * i + 500, 4, -1024, (i + 1) % 8]]
    return json.dumps(rows).encode()


def sums():
    times = [START // 1000 + i for i in range(5)]
    return json.dumps([times, [[0] + [i * (c + 1) for c in range(8)] for i in range(5)]]).encode()


def seeds():
    yield "raw.json", raw()
    yield "raw.json.gz", gzip.compress(raw(), mtime=0)
    yield "sums.json", sums()
    yield "cut.json", raw()[:200]
    yield "cut_sums.json", sums()[:150]
    yield "unequal.json", b"[[1, 2, 3, 4, 5], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 1]]]"
    yield "large.json", b"[[9223372036854775807, 2, 9223372036854775807, 7], [1, 2, 9223372036854775807, 7]]"
    yield "odd.json", b"[[5, 2, 64, 7], [], [[1]], {\"a\": [1]}, \"x\", [1, 2, 3.5, 4], [1e300, 2, 1, 1]]"
    yield "single.json", b"[[5, 2, 64, 7]]"
