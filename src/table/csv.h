// A table as CSV (RFC 4180): a header row of column names, then exact values; lines end in \n. O(cells).
//
// Absent is an empty field, an empty text is "". Text is either for spreadsheets and terminals, which act on some: one
// that a spreadsheet would take for a formula (it begins with = + - @ and is no number) has an apostrophe before it, as
// OWASP advises against CSV injection, and what is invisible is escaped as in texts, line ends apart. Or it is written
// byte for byte, so that it reads back the same, whatever it holds.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "table/table.h"

namespace cgpu {

enum class CsvText : uint8_t { guarded, exact };

/// Writes a table batch by batch.
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out, CsvText text = CsvText::guarded) : out_(out), as_(text) {}
  /// Writes the rows of a batch; the first one, which may have none, writes the header row too.
  void add(const Table& batch);

 private:
  void append(std::string_view text);

  std::ostream& out_;
  CsvText as_;
  bool has_header_ = false;
  std::string text_;  // what is written next
};

void write_csv(std::ostream& out, const Table& table, CsvText text = CsvText::guarded);
std::string render_csv(const Table& table, CsvText text = CsvText::guarded);

}  // namespace cgpu
