"""Writes the benchmark's inputs: nsys | kernels | ncu FILE MEGABYTES. The same size gives the same content."""
import csv
import os
import random
import sqlite3
import sys

KERNELS = ["void cutlass::gemm_%d<cutlass::half_t, %d>(Params)" % (i, i % 7) for i in range(200)] + \
    ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", "vectorized_elementwise_kernel"]
CALLS = ["cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020", "cudaEventRecord_v3020"]
THREAD = (1 << 48) | (100 << 24)


def nsys(file, size):
    """Calls, kernels, copies, ranges, operating system calls and GPU metrics in the proportions of a training run."""
    if os.path.exists(file):
        os.unlink(file)
    database = sqlite3.connect(file)
    database.executescript("""
        PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA page_size = 4096;
        CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
        CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
          correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
          greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
          shortName INTEGER, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER,
          gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
          staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER,
          localMemoryTotal INTEGER, gridId INTEGER, sharedMemoryExecuted INTEGER, graphNodeId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
          streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER,
          srcKind INTEGER, dstKind INTEGER);
        CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, rangeId INTEGER,
          category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
          domainId INTEGER, uint64Value INTEGER, jsonTextId INTEGER);
        CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER,
          returnValue INTEGER, nestingLevel INTEGER, callchainId INTEGER);
        CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
        INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.20.5');
        INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
    """)
    texts = CALLS + ["poll", "pthread_cond_wait"] + KERNELS + ["layer %d" % i for i in range(500)]
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(texts, 1))
    pick = random.Random(1).randrange
    first_kernel, first_layer = 7, 7 + len(KERNELS)
    now = number = 0
    while os.path.getsize(file) < size:
        calls, kernels, copies, ranges, waits, metrics = [], [], [], [], [], []
        for _ in range(20000):
            number += 1
            now += 4000 + pick(4000)
            thread = THREAD + 100 + pick(4)
            start, copy = now + 5000 + pick(9000), number % 10 == 0
            calls.append((now, now + 1000 + pick(2000), 0, thread, number, 2 if copy else 1, 0, None))
            if copy:
                copies.append((start, start + pick(9000), 0, 1, 7, number, THREAD, pick(1 << 20), 1, 1, 2))
            else:
                name = first_kernel + pick(len(KERNELS))
                kernels.append((start, start + pick(9000), 0, 1, None, 7 + 6 * pick(2), number, THREAD, name, name, name, 1,
                                0, 96, 64, 1, 1, 256, 1, 1, 0, 49152, 0, 0, number, 49152, None))
            if number % 2 == 0:
                ranges.append((now - 10, now + 3100, 59, None, None, None, None, thread, None,
                               first_layer + pick(500), 0, None, None))
            if number % 3 == 0:
                waits.append((now, now + 3000, 27, thread + 50, 5 + pick(2), 0, 0, None))
            metrics.append((now, 4294967296, pick(20), pick(100)))
        for table, rows in (("CUPTI_ACTIVITY_KIND_RUNTIME", calls), ("CUPTI_ACTIVITY_KIND_KERNEL", kernels),
                            ("CUPTI_ACTIVITY_KIND_MEMCPY", copies), ("NVTX_EVENTS", ranges), ("OSRT_API", waits),
                            ("GPU_METRICS", metrics)):
            database.executemany("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(rows[0]))), rows)
        database.commit()
    database.close()


NCU_LAUNCH = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
              "Grid Size", "Device", "CC"]
NCU_METRICS = [("GPU Speed Of Light Throughput", name, unit) for name, unit in (
    ("Duration", "ns"), ("Compute (SM) Throughput", "%"), ("Memory Throughput", "%"), ("DRAM Throughput", "%"),
    ("L1/TEX Cache Throughput", "%"), ("L2 Cache Throughput", "%"), ("Elapsed Cycles", "cycle"),
    ("SM Frequency", "Ghz"))] + [("Occupancy", name, "%") for name in (
        "Achieved Occupancy", "Theoretical Occupancy")] + [("Launch Statistics", "Registers Per Thread", "register/thread")]


def ncu(file, size):
    """The details page of `ncu --csv`."""
    pick = random.Random(2)
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(NCU_LAUNCH + ["Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
                                      "Rule Description", "Estimated Speedup Type", "Estimated Speedup"])
        number = 0
        while out.tell() < size:
            launch = [number, 4711, "app", "node", pick.choice(KERNELS), 1, 7, "(256, 1, 1)", "(64, 1, 1)", 0, "9.0"]
            for section, name, unit in NCU_METRICS:
                value = "{:,}".format(pick.randrange(1000, 900000)) if unit in ("ns", "cycle") else \
                    "%.2f" % (pick.random() * 100)
                writer.writerow(launch + [section, name, unit, value, "", "", "", "", ""])
            number += 1


KERNEL_DETAILS = ["Step Id", "Device_id", "Model ID", "Task ID", "Stream ID", "Name", "Type", "OP State",
                  "Accelerator Core", "Start Time(us)", "Duration(us)", "Wait Time(us)", "Block Dim", "Mix Block Dim",
                  "HF32 Eligible", "Input Shapes", "Input Data Types", "Input Formats", "Output Shapes",
                  "Output Data Types", "Output Formats", "Context ID"]


def kernels(file, size):
    """kernel_details.csv of the Ascend profiler."""
    pick = random.Random(3)
    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(KERNEL_DETAILS)
        now = 1700000000000000000
        number = 0
        while out.tell() < size:
            number += 1
            now += pick.randrange(1000, 90000)
            duration = pick.randrange(1000, 60000)
            name = pick.choice(("MatMulV2", "Add", "Cast", "FlashAttentionScore", "LayerNormV3"))
            start = "%d.%03d\t" % (now // 1000, now % 1000)
            writer.writerow([1, 0, 4294967295, number % 65536, 2, "aclnn%s_%d" % (name, number % 50), name, "dynamic",
                             "AI_CORE", start, "%d.%03d" % (duration // 1000, duration % 1000), "1.5", 20, 0, "NO",
                             "\"4096,1024;1024,1024\"", "DT_BF16;DT_BF16", "ND;ND", "\"4096,1024\"", "DT_BF16", "ND",
                             "N/A"])


if __name__ == "__main__":
    {"nsys": nsys, "kernels": kernels, "ncu": ncu}[sys.argv[1]](sys.argv[2], int(float(sys.argv[3]) * 1e6))
