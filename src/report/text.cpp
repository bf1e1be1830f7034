// The report for the terminal: headings with a rule, sentences wrapped, tables fitted, and bars made of characters for
// the two breakdowns that one would rather see: each device's span and each step.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/cells.h"
#include "report/facts.h"
#include "report/finding_paragraphs.h"
#include "report/phrases.h"
#include "report/report.h"
#include "table/terminal_style.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What a bar is made of. Told apart without colour.
struct Mark {
  std::string_view block;
  std::string_view color;  // terminal escape
};
constexpr Mark kCompute = {"\u2588", terminal_style::kBlue};          // full block
constexpr Mark kCommunication = {"\u2592", terminal_style::kYellow};  // medium shade
constexpr Mark kCopy = {"\u2591", terminal_style::kGreen};            // light shade
constexpr Mark kRest = {"\u00b7", ""};                                // middle dot
constexpr std::array<Mark, 4> kMarks = {kCompute, kCommunication, kCopy, kRest};

/// Times in the order of kMarks.
using Parts = std::array<int64_t, kMarks.size()>;

class TextReport {
 public:
  explicit TextReport(const TextOptions& options)
      : width_(std::max<size_t>(options.width, 20)), color_(options.color) {}

  /// At most about 40 lines.
  std::string render_overview(const Report& report) {
    constexpr size_t kFindings = 3;
    constexpr size_t kRows = 5;
    heading(report.title, "", "=");
    if (!report.verdict.empty()) out_ += wrap_text(report.verdict, width_);
    // The verdict says what the sentences about devices and steps say.
    for (size_t i = 0; i < report.headline.size(); ++i) {
      if (i == 0 || report.verdict.empty()) out_ += wrap_text(report.headline[i], width_);
    }
    if (const Table* findings = report.find("findings"); findings != nullptr && !findings->empty()) {
      out_ += '\n' + first_findings_as_text(*findings, {.width = width_, .color = color_}, kFindings);
    }
    if (const Section* devices = shown_section(report, "gpu_time")) {
      out_ += '\n';
      heading(devices->title, devices->table.name, "-");
      device_bars(report, devices->table, kRows);
      out_.pop_back();
    }
    if (const Section* steps = shown_section(report, "steps")) {
      Table page = steps->page;
      page.keep_rows([&](RowView row) { return row.index() < kRows; });
      out_ += '\n';
      heading(steps->title, steps->table.name, "-");
      step_bars(page);
      out_.pop_back();
    }
    if (const Section* section = largest_work(report)) {
      Table page = fitted(section->page);
      page.keep_rows([&](RowView row) { return row.index() < kRows; });
      out_ += '\n';
      heading(section->title, section->table.name, "-");
      out_ += render_text(page, {.width = width_, .color = color_, .max_rows = 0, .bare = true});
    }
    out_ += '\n';
    out_ += wrap_text("All of it: cgpu report INPUT. What to do: cgpu diagnose INPUT. The timeline: cgpu view INPUT",
                      width_);
    return std::move(out_);
  }

  std::string render(const Report& report) {
    heading(report.title, "", "=");
    if (!report.verdict.empty()) out_ += wrap_text(report.verdict, width_);
    for (const std::string& line : report.headline) bullet(line);
    for (const Section& section : report.sections) {
      if (!section.page.empty()) add(report, section);
    }
    out_ += '\n';
    out_ += wrap_text(
        "All rows and columns of a table: cgpu table INPUT NAME. As a page with charts: cgpu report INPUT "
        "-o report.html",
        width_);
    return std::move(out_);
  }

 private:
  /// That of a table, if the page shows something of it.
  static const Section* shown_section(const Report& report, std::string_view name) {
    const Section* section = report.section_of(name);
    return section != nullptr && !section->page.empty() ? section : nullptr;
  }

  /// What a run did, by what its profile has of it.
  static const Section* largest_work(const Report& report) {
    for (const char* name : {"kernels", "launch_metrics", "functions", "ops", "api", "ranges", "et_ops", "hot_path"}) {
      if (const Section* section = shown_section(report, name)) return section;
    }
    return nullptr;
  }

