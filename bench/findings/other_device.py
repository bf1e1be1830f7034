#!/usr/bin/env python3
"""How well rooflines would predict the device time of a run on another device: traces of the same models on an H100 and on an
MI300X (AMD's TraceLens), each predicted from the other.

Each op takes as many times longer as its roofline says: the larger of FLOPs / peak rate of its type and bytes / memory bandwidth,
on the other device over on its own; what has no known cost by memory bandwidth. This is why `whatif` has no other device
(docs/diagnosis.md, "What it cannot tell").

    bench/findings/other_device.py [--write-docs]

--write-docs puts the table into docs/diagnosis.md. Environment: CGPU (the binary), CGPU_CORPUS (the traces).
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from oracle import docs, tool  # noqa: E402

DOCS = os.path.join(ROOT, "docs", "diagnosis.md")
BEGIN, END = "<!-- devices: bench/findings/other_device.py --write-docs -->\n", "\n<!-- end of devices -->"
DEVICES = {"H100": "h100", "MI300X": "mi300"}
MODELS = {"image classifier": "Falconsai_nsfw_image_detection__1016002", "Qwen1.5-0.5B": "Qwen_Qwen1.5-0.5B-Chat__1016005",
          "TimeSformer": "facebook_timesformer-base-finetuned-k400__1016002", "BERT small": "gaunernst_bert-small-uncased__1016001"}
TYPES = (("BFloat16", "bf16"), ("Half", "fp16"), ("", "fp32"))


class Run:
    def __init__(self, device, model):
        path = os.path.join(tool.corpus(), "AMD-AGI_TraceLens__%s__%s.json.gz" % (DEVICES[device], model))
        described = next(row for row in tool.table(path, "devices") if row["peak_flops"])
        self.flops = {name: float(rate) * 1e12 for name, rate in re.findall(r"(\w+) ([\d.]+) TFLOP/s", described["peak_flops"])}
        self.bandwidth = described["memory_bandwidth"]
        self.ops = tool.table(path, "op_shapes", "--top", "0")
        self.device_ns = sum(row["total_ns"] for row in tool.table(path, "kernels", "--top", "0"))

    def roofline_s(self, op):
        """0 where the cost of the op is not known."""
        peak = next(self.flops[name] for type_name, name in TYPES if type_name in op["types"])
        return max((op["flops"] or 0) / peak, (op["bytes"] or 0) / self.bandwidth)

    def predicted_ns_on(self, other):
        total, of_ops = 0, 0
        by_memory = self.bandwidth / other.bandwidth
        for op in self.ops:
            here = self.roofline_s(op)
            total += op["device_self_ns"] * (other.roofline_s(op) / here if here else by_memory)
            of_ops += op["device_self_ns"]
        return total + max(self.device_ns - of_ops, 0) * by_memory


def rows():
    for name, model in MODELS.items():
        runs = {device: Run(device, model) for device in DEVICES}
        for own, other in (("H100", "MI300X"), ("MI300X", "H100")):
            predicted = runs[own].predicted_ns_on(runs[other])
            yield name, own, other, runs[own].device_ns, predicted, runs[other].device_ns


def ms(ns):
    return "%.2f ms" % (ns / 1e6)


def main():
    lines = ["| model | from | to | measured there | predicted | error |", "|---|---|---|---|---|---|"]
    for name, own, other, here, predicted, there in rows():
        lines.append("| %s | %s, %s | %s | %s | %s | %+.0f %% |" % (name, own, ms(here), other, ms(there), ms(predicted),
                                                                  100 * (predicted / there - 1)))
    text = "\n".join(lines)
    print(text)
    if "--write-docs" in sys.argv:
        docs.write(DOCS, lambda page: docs.with_part(page, BEGIN, END, text))


if __name__ == "__main__":
    main()
