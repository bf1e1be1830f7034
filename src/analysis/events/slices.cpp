#include "analysis/events/slices.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "analysis/common/columns.h"
#include "analysis/common/nesting.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "table/json.h"

namespace cgpu {

namespace {

/// The columns, in this order.
enum SliceColumn : size_t {
  kRank,
  kStart,
  kDuration,
  kName,
  kCategory,
  kKind,
  kProcess,
  kThread,
  kDepth,
  kCorrelation,
  kDevice,
  kStream,
  kRemark,
  kArguments  // only where they are asked for
};

/// Number of host slices around each slice.
std::vector<int64_t> depths(const Slices& slices) {
  std::vector<int64_t> depth(slices.size(), 0);
  for_each_outside_in(slices, [&](SliceIndex slice) {
    const SliceIndex parent = slices.parent[slice];
    if (parent != kNone) depth[slice] = depth[parent] + 1;
  });
  return depth;
}

std::string json_object(const std::vector<Argument>& arguments) {
  std::string out = "{";
  for (const Argument& argument : arguments) {
    if (out.size() > 1) out += ", ";
    append_json_string(out, argument.key);
    out += ": ";
    if (argument.json) {
      out += argument.value;
    } else {
      append_json_string(out, argument.value);
    }
  }
  return out + "}";
}

/// Without text where nothing is doubtful.
std::string_view remark(size_t flags) {
  if ((flags & kImplausibleDuration) != 0) return "implausible duration, in no total";
  if ((flags & kNeverEnded) != 0) return "end not recorded: lasts until the end of the profile";
  if ((flags & kClipped) != 0) return "cut at the border of the window";
  return {};
}

/// The texts of a column in one run: many slices share one, so that a text has a number. A text without data is absent.
struct Texts {
  size_t count;
  std::function<std::string_view(size_t)> text;
  std::function<size_t(SliceIndex)> of;
};

/// The cells of one run's slices.
class RunCells {
 public:
  RunCells(const Run& run, int64_t zero)
      : run_(run), zero_(zero), depth_(depths(run.timeline.slices)), op_of_(run.timeline.slices.size(), kNone) {
    const DeviceOps& ops = run.timeline.device_ops;
    for (uint32_t op = 0; op < ops.size(); ++op) op_of_[ops.slice[op]] = op;
  }

  size_t size() const { return run_.timeline.slices.size(); }
  int64_t start(SliceIndex slice) const { return run_.timeline.slices.start[slice]; }
  uint64_t source(SliceIndex slice) const { return run_.timeline.slices.source[slice]; }

  Cell cell_of(size_t column, SliceIndex slice) const {
    if (column == kArguments) {
      return run_.arguments ? Cell(json_object(run_.arguments->arguments(source(slice)))) : Cell();
    }
    if (!is_text(column)) return cell(number(column, slice));
    const Texts all = texts(column);
    const std::string_view text = all.text(all.of(slice));
    return text.data() == nullptr ? Cell() : cell(text);
  }

  static bool is_text(size_t column) {
    return column == kName || column == kCategory || column == kKind || column == kProcess || column == kThread ||
           column == kRemark;
  }

  /// Of a column of numbers.
  std::optional<int64_t> number(size_t column, SliceIndex slice) const {
    const Timeline& timeline = run_.timeline;
    const uint32_t op = op_of_[slice];
    switch (column) {
      case kRank:
        return run_.rank;
      case kStart:
        return timeline.slices.start[slice] - zero_;
      case kDuration:
        return timeline.slices.duration[slice];
      case kDepth:
        return is_host(timeline.kind(slice)) ? std::optional(depth_[slice]) : std::nullopt;
      case kCorrelation:
        return timeline.slices.correlation[slice] == kNoCorrelation ? std::nullopt
                                                                    : std::optional(timeline.slices.correlation[slice]);
      case kDevice:
        return op == kNone ? std::nullopt : std::optional(int64_t{timeline.device_ops.device[op]});
      default:
        return op == kNone ? std::nullopt : std::optional(timeline.device_ops.stream[op]);
    }
  }

