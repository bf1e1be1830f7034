// The tables of an Nsight Systems export, each read in one pass. Which tables and columns there are differs from
// version to version: every one is asked for, none is taken for granted (docs/formats/nsys.md).
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "readers/nsys/assembler.h"
#include "readers/nsys/payloads.h"

namespace cgpu::nsys {

/// (process number or kAnyProcess, CUDA ordinal) to number of the GPU, where the file has it: processes count the GPUs
/// that they see.
using DeviceNumbers = std::map<std::pair<int64_t, int64_t>, int64_t>;
inline constexpr int64_t kAnyProcess = -1;

/// GPUs, versions, clock, the host's name, what the recording says of itself; diagnostics and doubts go into notes.
DeviceNumbers read_facts(Assembler& assembler);

/// Kernels, copies, memsets, graphs, synchronisation, device memory.
void read_device_tables(Assembler& assembler, const DeviceNumbers& devices);

/// Calls, ranges, the operating system's calls, overhead. Gives the ranges of NCCL.
std::vector<NcclRange> read_host_tables(Assembler& assembler);

/// Which threads the processors ran.
void read_scheduling(Assembler& assembler);

/// Samples of GPU counters, and of network adapters and switches.
void read_counters(Assembler& assembler);

/// Samples of the processors' call stacks.
void read_samples(Assembler& assembler);

/// Names of processes and threads, and what was left unread. Call last.
void finish(Assembler& assembler);

}  // namespace cgpu::nsys
