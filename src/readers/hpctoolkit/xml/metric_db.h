// A .metric-db: the values of one thread, a table of doubles with one row a node of experiment.xml, one column a
// metric.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "model/call_tree.h"
#include "model/notes.h"

namespace cgpu::hpctoolkit_xml {

class MetricDb {
 public:
  /// Throws Error where the file cannot be mapped or is no metric-db. A table that is cut off goes to the notes.
  MetricDb(const std::string& path, Notes& notes);

  uint64_t rows() const { return rows_; }
  uint64_t columns() const { return columns_; }
  /// Row counted from 1, column from 0; none outside of the table.
  std::optional<double> at(uint64_t row, uint64_t column) const;

 private:
  std::unique_ptr<MappedFile> file_;
  uint64_t rows_ = 0;
  uint64_t columns_ = 0;
  bool little_endian_ = false;
};

/// The thread that a file belongs to, by its name: "1.PROGRAM-RANK-THREAD-HOST-PROCESS-N.metric-db".
CallProfile profile_of_file(const std::string& name);

/// Where a metric's values are.
struct MetricColumns {
  std::optional<uint64_t> inclusive = {};
  std::optional<uint64_t> exclusive = {};  // as hpcprof counts: a function with all lines in it (scope `function`)
};

/// The values of single threads.
std::shared_ptr<ProfileValues> profile_values(std::shared_ptr<const std::vector<MetricDb>> files,
                                              std::vector<uint32_t> row_of_node, std::vector<MetricColumns> columns);

}  // namespace cgpu::hpctoolkit_xml
