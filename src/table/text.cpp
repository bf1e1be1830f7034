#include "table/text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/row_units.h"
#include "table/shorten_apart.h"
#include "table/terminal_style.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

constexpr std::string_view kGap = "  ";

struct Field {
  size_t column = 0;
  std::string heading;
  size_t width = 0;  // as measured, then as fitted
  size_t least = 0;  // what fitting leaves it
  bool text = false;
  bool right = false;
};

/// The cells as they are shown: formatted, figures in the unit of their row, and the names of a tree indented by the
/// depth of their rows.
class ShownCells {
 public:
  ShownCells(const Table& table, size_t rows, size_t width) : table_(table), room_(width / 5) {
    const std::vector<Column>& columns = table.columns;
    for (size_t column = 0; column < columns.size(); ++column) {
      in_row_unit_.push_back(is_in_row_unit(table, column));
      if (in_row_unit_.back()) unit_ = unit_column(table);
    }
    const auto depth = std::find_if(columns.begin(), columns.end(),
                                    [](const Column& column) { return column.role == ColumnRole::depth; });
    if (depth == columns.end()) return;
    const auto name = std::find_if(depth, columns.end(), [](const Column& column) {
      return column.type == ColumnType::text && column.role == ColumnRole::key;
    });
    depth_ = static_cast<size_t>(depth - columns.begin());
    name_ = static_cast<size_t>(name - columns.begin());
    for (size_t row = 0; row < rows; ++row) deepest_ = std::max(deepest_, depth_of(row));
  }

  /// The column of units that the figures are shown with, which needs no place of its own.
  std::optional<size_t> unit() const { return unit_; }

  std::string text(size_t row, size_t column) const {
    const Cell value = table_.cell(row, column);
    if (in_row_unit_[column] && !is_absent(value)) {
      const Cell unit = table_.cell(row, *unit_);
      return format_value(std::get<double>(value), is_absent(unit) ? "" : std::get<std::string>(unit));
    }
    std::string text = format_cell(value, table_.columns[column]);
    if (column == name_) text.insert(0, indent(depth_of(row)), ' ');
    return text;
  }

 private:
  static constexpr size_t kStep = 2;

  size_t depth_of(size_t row) const {
    const Cell cell = table_.cell(row, depth_);
    const auto* depth = std::get_if<int64_t>(&cell);
    return depth != nullptr && *depth > 0 ? static_cast<size_t>(*depth) : 0;
  }
  /// Deep trees are pressed into a part of the width.
  size_t indent(size_t depth) const {
    return deepest_ * kStep <= room_ ? depth * kStep
                                     : static_cast<size_t>(static_cast<double>(depth) / static_cast<double>(deepest_) *
                                                           static_cast<double>(room_));
  }

  const Table& table_;
  size_t room_;
  std::vector<bool> in_row_unit_;
  std::optional<size_t> unit_;
  size_t depth_ = SIZE_MAX;
  size_t name_ = SIZE_MAX;
  size_t deepest_ = 0;
};

/// What a field shows of the rows, in its width.
std::vector<std::string> shown_in(const Field& field, const ShownCells& cells, size_t rows) {
  std::vector<std::string> texts;
  texts.reserve(rows);
  for (size_t row = 0; row < rows; ++row) texts.push_back(cells.text(row, field.column));
  return shorten_apart(texts, field.width);
}

/// Every column with the width that its heading and its shown cells want, the terminal's at most.
std::vector<Field> measure(const Table& table, const ShownCells& cells, size_t rows, size_t width) {
  const size_t least_text = std::clamp<size_t>(width * 3 / 10, 12, 32);
  const std::vector<std::string> titles = headings(table.columns);
  std::vector<Field> fields;
  for (size_t c = 0; c < titles.size(); ++c) {
    if (c == cells.unit()) continue;
    size_t wanted = display_width(titles[c]);
    bool holds_text = table.columns[c].type == ColumnType::text;
    for (size_t r = 0; r < rows; ++r) {
      wanted = std::max(wanted, display_width(cells.text(r, c)));
      holds_text = holds_text || std::holds_alternative<std::string>(table.cell(r, c));
    }
    wanted = std::min(wanted, width);
    fields.push_back({.column = c,
                      .heading = titles[c],
                      .width = wanted,
                      .least = holds_text ? std::min(wanted, least_text) : wanted,
                      .text = holds_text,
                      .right = table.columns[c].type != ColumnType::text});
  }
  return fields;
}

size_t sum_of(const std::vector<Field>& fields, size_t Field::*size) {
  size_t sum = fields.empty() ? 0 : kGap.size() * (fields.size() - 1);
  for (const Field& field : fields) sum += field.*size;
  return sum;
}