  /// Of a column of text.
  Texts texts(size_t column) const {
    const Timeline& timeline = run_.timeline;
    const Slices& slices = timeline.slices;
    const auto track = [&slices](SliceIndex slice) { return slices.track[slice]; };
    switch (column) {
      case kName:
        return {timeline.names.size(), [&](size_t id) { return timeline.names[static_cast<StringId>(id)]; },
                [&](SliceIndex slice) { return slices.name[slice]; }};
      case kCategory:
        return {timeline.categories.size(), [&](size_t id) { return std::string_view(timeline.categories[id].name); },
                [&](SliceIndex slice) { return slices.category[slice]; }};
      case kKind:
        return {static_cast<size_t>(SliceKind::other) + 1,
                [](size_t kind) { return std::string_view(text_of(static_cast<SliceKind>(kind))); },
                [&](SliceIndex slice) { return static_cast<size_t>(timeline.kind(slice)); }};
      case kProcess:
        return {timeline.tracks.size(), [&](size_t id) { return std::string_view(timeline.tracks[id].process); },
                track};
      case kThread:
        return {timeline.tracks.size(), [&](size_t id) { return std::string_view(timeline.tracks[id].thread); }, track};
      default:
        return {size_t{UINT8_MAX} + 1, remark, [&](SliceIndex slice) { return slices.flags[slice]; }};
    }
  }

 private:
  const Run& run_;
  int64_t zero_;
  std::vector<int64_t> depth_;
  std::vector<uint32_t> op_of_;
};

/// For a column of text: by run, then by number of the text, its place in the order of all texts, -1 for absent ones.
std::vector<std::vector<int64_t>> places(const std::vector<RunCells>& runs, size_t column) {
  std::vector<std::string_view> all;
  for (const RunCells& run : runs) {
    const Texts texts = run.texts(column);
    for (size_t i = 0; i < texts.count; ++i) all.push_back(texts.text(i));
  }
  std::sort(all.begin(), all.end());
  std::vector<std::vector<int64_t>> places;
  for (const RunCells& run : runs) {
    const Texts texts = run.texts(column);
    places.emplace_back();
    for (size_t i = 0; i < texts.count; ++i) {
      const std::string_view text = texts.text(i);
      const auto at = std::lower_bound(all.begin(), all.end(), text);
      places.back().push_back(text.data() == nullptr ? -1 : at - all.begin());
    }
  }
  return places;
}

/// A slice and what its row is ordered by.
struct Candidate {
  bool absent = false;
  int64_t key = 0;
  uint32_t run = 0;
  int64_t start = 0;
  SliceIndex slice = 0;

  bool operator<(const Candidate& other) const {
    return std::tie(absent, key, run, start, slice) <
           std::tie(other.absent, other.key, other.run, other.start, other.slice);
  }
};

/// The first n of all that are added; of n = 0 all. Amortised O(1) for one that is added, O(n) memory.
class FirstRows {
 public:
  explicit FirstRows(size_t n) : n_(n) {}
  void add(const Candidate& candidate) {
    if (is_full_ && !(candidate < last_)) return;
    rows_.push_back(candidate);
    if (n_ > 0 && rows_.size() == 2 * n_) cut();
  }
  std::vector<Candidate> in_order() && {
    if (!std::is_sorted(rows_.begin(), rows_.end())) std::sort(rows_.begin(), rows_.end());
    if (n_ > 0) rows_.resize(std::min(n_, rows_.size()));
    return std::move(rows_);
  }

 private:
  void cut() {
    std::nth_element(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(n_) - 1, rows_.end());
    rows_.resize(n_);
    last_ = rows_.back();
    is_full_ = true;
  }
  size_t n_;
  std::vector<Candidate> rows_;
  Candidate last_;
  bool is_full_ = false;
};

/// What rows are ordered by: as sort_rows, without the rows.
class RowOrder {
 public:
  RowOrder(const std::vector<RunCells>& runs, const Table& table, const std::string& sort) : runs_(runs) {
    if (sort.empty()) return;
    const Sort wanted = parse_sort(table, sort);
    column_ = wanted.column;
    descending_ = wanted.descending;
    if (RunCells::is_text(*column_)) places_ = places(runs, *column_);
    for (const RunCells& run : runs) {
      if (!places_.empty()) texts_.push_back(run.texts(*column_));
    }
  }

