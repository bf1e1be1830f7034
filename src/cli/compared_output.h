// What `cgpu compare` and `cgpu scale` have found, in the format that is wanted.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "table/csv.h"
#include "table/filter.h"
#include "table/marked_text.h"
#include "table/table.h"

namespace cgpu {

struct Compared {
  std::string command = "compare";  // the verb
  std::string title;                // of a page
  std::string words_title = "What changed";
  std::vector<std::string> inputs;  // as they were given
  MarkedText words;                 // lines
  MarkedText causes;                // lines; in text below the table of figures
  std::vector<Table> tables;
  std::string output = {};  // the file that is written, "" for stdout
  CsvText csv_text = CsvText::guarded;
  bool hides_empty_columns = false;  // from text, for tables with columns of other kinds of runs
};

/// Of the tables only the rows that `filter` leaves, in the order of `sort` ("" for their own), and of these the first
/// `top`, but for `format` text, which says what it leaves out.
void choose_rows(std::vector<Table>& tables, const Filter& filter, const std::string& sort, std::optional<size_t> top,
                 const std::string& format);

/// Rows of a table on a screen, 0 for all of them; nothing for a table that is not shown there.
using RowsOnScreen = std::function<std::optional<size_t>(const Table&)>;

/// Whether the words have what is in a table, so that a screen does not show it too.
bool is_listed_in_words(const Table& table);

/// Of two runs on a screen: the words, the figures that differ, and the causes. `rows`: of other tables than that of
/// figures, of which the first that has rows is shown where there are no figures.
void write_overview(std::ostream& out, const Compared& compared, size_t rows);

/// `format`: text (txt), json, html, md or csv, which is of the first table.
void write_compared(std::ostream& out, const std::string& format, const Compared& compared, const RowsOnScreen& rows);

}  // namespace cgpu
