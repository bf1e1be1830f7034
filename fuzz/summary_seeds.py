"""Seeds of the fuzz target for summaries: what is inside of small ones, a run or a table. Numbers are variable-length, texts
and sequences have their length in front."""


def text(value):
    return bytes([len(value)]) + value


def timeline(collectives=3):
    names = bytes([3]) + text(b"ncclDevKernel_AllReduce") + text(b"allreduce")  # and the empty one
    categories = b"\x01" + text(b"kernel") + b"\x06"
    tracks = b"\x01" + b"\x01\x00" + text(b"7")
    slices = bytes([collectives]) + bytes([20, 8, 1, 0, 0, 0]) * collectives  # start from the one before, duration, name, ...
    ops = bytes([collectives]) + b"".join(bytes([i, 0, 14, 1, 1, 2]) for i in range(collectives))
    records = bytes([collectives]) + b"".join(bytes([i, 2, 0, 0, 1, 1, 4, 2 * i, 1, 1]) for i in range(collectives))
    return names + categories + tracks + slices + ops + records


def run(extent=b"\x01\x02\x80\x01", bodies=b"\x00\x00\x00", of_timeline=timeline()):
    identity = text(b"trace.json") + text(b"kineto") + text(b"1") + text(b"") + bytes([0, 1, 0, 0])  # file ... metadata
    clock = bytes([1, 0, 0, 9, 9])  # unix, base, event step, sizes
    totals = bytes([6, 4, 7]) + extent * 2 + b"\x00"
    groups = b"\x01" + text(b"13") + text(b"mesh_pp") + bytes([16, 1, 6])  # name ... size, place
    notes = b"\x01" + text(b"code") + b"\x02" + text(b"text") + b"\x00"
    return identity + clock + bytes(10) + totals + bodies + bytes([1, 0, 0]) + groups + notes + of_timeline


TABLE = (text(b"info") + text(b"about") + bytes([2, 1]) + text(b"key") + b"\x02" + text(b"") + text(b"a") + b"\x00"
         + b"\x01\x01" + text(b"file") + text(b"n") + b"\x00" + text(b"ns") + text(b"b") + b"\x01" + b"\x01\x01\x0a")


def seeds():
    tail = b"\x01\x00\x02\x04" + text(b"figures") + b"\x01" + text(b"call_tree") + b"\x00"  # waits ... reduced
    yield "run", run() + tail
    yield "no_collectives", run(of_timeline=timeline(0)) + tail
    yield "call_tree", run(bodies=b"\x01\x01\x01") + tail
    yield "table", TABLE
    yield "file", b"\x89cgpu run\r\n\x09\x04\x04\x00" + bytes(8)
