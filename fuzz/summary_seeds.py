"""Seeds of the fuzz target for summaries: what is inside of small ones. Numbers are variable-length, texts and sequences
have their length in front."""


def text(value):
    return bytes([len(value)]) + value


def run(ranks=1, extent=b"\x01\x02\x80\x01", call_tree=0):
    identity = text(b"trace.json") + text(b"kineto") + text(b"1") + text(b"") + bytes([0, 0, 0])  # file ... rank, world
    clock = bytes([1, 0, 0, 0, 0, 0])  # unix, base, method, offset, residual, pairs
    sizes = bytes([0, 9, 9])  # event step, bytes
    totals = bytes([5, 3, 7]) + extent * 2 + b"\x00"
    return identity + clock + sizes + totals + bytes([call_tree, 1, 0, 0, 0])  # used devices, devices, notes


def partial(table, kept=b"\x00"):
    return text(table) + text(b"cgpu partial\n" + b"\x01" + text(table) + b"\x00" + bytes([len(kept)]) + kept)


TABLE = (text(b"info") + text(b"about") + bytes([2, 1]) + text(b"key") + b"\x02" + text(b"") + text(b"a") + b"\x00"
         + b"\x01\x01" + text(b"file") + text(b"n") + b"\x00" + text(b"ns") + text(b"b") + b"\x01" + b"\x01\x01\x0a")


def seeds():
    for call_tree in (0, 1):
        head = b"\x01" + run(call_tree=call_tree) + b"\x01\x00" + b"\x00" + text(b"figures")
        yield "nothing-%d" % call_tree, head + b"\x00\x00\x00"
        yield "table-%d" % call_tree, head + b"\x00\x00\x01" + TABLE
        yield "partial-%d" % call_tree, head + b"\x01" + partial(b"kernels") + b"\x00\x00"
    yield "file", b"\x89cgpu run\r\n\x01\x04\x04\x00" + bytes(8)
