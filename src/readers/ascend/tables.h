// The tables of an Ascend profile in text form.
#pragma once

#include <string>
#include <string_view>

#include "base/text_source.h"
#include "readers/ascend/assembler.h"

namespace cgpu::ascend {

/// Whether a text begins like kernel_details.csv or op_summary_*.csv.
bool is_kernel_list(std::string_view head);

/// kernel_details.csv, op_summary_*.csv: every kernel and collective as a device op. O(1) memory besides the run.
void read_kernel_list(TextSource& source, const Facts& facts, Assembler& assembler);

/// memory_record.csv: the totals of the allocators over time.
void read_memory_record(TextSource& source, Assembler& assembler);

/// operator_memory.csv: what each op allocated and released, as far as it is recorded.
void read_operator_memory(TextSource& source, Assembler& assembler);

}  // namespace cgpu::ascend