  void add(const Report& report, const Section& section) {
    out_ += '\n';
    heading(section.title, section.table.name + (section.cut.empty() ? "" : ": " + section.cut), "-");
    if (!section.summary.empty()) out_ += wrap_text(section.summary, width_);
    if (section.table.name == "findings" && !section.table.empty()) {
      constexpr size_t kFindings = 5;
      out_ += first_findings_as_text(section.table, {.width = width_, .color = color_}, kFindings);
      return;
    }
    if (section.table.name == "notes") return notes(section.page);
    if (section.table.name == "info") return facts(section.page);
    if (section.table.name == "gpu_time") device_bars(report, section.table);
    if (section.table.name == "steps") step_bars(section.page);
    out_ += render_text(fitted(section.page), {.width = width_, .color = color_, .max_rows = 0, .bare = true});
  }

  /// The page's table with what a terminal has room for: kernels under brief names; as many columns as leave
  /// enough of the width to names in the first one; no last column of long texts that would be cut.
  Table fitted(Table page) const {
    if (page.name == "kernels") {
      make_names_brief(page);
    }
    const auto is_text = [](const Column& column) { return column.type == ColumnType::text; };
    if (!is_text(page.columns.front())) {
      if (is_text(page.columns.back()) && total_width(page) > width_) page.erase_column(page.columns.size() - 1);
      return page;
    }
    const size_t wanted = page.name == "kernels" ? width_ / 2 : width_ * 2 / 5;
    const auto is_tight = [&] {
      const size_t names = column_width(page, 0);
      return total_width(page) - names + std::min(names, wanted) > width_;
    };
    while (page.columns.size() > 4 && is_tight()) page.erase_column(least_column(page.columns));
    return page;
  }

  static size_t column_width(const Table& page, size_t column) {
    size_t width = display_width(headings(page.columns)[column]);
    for (const RowView row : page.rows())
      width = std::max(width, display_width(format_cell(row[column], page.columns[column])));
    return width;
  }

  static size_t total_width(const Table& page) {
    size_t width = 2 * (page.columns.size() - 1);
    for (size_t c = 0; c < page.columns.size(); ++c) width += column_width(page, c);
    return width;
  }

  /// "Title ------- remark", in full width.
  void heading(std::string_view title, std::string_view remark, std::string_view rule) {
    std::string head = shorten(printable(title), width_ - 2);
    size_t used = display_width(head) + 1;
    std::string tail = printable(remark);
    if (!tail.empty() && used + 5 + display_width(tail) > width_) tail.clear();
    if (!tail.empty()) used += 1 + display_width(tail);
    out_ += styled(head, terminal_style::kBold) + " ";
    for (; used < width_; ++used) out_ += rule;
    if (!tail.empty()) out_ += " " + styled(tail, terminal_style::kDim);
    out_ += '\n';
  }

  void bullet(std::string_view line) { indented("* ", line); }

  /// The mark, and the text beside it in as many lines as it takes.
  void indented(std::string_view mark, std::string_view text) {
    std::string lines = wrap_text(text, width_ - mark.size());
    lines.pop_back();
    out_ += mark;
    for (const char c : lines) {
      out_ += c;
      if (c == '\n') out_.append(mark.size(), ' ');
    }
    out_ += '\n';
  }

  void notes(const Table& page) {
    for (const RowView row : page.rows()) {
      bullet(fmt::format("{} ({}): {}", text_of(page, row, "code"), format_count(integer_of(page, row, "count")),
                         text_of(page, row, "text")));
    }
  }

  void facts(const Table& page) {
    for (const RowView row : page.rows()) {
      indented(fmt::format("{:<14}", text_of(page, row, "fact")), text_of(page, row, "value"));
    }
  }

  void device_bars(const Report& report, const Table& table, size_t most = 16) {
    size_t drawn = 0;
    for (const RowView row : table.rows()) {
      const int64_t span = integer_of(table, row, "span_ns");
      if (span == 0 || drawn == most) continue;
      ++drawn;
      const std::string label = table.row_count() == 1 ? ""
                                                       : fmt::format("{:>4}.{:<3}", integer_of(table, row, "rank"),
                                                                     integer_of(table, row, "device"));
      bar(label,
          {integer_of(table, row, "compute_ns"), integer_of(table, row, "exposed_comm_ns"),
           integer_of(table, row, "exposed_memory_ns"), integer_of(table, row, "idle_ns")},
          span);
    }
    if (drawn > 0) {
      legend({sum_of(table, "compute_ns") > 0 ? "compute" : "",
              sum_of(table, "exposed_comm_ns") > 0 ? "exposed communication" : "",
              sum_of(table, "exposed_memory_ns") > 0 ? "exposed copies" : "",
              sum_of(table, "idle_ns") > 0 ? report.idle_word() : ""},
             table.row_count() > 1 ? "rank.device" : "");
    }
  }

