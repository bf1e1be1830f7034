// A table for the terminal: readable units, aligned, fitted to a width.
//
// No line is wider than the terminal. Texts (kernel names) are shortened in the middle first, down to about a third of
// the width; then columns of details are left out, then texts get down to a fifth, then other columns go, the least
// weight first, of equal weights the rightmost (ColumnWeight). The last line names them. O(cells): the cells are
// formatted twice, once to measure, so that only the output is held in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "table/table.h"

namespace cgpu {

struct TextOptions {
  size_t width = 80;  // terminal columns; below 20 counts as 20
  bool color = false;
  bool terminal = false;       // lines are read there, not by a program
  size_t max_rows = 0;         // 0 for all
  size_t more_rows = 0;        // that there are besides those of the table, which were not made
  std::string why_empty = {};  // said where there are no rows
  bool bare = false;           // headings and rows only, without the lines about the table and about what is left out
  /// Of a cell, where there is colour; "" for none (table/terminal_style.h).
  std::function<std::string_view(const RowView& row, size_t column)> cell_style = {};
};

std::string render_text(const Table& table, const TextOptions& options);

/// `text` broken at spaces (inside a word only where it has to be) into lines of at most `width` columns, each ended by
/// a newline. `text` is made printable first.
std::string wrap_text(std::string_view text, size_t width);
/// The same with `indent` spaces before each line but the first, which has its own.
std::string wrap_indented(std::string_view text, size_t width, size_t indent);

}  // namespace cgpu
