// A table as CSV (RFC 4180): a header row of column names, then exact values; lines end in \n. O(cells).
//
// Absent is an empty field, an empty text is "". Text is written byte for byte, whatever it holds, so that it reads
// back the same: control characters and broken UTF-8 pass through.
#pragma once

#include <iosfwd>
#include <string>

#include "table/table.h"

namespace cgpu {

/// Writes a table batch by batch.
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out) : out_(out) {}
  /// Writes the rows of a batch; the first one, which may have none, writes the header row too.
  void add(const Table& batch);

 private:
  std::ostream& out_;
  bool has_header_ = false;
  std::string text_;  // what is written next
};

void write_csv(std::ostream& out, const Table& table);
std::string render_csv(const Table& table);

}  // namespace cgpu
