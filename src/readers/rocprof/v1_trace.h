// The trace that rocprof v1 writes beside its database (results.json): in the form of Chrome's traces, with every
// number as text, and with the exact times among the arguments. Source: bin/tblextr.py and bin/sqlitedb.py of
// github.com/ROCm/rocprofiler, which write it.
#pragma once

#include <string>
#include <string_view>

#include "base/text_source.h"
#include "readers/rocprof/assembler.h"

namespace cgpu::rocprof {

bool is_v1_trace(std::string_view head);
/// One pass, in a stream. Kernels, copies, calls of HIP and HSA, and the program's ranges; the arrows from calls to
/// kernels are not read. Throws Error where there is no event in it.
void read_v1_trace(TextSource& source, const std::string& file, Assembler& assembler);

}  // namespace cgpu::rocprof
