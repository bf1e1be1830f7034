// The JSON results of rocprofv3 (NAME_results.json): everything that was recorded, of one or several processes.
#pragma once

#include <string>
#include <string_view>

#include "base/text_source.h"
#include "readers/rocprof/assembler.h"

namespace cgpu::rocprof {

bool is_json_results(std::string_view head);
/// One pass, in a stream; the parts may come in any order. Throws Error where there is nothing of a run in it.
void read_json_results(TextSource& source, const std::string& file, Assembler& assembler);

}  // namespace cgpu::rocprof