  /// The parts of the steps by where they were spent: on the device, or, where none was used, on the host.
  void step_bars(const Table& page) {
    struct Kind {
      std::vector<std::string_view> columns;
      std::string_view name;
    };
    using Kinds = std::array<Kind, kMarks.size()>;
    static const Kinds on_device = {{{{"kernel_ns"}, "kernel"},
                                     {{"communication_ns"}, "communication"},
                                     {{"memcpy_ns", "memset_ns"}, "memcpy, memset"},
                                     {{"runtime_ns", "dataloader_ns", "cpu_ns", "other_ns"}, "host only"}}};
    static const Kinds on_host = {
        {{{"cpu_ns"}, "cpu"}, {{"dataloader_ns"}, "dataloader"}, {{"runtime_ns"}, "runtime"}, {{"other_ns"}, "other"}}};
    // The page leaves out the columns that are 0 in every row.
    const auto sum = [&](RowView row, const Kind& kind) {
      int64_t time = 0;
      for (const Column& column : page.columns) {
        const bool counts = std::find(kind.columns.begin(), kind.columns.end(), column.name) != kind.columns.end();
        if (counts) time += integer_of(page, row, column.name);
      }
      return time;
    };
    const auto occurs = [&](const Kind& kind) {
      const Table::Rows rows = page.rows();
      return std::any_of(rows.begin(), rows.end(), [&](RowView row) { return sum(row, kind) > 0; });
    };
    const Kinds& kinds = std::any_of(on_device.begin(), on_device.end() - 1, occurs) ? on_device : on_host;
    int64_t longest = 0;
    for (const RowView row : page.rows()) longest = std::max(longest, integer_of(page, row, "duration_ns"));
    if (longest == 0) return;

    const bool ranks = page.columns[0].name == "rank";
    std::array<std::string_view, kMarks.size()> names;
    for (size_t i = 0; i < kinds.size(); ++i) names[i] = occurs(kinds[i]) ? kinds[i].name : "";
    for (const RowView row : page.rows()) {
      Parts parts;
      for (size_t i = 0; i < kinds.size(); ++i) parts[i] = sum(row, kinds[i]);
      const std::string rank = ranks ? std::to_string(integer_of(page, row, "rank")) + "." : "";
      bar(fmt::format("{:>8} ", rank + std::to_string(integer_of(page, row, "step"))), parts, longest);
    }
    legend(names, ranks ? "rank.step" : "step");
  }

  /// A stacked bar in the width that is left beside the label; `whole` would fill it. The ends of the parts are
  /// rounded, not their lengths, so that rounding does not add up.
  void bar(const std::string& label, const Parts& parts, int64_t whole) {
    const size_t room = width_ > label.size() + 2 ? width_ - label.size() - 2 : 0;
    out_ += label;
    int64_t sum = 0;
    size_t drawn = 0;
    for (size_t i = 0; i < kMarks.size(); ++i) {
      sum += parts[i];
      const double share = std::clamp(static_cast<double>(sum) / static_cast<double>(whole), 0.0, 1.0);
      const auto end = static_cast<size_t>(share * static_cast<double>(room) + 0.5);
      std::string blocks;
      for (; drawn < end; ++drawn) blocks += kMarks[i].block;
      if (!blocks.empty()) out_ += styled(blocks, kMarks[i].color);
    }
    out_ += '\n';
  }

  /// What the marks stand for; "" for one that is not drawn.
  void legend(const std::array<std::string_view, kMarks.size()>& names, std::string_view label) {
    std::string line;
    size_t used = 0;
    const auto item = [&](std::string_view text, size_t columns) {
      if (used > 0 && used + 3 + columns > width_) {
        line += '\n';
        used = 0;
      }
      if (used > 0) {
        line += "   ";
        used += 3;
      }
      line += text;
      used += columns;
    };
    if (!label.empty()) item(label, label.size());
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) continue;
      const std::string name = shorten(names[i], width_ - 2);
      item(styled(kMarks[i].block, kMarks[i].color) + " " + name, name.size() + 2);
    }
    out_ += line + "\n\n";
  }

  std::string styled(std::string_view text, std::string_view style) const {
    return terminal_style::styled(text, color_ ? style : "");
  }

  size_t width_;
  bool color_;
  std::string out_;
};

}  // namespace

std::string render_overview_text(const Report& report, const TextOptions& options) {
  return TextReport(options).render_overview(report);
}

std::string render_report_text(const Report& report, const TextOptions& options) {
  return TextReport(options).render(report);
}

}  // namespace cgpu