/// Drops fields by weight until the least widths of the others fit (the first one always does), then narrows the widest
/// until their widths do.
void fit(std::vector<Field>& fields, const Table& table, size_t width) {
  std::vector<Column> columns;
  for (const Field& field : fields) columns.push_back(table.columns[field.column]);
  const auto drop_down_to = [&](ColumnWeight weight) {
    while (fields.size() > 1 && sum_of(fields, &Field::least) > width) {
      const size_t least = least_column(columns);
      if (columns[least].weight > weight) return;
      columns.erase(columns.begin() + static_cast<ptrdiff_t>(least));
      fields.erase(fields.begin() + static_cast<ptrdiff_t>(least));
    }
  };
  drop_down_to(ColumnWeight::detail);
  if (sum_of(fields, &Field::least) > width) {
    const size_t least_text = std::clamp<size_t>(width / 5, 10, 20);
    for (Field& field : fields) {
      if (field.text) field.least = std::min(field.least, least_text);
    }
    drop_down_to(ColumnWeight::main);
  }
  for (size_t total = sum_of(fields, &Field::width); total > width; --total) {
    Field* widest = nullptr;
    for (Field& field : fields) {
      if (field.width > field.least && (!widest || field.width > widest->width)) widest = &field;
    }
    --widest->width;
  }
}

/// Appends one line: the texts, which fit into their fields, without spaces at the end.
class LineWriter {
 public:
  LineWriter(std::string& out, const std::vector<Field>& fields) : out_(out), fields_(fields) {}

  void add(std::string_view shown, std::string_view style = "") {
    const Field& field = fields_[next_];
    if (next_++ > 0) pending_ += kGap.size();
    const size_t padding = field.width - display_width(shown);
    if (field.right) pending_ += padding;
    out_.append(pending_, ' ');
    out_ += terminal_style::styled(shown, style);
    pending_ = field.right ? 0 : padding;
  }
  void end() {
    out_ += '\n';
    pending_ = 0;
    next_ = 0;
  }

 private:
  std::string& out_;
  const std::vector<Field>& fields_;
  size_t pending_ = 0;  // spaces due before the next text
  size_t next_ = 0;
};

}  // namespace

std::string render_text(const Table& table, const TextOptions& options) {
  const size_t width = std::max<size_t>(options.width, 20);
  const size_t rows = shown_rows(table, options.max_rows);
  const ShownCells cells(table, rows, width);
  std::vector<Field> fields = measure(table, cells, rows, width);
  fit(fields, table, width);

  const std::string& title = table.about.empty() ? table.name : table.about;
  std::string out = options.bare || title.empty() ? "" : wrap_text(title, width);
  LineWriter line(out, fields);
  for (const Field& field : fields)
    line.add(shorten(field.heading, field.width), options.color ? terminal_style::kBold : "");
  line.end();
  for (const Field& field : fields) line.add(std::string(field.width, '-'));
  line.end();
  std::vector<std::vector<std::string>> shown;
  for (const Field& field : fields) shown.push_back(shown_in(field, cells, rows));
  for (size_t r = 0; r < rows; ++r) {
    for (size_t f = 0; f < fields.size(); ++f) {
      const Field& field = fields[f];
      std::string_view style;
      if (options.color && is_absent(table.cell(r, field.column))) {
        style = terminal_style::kDim;
      } else if (options.color && options.cell_style) {
        style = options.cell_style(table.row(r), field.column);
      }
      line.add(shown[f][r], style);
    }
    line.end();
  }

  if (options.bare) return out;
  if (table.empty())
    out += options.why_empty.empty() ? "(no rows)\n" : wrap_text("(no rows: " + options.why_empty + ")", width);
  const size_t left_out = table.row_count() - rows + options.more_rows;
  if (left_out > 0) out += wrap_text(format_more_rows(left_out) + " (--top 0 shows all)", width);
  std::string names;
  if (fields.size() < table.columns.size()) {
    for (size_t c = 0, next = 0; c < table.columns.size(); ++c) {
      if (next < fields.size() && fields[next].column == c) {
        ++next;
      } else if (c != cells.unit()) {
        names += (names.empty() ? " " : ", ") + table.columns[c].name;
      }
    }
  }
  if (!names.empty()) {
    out += wrap_text("Columns left out:" + names + " (--format csv or json shows all)", width);
  }
  return out;
}

std::string wrap_text(std::string_view text, size_t width) {
  return wrap_indented(text, width, 0);
}

std::string wrap_indented(std::string_view text, size_t width, size_t indent) {
  indent = std::min(indent, width / 2);
  const std::string line = printable(text);
  std::string out;
  std::string_view rest = line;
  size_t room = width;
  while (head_of_width(rest, room).size() < rest.size()) {  // looks at one line only
    std::string_view head = head_of_width(rest, room + 1);  // a space just behind the width is a break as well
    const size_t own_indent = std::min(head.find_first_not_of(' '), head.size());
    const size_t space = head.rfind(' ');
    if (space == std::string_view::npos || space < std::max<size_t>(own_indent, 1)) {
      head = head_of_width(rest, room);
    } else {
      head = head.substr(0, space);
    }
    out += head;
    out += '\n';
    out.append(indent, ' ');
    room = width - indent;
    rest.remove_prefix(head.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  out += rest;
  out += '\n';
  return out;
}

}  // namespace cgpu
