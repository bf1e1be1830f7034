// Tables `launch_instructions`, `launch_lines` and `instruction_counts`: what a kernel profiler counted at the machine
// instructions of each launch, at the lines that they come from, and every metric of that kind. O(log instructions) a
// count.
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/measured_launches/instruction_figures.h"
#include "analysis/measured_launches/launch_columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

template <typename Use>
void each_launch(const SessionFacts& facts, const Use& use) {
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      if (!launch.instruction_counts.empty()) use(run, launch);
    }
  }
}

Column offset_column() {
  return number_column("offset", "of the instruction: bytes from the start of the kernel");
}

std::vector<Column> with_figures(std::vector<Column> columns) {
  for (Column& column : figure_columns()) columns.push_back(std::move(column));
  return columns;
}

/// A line; absent where it is not known.
Cell line(uint32_t number) {
  return number == 0 ? Cell() : Cell(int64_t{number});
}

Table launch_instructions_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  each_launch(facts, [&](const Run& run, const ProfiledLaunch& launch) {
    const StringPool& names = run.launch_metrics->names;
    const DeviceInstruction unknown;
    for (const MeasuredInstruction& each : measured_instructions(*run.launch_metrics, launch)) {
      const DeviceInstruction& code = each.instruction != nullptr ? *each.instruction : unknown;
      std::vector<Cell> row = {run.rank,
                               launch.id,
                               each.offset,
                               text_cell(names, code.operation),
                               text_cell(names, code.file),
                               line(code.line),
                               line(code.ptx_line)};
      append_figures(each.figures, row);
      table.append(row);
    }
  });
  return table;
}

class LineRows {
 public:
  LineRows(const Run& run, const ProfiledLaunch& launch, Table& table)
      : run_(run), measured_(*run.launch_metrics), launch_(launch), table_(table) {
    for (const MeasuredInstruction& each : measured_instructions(measured_, launch)) {
      const auto* code = each.instruction;
      const std::string_view file = code != nullptr ? measured_.names[code->file] : std::string_view();
      const uint32_t number = code != nullptr ? code->line : 0;
      const uint32_t ptx_line = code != nullptr ? code->ptx_line : 0;
      has_source_ = has_source_ || number != 0;
      has_ptx_ = has_ptx_ || ptx_line != 0;
      source_[{file, number}].add(each.figures);
      ptx_[ptx_line].add(each.figures);
    }
  }

  void source() {
    if (!has_source_) return;
    for (const auto& [place, figures] : source_) {
      append("source", place.first.empty() ? Cell() : cell(place.first), place.second, {}, figures);
    }
  }
  void ptx() {
    if (!has_ptx_) return;
    const size_t number = measured_.codes[launch_.code - 1].ptx;
    const std::span<const std::string> lines = number == 0 ? std::span<const std::string>() : measured_.ptx[number - 1];
    for (uint32_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) ptx_.try_emplace(i + 1);
    }
    for (const auto& [at, figures] : ptx_) {
      append("ptx", {}, at, at > 0 && at <= lines.size() ? cell(lines[at - 1]) : Cell(), figures);
    }
  }

 private:
  void append(std::string_view kind, const Cell& file, uint32_t number, const Cell& content,
              const InstructionFigures& figures) {
    std::vector<Cell> row = {
        run_.rank, launch_.id, cell(kind), file, line(number), content, static_cast<int64_t>(figures.instructions)};
    append_figures(figures, row);
    table_.append(row);
  }

  const Run& run_;
  const LaunchMetrics& measured_;
  const ProfiledLaunch& launch_;
  Table& table_;
  bool has_source_ = false;
  bool has_ptx_ = false;
  std::map<std::pair<std::string_view, uint32_t>, InstructionFigures> source_;
  std::map<uint32_t, InstructionFigures> ptx_;
};

Table launch_lines_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  each_launch(facts, [&](const Run& run, const ProfiledLaunch& launch) {
    LineRows rows(run, launch, table);
    rows.source();
    rows.ptx();
  });
  return table;
}

Table instruction_counts_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  each_launch(facts, [&](const Run& run, const ProfiledLaunch& launch) {
    const LaunchMetrics& measured = *run.launch_metrics;
    const uint64_t start = measured.codes[launch.code - 1].address;
    for (const InstructionCount& count : launch.instruction_counts) {
      table.append({run.rank, launch.id, static_cast<int64_t>(count.address - start),
                    cell(measured.names[count.metric]), static_cast<int64_t>(count.value)});
    }
  });
  return table;
}

bool has_counts(const ProfileCounts& counts) {
  return counts.instruction_counts > 0;
}
constexpr std::string_view kNeedsCounts = "counts at instructions";

}  // namespace

Analysis launch_instructions_analysis() {
  return {
      .name = "launch_instructions",
      .about = "machine instructions of measured launches, with what was sampled and executed there",
      .subject = Subject::launches,
      .columns = with_figures(
          {rank_column(), launch_column(), offset_column(),
           key_column("operation", "its guard and name (SASS), without operands; absent where unknown"),
           text_column("file", "the source that it was compiled from; absent where the profile does not say"),
           number_column("line", "of that file"), number_column("ptx_line", "of the PTX that it was assembled from")}),
      .applies = has_counts,
      .needs = std::string(kNeedsCounts),
      .whole = launch_instructions_table};
}

Analysis launch_lines_analysis() {
  return {
      .name = "launch_lines",
      .about = "lines of the source and of the PTX of measured launches, with what was sampled and executed there",
      .subject = Subject::launches,
      .columns = with_figures({rank_column(), launch_column(), key_column("kind", "source or ptx"),
                               key_column("file", "of the source; absent for PTX, and for instructions without a line"),
                               number_column("line", "from 1; absent for what has none"),
                               text_column("text", "of the line, where the profile has it"),
                               count_column("instructions", "machine instructions that come from the line")}),
      .applies = has_counts,
      .needs = std::string(kNeedsCounts),
      .whole = launch_lines_table};
}

Analysis instruction_counts_analysis() {
  return {.name = "instruction_counts",
          .about = "every metric that was counted at single instructions of measured launches; 0 is left out",
          .subject = Subject::launches,
          .columns = {rank_column(), launch_column(), offset_column(), key_column("metric", "name of the metric"),
                      main_column(count_column("value", "what was counted there"))},
          .applies = has_counts,
          .needs = std::string(kNeedsCounts),
          .whole = instruction_counts_table};
}

}  // namespace cgpu
