#include "table/text.h"

#include <algorithm>
#include <vector>

#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";

struct Field {
  std::string heading;
  size_t width = 0;  // as measured, then as fitted
  size_t least = 0;  // what fitting leaves it
  bool right = false;
};

/// The cells as they are shown: formatted, and the names of a tree indented by the depth of their rows.
class ShownCells {
 public:
  ShownCells(const Table& table, size_t rows, size_t width) : table_(table), room_(width / 5) {
    const std::vector<Column>& columns = table.columns;
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

  std::string text(size_t row, size_t column) const {
    std::string text = format_cell(table_.cell(row, column), table_.columns[column]);
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
  size_t depth_ = SIZE_MAX;
  size_t name_ = SIZE_MAX;
  size_t deepest_ = 0;
};

/// Every column with the width that its heading and its shown cells want, the terminal's at most.
std::vector<Field> measure(const Table& table, const ShownCells& cells, size_t rows, size_t width) {
  const size_t least_text = std::clamp<size_t>(width * 3 / 10, 12, 32);
  const std::vector<std::string> titles = headings(table.columns);
  std::vector<Field> fields;
  for (size_t c = 0; c < titles.size(); ++c) {
    size_t wanted = display_width(titles[c]);
    bool holds_text = table.columns[c].type == ColumnType::text;
    for (size_t r = 0; r < rows; ++r) {
      wanted = std::max(wanted, display_width(cells.text(r, c)));
      holds_text = holds_text || std::holds_alternative<std::string>(table.cell(r, c));
    }
    wanted = std::min(wanted, width);
    fields.push_back({.heading = titles[c],
                      .width = wanted,
                      .least = holds_text ? std::min(wanted, least_text) : wanted,
                      .right = table.columns[c].type != ColumnType::text});
  }
  return fields;
}

/// Drops fields from the right until the least widths of the others fit (the first one always does), then narrows the
/// widest until their widths do.
void fit(std::vector<Field>& fields, size_t width) {
  size_t least = 0;
  size_t total = 0;
  size_t kept = 0;
  for (; kept < fields.size(); ++kept) {
    const size_t gap = kept > 0 ? kGap.size() : 0;
    if (least + gap + fields[kept].least > width) break;
    least += gap + fields[kept].least;
    total += gap + fields[kept].width;
  }
  fields.resize(kept);
  for (; total > width; --total) {
    Field* widest = nullptr;
    for (Field& field : fields) {
      if (field.width > field.least && (!widest || field.width > widest->width)) widest = &field;
    }
    --widest->width;
  }
}

/// Appends one line: the texts in their fields' widths, without spaces at the end.
class LineWriter {
 public:
  LineWriter(std::string& out, const std::vector<Field>& fields) : out_(out), fields_(fields) {}

  void add(std::string_view text, std::string_view style = "") {
    const Field& field = fields_[next_];
    if (next_++ > 0) pending_ += kGap.size();
    const std::string shown = shorten(text, field.width);
    const size_t padding = field.width - display_width(shown);
    if (field.right) pending_ += padding;
    out_.append(pending_, ' ');
    out_ += style;
    out_ += shown;
    if (!style.empty()) out_ += kPlain;
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
  fit(fields, width);

  const std::string& title = table.about.empty() ? table.name : table.about;
  std::string out = options.bare || title.empty() ? "" : wrap_text(title, width);
  LineWriter line(out, fields);
  for (const Field& field : fields) line.add(field.heading, options.color ? kBold : "");
  line.end();
  for (const Field& field : fields) line.add(std::string(field.width, '-'));
  line.end();
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < fields.size(); ++c) {
      line.add(cells.text(r, c), options.color && is_absent(table.cell(r, c)) ? kDim : "");
    }
    line.end();
  }

  if (options.bare) return out;
  if (table.empty())
    out += options.why_empty.empty() ? "(no rows)\n" : wrap_text("(no rows: " + options.why_empty + ")", width);
  const size_t left_out = table.row_count() - rows + options.more_rows;
  if (left_out > 0) out += wrap_text(format_more_rows(left_out) + " (--top 0 shows all)", width);
  if (fields.size() < table.columns.size()) {
    std::string columns = "Columns left out:";
    for (size_t c = fields.size(); c < table.columns.size(); ++c) {
      columns += (c > fields.size() ? ", " : " ") + table.columns[c].name;
    }
    out += wrap_text(columns + " (--format csv or json shows all)", width);
  }
  return out;
}

std::string wrap_text(std::string_view text, size_t width) {
  const std::string line = printable(text);
  std::string out;
  std::string_view rest = line;
  while (head_of_width(rest, width).size() < rest.size()) {  // looks at one line only
    std::string_view head = head_of_width(rest, width + 1);  // a space just behind the width is a break as well
    const size_t space = head.rfind(' ');
    if (space == std::string_view::npos || space == 0) {
      head = head_of_width(rest, width);
    } else {
      head = head.substr(0, space);
    }
    out += head;
    out += '\n';
    rest.remove_prefix(head.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  out += rest;
  out += '\n';
  return out;
}

}  // namespace cgpu
