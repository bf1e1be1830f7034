// Tables as one JSON document: {"schema": "cgpu/1", "command", "inputs", "tables": {NAME: {"about", "per" (where the
// table says it), "columns", "rows"}}}.
//
// One row a line, so that big tables compare well with line tools. Values are exact, absent is null. Strings are valid
// UTF-8 (other bytes become U+FFFD) without raw control characters. O(cells), one row in memory at a time.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// Writes the document table by table, and a table batch by batch, so that each can be dropped before the next one is
/// made.
class JsonWriter {
 public:
  JsonWriter(std::ostream& out, std::string_view command, const std::vector<std::string>& inputs);
  /// Table names must differ within a document.
  void add(const Table& table);
  /// Adds the rows of a batch to the table that has been begun. Begins one where none is, for which the batch need not
  /// have rows.
  void add_batch(const Table& batch);
  /// Ends the table that has been begun.
  void end_table();
  /// Closes the document; must be called once, last.
  void finish();

 private:
  std::ostream& out_;
  bool has_table_ = false;
  bool in_table_ = false;
  const char* separator_ = "";  // before the next row
};

void write_json(std::ostream& out, std::string_view command, const std::vector<std::string>& inputs,
                const std::vector<Table>& tables);
std::string render_json(std::string_view command, const std::vector<std::string>& inputs,
                        const std::vector<Table>& tables);

/// One table as an object: {"about", "per", "columns", "rows"}.
void write_table_object(std::ostream& out, const Table& table);

/// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

}  // namespace cgpu
