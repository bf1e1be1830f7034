// CSV by RFC 4180, in a stream: quoted fields may hold separators, quotes (doubled) and line ends; lines end with LF or
// CRLF. Forgiving where the RFC is silent: a quote inside a field that does not begin with one is a character like any
// other, records may have any number of fields, the last line may lack its end. O(1) memory besides one record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"

namespace cgpu {

class CsvReader {
 public:
  explicit CsvReader(TextSource& source) : source_(source) {}

  /// The fields of the next record that is not an empty line; false at the end. A last record without a line end and
  /// with fewer fields than every one before it is cut: it loses its last field, which may be a part of one.
  bool next(std::vector<std::string>& fields);
  /// Whether the text goes on with `prefix`; nothing is read. For what is before the header.
  bool continues_with(std::string_view prefix);
  /// Drops the rest of the line, whatever quotes it holds; false at the end.
  bool skip_line();

  /// The line at which the last record began, from 1.
  int64_t line() const { return record_line_; }
  /// The last record is not whole: the text ended, or a record grew beyond all measure (64 MB), inside quotes, or the
  /// last record is cut.
  bool unfinished() const { return unfinished_; }

 private:
  int peek();  // the next character, -1 at the end
  int get();
  bool fill(size_t ahead);

  TextSource& source_;
  std::string buffer_;
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t record_line_ = 0;
  size_t fewest_fields_ = 0;  // of the records so far, 0 before the first
  bool unfinished_ = false;
};

}  // namespace cgpu
