#include "analysis/steps/step_marks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/common/name_rules.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

enum class MarkKind : uint8_t { none, profiler, counted, engine };

/// What the name of a range says of it.
struct MarkName {
  MarkKind kind = MarkKind::none;
  uint8_t rank = 0;    // of counted ones: which to prefer, the lowest
  int64_t number = 0;  // of counted and the profiler's
  std::string family;  // what names of the same series have in common
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string with_n_for_numbers(std::string_view text) {
  std::string folded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) {
      folded += text[i];
    } else if (i == 0 || !is_digit(text[i - 1])) {
      folded += 'N';
    }
  }
  return folded;
}

/// What a range counts: the lower, the rather it counts iterations.
std::optional<uint8_t> rank_of_counter(std::string_view label) {
  constexpr std::array<std::string_view, 3> counters{"step", "batch", "epoch"};
  const auto* const counter = std::find(counters.begin(), counters.end(), label);
  if (counter == counters.end()) return std::nullopt;
  return static_cast<uint8_t>(counter - counters.begin());
}

MarkName mark_name_of(std::string_view name) {
  const auto number_at = [&](size_t first) -> std::optional<std::pair<int64_t, size_t>> {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + first, name.data() + name.size(), number);
    if (error != std::errc()) return std::nullopt;
    return std::pair(number, static_cast<size_t>(end - name.data()));
  };
  if (name.starts_with(kStepMark)) {
    const auto number = number_at(kStepMark.size());
    const bool whole = number && number->second == name.size();
    return whole ? MarkName{MarkKind::profiler, 0, number->first, ""} : MarkName{};
  }
  if (const std::string_view engine = label_of(NameList::engine_step, name); !engine.empty()) {
    return {MarkKind::engine, 0, 0, std::string(engine)};
  }
  const auto digit = std::find_if(name.begin(), name.end(), is_digit);
  if (digit == name.end()) return {};
  const auto first = static_cast<size_t>(digit - name.begin());
  const auto rank = rank_of_counter(label_of(NameList::counted_step, name));
  const auto number = number_at(first);
  if (!rank || !number) return {};
  return {MarkKind::counted, *rank, number->first, with_n_for_numbers(name)};
}

void sort_by_start(std::vector<StepMark>& marks) {
  std::ranges::stable_sort(marks, [](const StepMark& a, const StepMark& b) { return a.time.begin < b.time.begin; });
}

/// A series of marks on one thread.
struct Series {
  MarkKind kind = MarkKind::none;
  uint8_t rank = 0;
  std::vector<StepMark> marks;

  int64_t length() const {
    int64_t sum = 0;
    for (const StepMark& mark : marks) sum += mark.time.end - mark.time.begin;
    return sum;
  }
  /// One after another, and counted upwards.
  bool is_series() const {
    for (size_t i = 1; i < marks.size(); ++i) {
      if (marks[i].time.begin < marks[i - 1].time.end) return false;
      if (kind == MarkKind::counted && marks[i].step <= marks[i - 1].step) return false;
    }
    return kind == MarkKind::engine || marks.size() > 1;
  }
};

}  // namespace

std::vector<StepMark> find_step_marks(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<std::optional<MarkName>> names(timeline.names.size());
  std::vector<StepMark> of_profiler;
  std::map<std::pair<TrackIndex, std::string>, Series> found;
  const SliceKinds kinds = timeline.kinds();
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (kinds[slice] != SliceKind::annotation || !is_plausible(timeline, slice)) continue;
    std::optional<MarkName>& name = names[slices.name[slice]];
    if (!name) name = mark_name_of(timeline.name(slice));
    if (name->kind == MarkKind::none) continue;
    const StepMark mark{name->number, {slices.start[slice], slices.end(slice)}, slice};
    if (name->kind == MarkKind::profiler) {
      of_profiler.push_back(mark);
      continue;
    }
    Series& series = found[{slices.track[slice], name->family}];
    series.kind = name->kind;
    series.rank = name->rank;
    series.marks.push_back(mark);
  }
  if (!of_profiler.empty()) {
    sort_by_start(of_profiler);
    return of_profiler;
  }
  Series* best = nullptr;
  // Counted ones before those of an engine; steps before batches before epochs; the outermost.
  const auto place = [](const Series& series) {
    return std::tuple(series.kind != MarkKind::counted, series.rank, -series.length());
  };
  for (auto& [key, series] : found) {
    sort_by_start(series.marks);
    if (series.is_series() && (best == nullptr || place(series) < place(*best))) best = &series;
  }
  if (best == nullptr) return {};
  if (best->kind == MarkKind::engine) {
    for (size_t i = 0; i < best->marks.size(); ++i) best->marks[i].step = static_cast<int64_t>(i);
  }
  return std::move(best->marks);
}

}  // namespace cgpu
