"""Reports of Nsight Compute as CSV, for tests that know what they wrote."""
import csv

FIELDS = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
          "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]


def write(path, launches):
    """launches: (kernel, ns, compute %, memory %, occupancy %)"""
    with open(path, "w", encoding="utf-8", newline="") as handle:
        out = csv.writer(handle, quoting=csv.QUOTE_ALL)
        out.writerow(FIELDS)
        for number, (kernel, ns, compute, memory, occupancy) in enumerate(launches):
            for section, name, unit, value in (
                    ("GPU Speed Of Light Throughput", "Duration", "ns", "{:,}".format(ns)),
                    ("GPU Speed Of Light Throughput", "Compute (SM) Throughput", "%", compute),
                    ("GPU Speed Of Light Throughput", "Memory Throughput", "%", memory),
                    ("Occupancy", "Achieved Occupancy", "%", occupancy)):
                out.writerow([number, 1, "python", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)", "(64, 1, 1)", 0, "9.0", section,
                              name, unit, value])
