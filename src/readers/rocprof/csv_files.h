// The CSV files of rocprof, distinguished by the names of their columns.
#pragma once

#include <string>
#include <string_view>

#include "base/text_source.h"
#include "readers/rocprof/assembler.h"

namespace cgpu::rocprof {

/// In the order in which the files of a process are read: calls before what they launch.
enum class CsvKind {
  agents,
  calls,
  kernels,
  copies,
  counters,  // a row a counter
  launches,  // a row a launch, a column a counter
  statistics,
  allocations,
  none,
};

/// What a file is whose text begins with `head`.
CsvKind csv_kind_of(std::string_view head);
/// One that says something of a run.
inline bool is_read(CsvKind kind) {
  return kind < CsvKind::statistics;
}

void read_csv(TextSource& source, CsvKind kind, const std::string& file, Assembler& assembler);

}  // namespace cgpu::rocprof
