"""Seeds of the fuzz target for partial results: for each analysis nothing kept, a run of which nothing is known, as messages
and as version 9 had them, and small runs of zeros and ones."""
from mutations import write_message


def seeds():
    for analysis in range(24):
        yield "none-%02d" % analysis, bytes([analysis, 0])
        yield "one-%02d" % analysis, bytes([analysis]) + write_message([[1, 2, write_message([[1, 0, 0], [2, 2, b""]])]])
        yield "one-zeros-%02d" % analysis, bytes([analysis, 1]) + bytes(300)
        yield "two-ones-%02d" % analysis, bytes([analysis, 2]) + bytes([1]) * 300
        yield "name-%02d" % analysis, bytes([analysis, 1, 0, 1, 4]) + b"gemm" + bytes([2, 20, 30, 50]) + bytes(64)
