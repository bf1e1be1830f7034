// What `ncu` prints without --csv: a line a launch, below it tables of metrics by section and findings of rules.
//
//   [7918] a.out@127.0.0.1
//     f(int) (32, 32, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
//       Section: Occupancy
//       ------------------- ----------- ------------
//       Metric Name         Metric Unit Metric Value
//       ------------------- ----------- ------------
//       Achieved Occupancy            %        16.27
//       ------------------- ----------- ------------
//
//       OPT   Est. Speedup: 12.5%
//             More blocks would help.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/rule_lines.h"
#include "readers/common/input.h"
#include "readers/common/line_reader.h"
#include "readers/ncu/figures.h"
#include "readers/ncu/ncu.h"
#include "readers/ncu/printed.h"

namespace cgpu::ncu {

namespace {

constexpr std::string_view kSectionLine = "Section: ";
constexpr std::string_view kContextMark = ", Context ";
constexpr std::string_view kInvocations = ", Invocations ";

/// A line of dashes, which shows where the columns are.
bool is_rule_line(std::string_view text) {
  return text.starts_with("-----") && text.find_first_not_of("- ") == std::string_view::npos;
}

/// What follows `key` up to the next comma; "" where there is none.
std::string_view fact(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text = text.substr(at + key.size());
  return trim(text.substr(0, text.find(',')));
}

class TextReader {
 public:
  TextReader(TextSource& source, const std::string& path)
      : source_(source), lines_(source), path_(path), run_(new_run(path, "ncu-text")) {
    run_.format_version = "details page";
    run_.launch_metrics.emplace();
  }

  Run read() {
    for (std::string_view line; lines_.next(line);) read_line(line);
    end_finding();
    add_source(source_, run_, "damaged_input");
    std::vector<ProfiledLaunch>& launches = run_.launch_metrics->launches;
    if (launches.empty()) throw Error(path_, "is a log of Nsight Compute in which no kernel was measured");
    for (ProfiledLaunch& launch : launches) fill_figures(run_.launch_metrics->names, launch);
    check_figures(run_);
    run_.notes.add("averaged_launches", summaries_,
                   "kernels are shown as the average over their invocations, which is all that the text has");
    return std::move(run_);
  }

 private:
  ProfiledLaunch* launch() {
    std::vector<ProfiledLaunch>& all = run_.launch_metrics->launches;
    return all.empty() ? nullptr : &all.back();
  }

  void read_line(std::string_view line) {
    const std::string_view text = trim(line);
    const bool indented = line.starts_with("  ");
    if (text.empty()) return end_finding();
    if (text.starts_with("==") || !indented) return;  // of the tool, or of the program
    if (text.starts_with(kSectionLine)) {
      end_finding();
      section_ = valid_utf8(text.substr(kSectionLine.size()));
      columns_.clear();
    } else if (is_rule_line(text)) {
      end_finding();
      read_columns(line);
    } else if (begin_launch(text) || launch() == nullptr || begin_finding(text)) {
      return;
    } else if (finding_) {
      finding_->message += (finding_->message.empty() ? "" : " ") + valid_utf8(text);
    } else if (!columns_.empty()) {
      read_row(line);
    }
  }

  /// "f(int) (32, 32, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 8.6"; of a summary, "..., Invocations 10".
  bool begin_launch(std::string_view text) {
    size_t at = text.rfind(kContextMark);
    const bool summary = at == std::string_view::npos;
    if (summary) at = text.rfind(kInvocations);
    if (at == std::string_view::npos || at == 0) return false;
    const std::string_view facts = text.substr(at);
    if (!printed_integer(fact(facts, summary ? kInvocations : kContextMark))) return false;
    end_finding();
    section_.clear();
    columns_.clear();
    summaries_ += summary ? 1 : 0;
    ProfiledLaunch& made = run_.launch_metrics->launches.emplace_back();
    made.id = static_cast<int64_t>(run_.launch_metrics->launches.size()) - 1;
    std::string_view name = text.substr(0, at);
    if (const size_t block = name.rfind(")x("); block != std::string_view::npos && name.ends_with(')')) {
      const size_t grid = name.rfind(" (", block);
      if (grid != std::string_view::npos) {
        made.grid = printed_extent(name.substr(grid, block + 1 - grid));
        made.block = printed_extent(name.substr(block + 2));
        name = name.substr(0, grid);
      }
    }
    made.kernel = valid_utf8(without_date(name));
    const auto device = printed_integer(fact(facts, ", Device "));
    if (device && std::in_range<int32_t>(*device)) made.device = static_cast<int32_t>(*device);
    made.stream = printed_integer(fact(facts, ", Stream "));
    add_device(run_, made, fact(facts, ", CC "));
    return true;
  }

