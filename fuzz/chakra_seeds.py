"""Seeds of the fuzz target for execution traces: PyTorch's of two generations, Chakra's, a simulator's; damaged."""
import json

from perfetto_seeds import message, varint

TENSOR = [4, 5, 0, 64, 4, "cuda:0"]


def pytorch():
    def node(number, name, **more):
        return {"name": name, "id": number, "rf_id": number - 2, "parent": 2, "fw_parent": 0, "seq_id": -1, "scope": 0,
                "tid": 1, "fw_tid": 0, "op_schema": "", "inputs": [TENSOR, [TENSOR], 1, "x", None],
                "input_shapes": [[8, 8], [[8]], [], [], []], "input_types": ["Tensor(float)"], "outputs": [TENSOR],
                "output_shapes": [[8]], "output_types": ["Tensor(float)"], **more}
    nodes = [node(2, "[pytorch|profiler|execution_graph|thread]", scope=7), node(3, "aten::mm"),
             node(4, "## step ##", scope=7), node(5, "record_param_comms", inputs=[TENSOR, 1, "all_reduce"])]
    return {"schema": "1.0.1", "pid": 77, "time": "today", "start_ts": 1, "nodes": nodes, "finish_ts": 2}


def newer():
    attributes = [{"name": "rf_id", "type": "uint64", "value": 1}, {"name": "tid", "type": "uint64", "value": 3}]
    lists = {"values": [TENSOR], "shapes": [[64]], "types": ["Tensor(float)"]}
    return {"schema": "1.0.2-chakra.0.0.4", "pid": 7,
            "nodes": [{"id": 4, "name": "aten::empty", "ctrl_deps": 2, "inputs": lists, "outputs": lists,
                       "attrs": attributes}]}


def workload():
    return {"workload_graph": [{"Id": 1, "Name": "aten::mm", "NodeType": 4, "ctrlDeps": [3], "data_deps": [2, 3],
                                "runtime": 318, "is_cpu_op": False, "comm_type": 1, "comm_size": 64}], "ngpus": 8}


def chakra():
    def with_length(data):
        return varint(len(data)) + data

    def node(number, kind, start):
        attributes = [message((1, "is_cpu_op"), (27, number % 2)), message((1, "tid"), (9, 1)),
                      message((1, "rf_id"), (9, number)), message((1, "comm_type"), (9, 5)),
                      message((1, "comm_size"), (9, 100)), message((1, "dims"), (28, b"\x0a\x01\x01"))]
        lists = message((1, "[[4, 5, 0, 64, 4, 'cuda:0']]"), (2, "[[64]]"), (3, "['Tensor(float)']"))
        return with_length(message((1, number), (2, "aten::mm(0)"), (3, kind), (4, b"\x01"), (5, b"\x01\x02"),
                                   (6, start), (7, 5), (8, lists), (9, lists), *((10, one) for one in attributes)))
    head = message((1, "0.0.4"), (2, message((1, "pid"), (13, 77))), (2, message((1, "time"), (29, "today"))))
    return with_length(head) + b"".join(node(i, i % 9, i * 10) for i in range(1, 9))


def headless():
    nodes = [message((2, "COMP_NODE_a"), (3, 4), (7, 13003)), message((1, 1), (2, "COMP_NODE_b"), (3, 4), (4, b"\x00")),
             message((1, 2), (2, "COMM_COLL_NODE"), (3, 7), (4, b"\x00\x01"), (10, message((1, "comm_size"), (9, 100))))]
    return b"".join(varint(len(node)) + node for node in nodes)


def seeds():
    texts = {name: json.dumps(data).encode() for name, data in
             (("pytorch", pytorch()), ("newer", newer()), ("workload", workload()))}
    for name, text in texts.items():
        yield name + ".json", text
        yield name + "_cut.json", text[:len(text) * 2 // 3]
    yield "deep.json", b'{"schema":"1","nodes":[{"inputs":' + b"[" * 2000
    yield "trace.et", chakra()
    yield "cut.et", chakra()[:-40]
    yield "long.et", chakra() + b"\xff\xff\xff\xff\x7f"
    yield "headless.et", headless()
    yield "headless_cut.et", headless()[:-5]