  Candidate candidate(uint32_t run, SliceIndex slice) const {
    Candidate made{false, 0, run, runs_[run].start(slice), slice};
    if (!column_) return made;
    const std::optional<int64_t> key =
        places_.empty() ? runs_[run].number(*column_, slice) : std::optional(places_[run][texts_[run].of(slice)]);
    made.absent = !key || (!places_.empty() && *key < 0);
    if (!made.absent) made.key = descending_ ? ~*key : *key;
    return made;
  }

 private:
  const std::vector<RunCells>& runs_;
  std::optional<size_t> column_;
  bool descending_ = false;
  std::vector<std::vector<int64_t>> places_;
  std::vector<Texts> texts_;
};

std::vector<Candidate> choose(const std::vector<RunCells>& runs, const Table& table, const RowChoice& choice) {
  const Filter::Check check = choice.where.check(table);
  const RowOrder order(runs, table, choice.sort);
  FirstRows first(choice.top);
  Row row(table.columns.size());
  for (uint32_t run = 0; run < runs.size(); ++run) {
    for (SliceIndex slice = 0; slice < runs[run].size(); ++slice) {
      for (const size_t column : check.columns) row[column] = runs[run].cell_of(column, slice);
      if (check.is_met(row)) first.add(order.candidate(run, slice));
    }
  }
  return std::move(first).in_order();
}

/// The arguments of each, read in the order of the files, which is the cheap one.
std::vector<Cell> arguments_of(const std::vector<RunCells>& runs, const std::vector<Candidate>& chosen) {
  std::vector<size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto place = [&](size_t row) {
    return std::pair(chosen[row].run, runs[chosen[row].run].source(chosen[row].slice));
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  std::vector<Cell> cells(chosen.size());
  for (const size_t row : order) cells[row] = runs[chosen[row].run].cell_of(kArguments, chosen[row].slice);
  return cells;
}

}  // namespace

Table some_slices(const Session& session, const AnalysisOptions& options, const RowChoice& choice) {
  Table table{
      "slices",
      "every event with a duration, in order of its start",
      {rank_column(), time_column("start_ns", "from the start of the profile"), time_column("duration_ns", "length"),
       text_column("name", "full name"), text_column("category", "category, as the profile says"),
       text_column("kind", "what it is, whichever profiler wrote it"),
       text_column("process", "process, as the profile says"),
       text_column("thread", "thread or stream, as the profile says"),
       number_column("depth", "number of host events around it; absent off the host"),
       number_column("correlation", "number that a launch and its device ops share; absent where not recorded"),
       number_column("device", "device it ran on; absent unless it is a device op"),
       number_column("stream", "stream it ran on; absent unless it is a device op"),
       text_column("remark", "what is doubtful about it")}};
  if (options.arguments) table.columns.push_back(text_column("args", "arguments of the event, a JSON object"));
  if (!choice.sort.empty() && parse_sort(table, choice.sort).column == kArguments) {
    table = some_slices(session, options, {choice.where, "", 0});  // an order that only the rows themselves have
    sort_rows(table, choice.sort);
    take_top(table, choice.top);
    return table;
  }

  const std::vector<int64_t> zeros = time_zeros(session);
  std::vector<RunCells> runs;
  for (size_t run = 0; run < session.runs.size(); ++run) runs.emplace_back(session.runs[run], zeros[run]);
  const std::vector<Candidate> chosen = choose(runs, table, choice);
  std::vector<Cell> arguments;
  if (options.arguments) arguments = arguments_of(runs, chosen);
  for (size_t i = 0; i < chosen.size(); ++i) {
    Row row;
    for (size_t column = 0; column < kArguments; ++column) {
      row.push_back(runs[chosen[i].run].cell_of(column, chosen[i].slice));
    }
    if (options.arguments) row.push_back(std::move(arguments[i]));
    table.append(std::move(row));
  }
  return table;
}

Table slices_table(const Session& session, const AnalysisOptions& options) {
  return some_slices(session, options, {});
}

}  // namespace cgpu