  /// Earlier versions print when the kernel ran: "f(int), 2020-Mar-05 11:05:23".
  static std::string_view without_date(std::string_view name) {
    constexpr std::string_view kDate = ", 2020-Mar-05 11:05:23";
    if (name.size() <= kDate.size()) return name;
    const std::string_view end = name.substr(name.size() - kDate.size());
    for (size_t i = 0; i < kDate.size(); ++i) {
      const bool letter = i > 6 && i < 10;
      if (is_digit(kDate[i]) ? !is_digit(end[i]) : !letter && end[i] != kDate[i]) return name;
    }
    return name.substr(0, name.size() - kDate.size());
  }

  void read_columns(std::string_view line) {
    columns_.clear();
    for (size_t at = line.find('-'); at != std::string_view::npos; at = line.find('-', at)) {
      const size_t end = std::min(line.find_first_not_of('-', at), line.size());
      columns_.emplace_back(at, end);
      at = end;
    }
  }

  /// Texts are at the left of their column and numbers at the right; the last column may be wider than its dashes.
  std::string_view cell(std::string_view line, size_t column) const {
    const auto [begin, end] = columns_[column];
    if (begin >= line.size()) return {};
    return trim(column + 1 == columns_.size() ? line.substr(begin) : line.substr(begin, end - begin));
  }

  /// Label, unit and value; of a summary minimum, maximum and average; the average is taken.
  void read_row(std::string_view line) {
    if (columns_.size() < 3) return;
    const std::string_view label = cell(line, 0);
    if (label.empty() || label == "Metric Name") return;
    add_metric(run_, *launch(), section_, std::string(label), cell(line, 1), cell(line, columns_.size() - 1));
  }

  bool begin_finding(std::string_view text) {
    constexpr std::array<std::string_view, 4> kTypes{"OPT ", "WRN ", "ERR ", "INF "};
    const bool found =
        std::any_of(kTypes.begin(), kTypes.end(), [&](std::string_view t) { return text.starts_with(t); });
    if (!found) return false;
    end_finding();
    finding_.emplace();
    finding_->rule = finding_->section = section_;
    finding_->severity = severity_of(text.substr(0, 3));
    finding_->message = valid_utf8(trim(text.substr(4)));
    return true;
  }

  void end_finding() {
    if (!finding_) return;
    for (const auto& [begin, scope] :
         {std::pair("Est. Speedup: ", "kernel"), std::pair("Est. Local Speedup: ", "unit")}) {
      std::string& message = finding_->message;
      const size_t percent = message.find('%');
      if (!message.starts_with(begin) || percent == std::string::npos) continue;
      const std::string_view digits = std::string_view(message).substr(std::string_view(begin).size());
      finding_->speedup_pct = printed_number(digits.substr(0, digits.find('%')), 0);
      if (finding_->speedup_pct) finding_->speedup_scope = scope;
      message = trim(std::string_view(message).substr(percent + 1));
    }
    launch()->rules.push_back(std::move(*finding_));
    finding_.reset();
  }

  TextSource& source_;
  LineReader lines_;
  const std::string& path_;
  Run run_;
  std::string section_;
  std::vector<std::pair<size_t, size_t>> columns_;  // of the table, begin and end in a line
  std::optional<RuleResult> finding_;
  int64_t summaries_ = 0;
};

}  // namespace

bool is_text(std::string_view head) {
  bool log = false;
  bool section = false;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    log = log || line.starts_with("==PROF== ");
    if (section && is_rule_line(trim(line))) return true;
    section = line.starts_with("  ") && trim(line).starts_with(kSectionLine);
  }
  return log;
}

Run read_text(TextSource& source, const std::string& path) {
  return TextReader(source, path).read();
}

}  // namespace cgpu::ncu
