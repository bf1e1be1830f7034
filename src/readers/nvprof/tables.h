// The tables of a database of nvprof, each read in one pass. Which tables and columns there are differs from version
// to version: every one is asked for, none is taken for granted (docs/formats/nvprof.md).
#pragma once

#include "readers/nvprof/assembler.h"

namespace cgpu::nvprof {

/// Texts, version, devices.
void read_facts(Assembler& assembler);

/// Calls, NVTX's ranges and marks, OpenACC, OpenMP, overhead.
void read_host_tables(Assembler& assembler);

/// Kernels, copies, memsets, synchronization, unified memory, allocations. Call after the host's.
void read_device_tables(Assembler& assembler);

/// Clocks, temperature, power and fans of the devices.
void read_counters(Assembler& assembler);

/// The origin of the clock, names of processes, threads and streams, and what was left unread. Call last.
void finish(Assembler& assembler);

}  // namespace cgpu::nvprof
