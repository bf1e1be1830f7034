"""Seeds of the fuzz target for summaries: what is inside of small ones, a run or a table; as messages, and as version 9 had
them: numbers are variable-length, texts and sequences have their length in front."""
from mutations import write_message


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


def message(*values):
    """Of fields 1, 2, ...: bytes, numbers, lists of several of a field, None for a field that is not there."""
    fields = []
    for number, value in enumerate(values, 1):
        for each in value if isinstance(value, list) else [value]:
            if each is not None:
                fields.append([number, 2 if isinstance(each, bytes) else 0, each])
    return write_message(fields)


def run_message(collectives=3):
    identity = message(b"trace.json", b"kineto", b"1", b"", 2, 1, 16, [message(b"torch", b"2.9")], 1, 200, 0, 9, 9,
                       *[5] * 10, 6, 4, 7, message(1, 2000), message(1, 2000))
    slices = [message(20, 8, 1, 0, 0, 0)] * collectives
    ops = [message(i, 0, 14, 1, 1, 2) for i in range(collectives)]
    records = [message(i, 2, 0, 0, 1, 1, 4, 2 * i, 1, 1) for i in range(collectives)]
    timeline = message([b"ncclDevKernel_AllReduce", b"allreduce"], [message(b"kernel", 6)], [message(1, 0, b"7")], slices,
                       ops, records)
    devices = [message(0, b"NVIDIA H100", b"NVIDIA", 264)]
    groups = [message(b"13", b"mesh_pp", 16, 6)]
    of_run = message(identity, 0, 0, 0, b"\x00", devices, groups, [message(b"code", 4, b"text", 1)], timeline)
    return message(of_run, [message(2, 10, 20)], b"figures", [b"call_tree"], None, [b"kernels"])


TABLE_MESSAGE = message(b"info", b"about", 2, [
    message(b"key", 2, b"", b"a", 0, message(None, None, None, [b"file", b"host"])),
    message(b"n", 0, b"ns", b"b", 1, message(b"\x01\x00", b"\x0a"))], b"whole")


def seeds():
    yield "run_message", run_message()
    yield "run_message_without_collectives", run_message(0)
    yield "table_message", TABLE_MESSAGE
    tail = b"\x01\x00\x02\x04" + text(b"figures") + b"\x01" + text(b"call_tree") + b"\x00"  # waits ... reduced
    yield "run", run() + tail
    yield "no_collectives", run(of_timeline=timeline(0)) + tail
    yield "call_tree", run(bodies=b"\x01\x01\x01") + tail
    yield "table", TABLE
    yield "file", b"\x89cgpu run\r\n\x09\x04\x04\x00" + bytes(8)
