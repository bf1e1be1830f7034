"""Writes what a process did as PyTorch's profiler does (Kineto, JSON), by default: without rows of synchronisation."""
import json

EPOCH_US = 1_700_000_000_000_000
CATEGORIES = {"kernel": "kernel", "copy": "gpu_memcpy", "memset": "gpu_memset"}


def _slice(category, name, process, thread, start, end, args, offset):
    start, end = start + offset, end + offset
    return '{"ph":"X","cat":"%s","name":%s,"pid":%d,"tid":%d,"ts":%d.%03d,"dur":%d.%03d,"args":%s}' % (
        category, json.dumps(name), process, thread, EPOCH_US + start // 1000, start % 1000, (end - start) // 1000,
        (end - start) % 1000, json.dumps(args))


def write(process, path):
    rows = [_slice("cuda_runtime", name, process.number, thread, start, end, {"correlation": correlation}, process.clock_offset)
            for thread, name, start, end, correlation in process.calls]
    rows += [_slice(category, name, process.number, thread, start, end, args, process.clock_offset)
             for thread, category, name, start, end, args in process.ranges]
    for device in process.devices:
        for op in device.ops:
            args = {"device": device.number, "stream": op.stream.number, "correlation": op.correlation}
            if op.kind == "kernel":
                args.update({"grid": [op.blocks, 1, 1], "block": [256, 1, 1]}, **op.args)
            else:
                args["bytes"] = op.bytes
            rows.append(_slice(CATEGORIES[op.kind], op.name, device.number, op.stream.number, op.start, op.end, args,
                               process.clock_offset))
    header = {"schemaVersion": 1, "deviceProperties": [
        {"id": device.number, "name": device.name, "computeMajor": 9, "computeMinor": 0, "numSms": 132,
         "totalGlobalMem": 84_000_000_000} for device in process.devices]}
    if process.ranks > 1:
        header["distributedInfo"] = {"backend": "nccl", "rank": process.rank, "world_size": process.ranks}
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(header)[:-1] + ',"traceEvents":[\n' + ",\n".join(rows) + "]}\n")
