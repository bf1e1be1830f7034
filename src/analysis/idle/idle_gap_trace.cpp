// Table `idle_gaps`: the gaps of the devices one by one, with whom they are due to. O(n log n) in the slices, O(n)
// where they come sorted; 72 bytes a row.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/events/event_trace.h"
#include "analysis/idle/culprit_names.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// A part of a gap with one cause, with the culprit of most of it.
struct GapPart {
  Interval time;
  Interval gap;
  int64_t culprit_ns = 0;
  SliceIndex before = kNone;
  SliceIndex after = kNone;
  SliceIndex culprit = kNone;  // the first; in the timeline that is shown, kNone also where it lies outside of it
  int32_t culprit_name = 0;    // code
  int32_t device = 0;
  IdleCause cause = IdleCause::unknown;
};

/// Which culprit has most of the time that is added.
class MostToBlame {
 public:
  struct Blamed {
    int64_t total_ns = 0;
    SliceIndex first = kNone;
  };

  void add(StringId name, const IdlePart& part) {
    Blamed& blamed = entry(by_name_, name);
    if (blamed.total_ns == 0) {
      names_.push_back(name);
      blamed.first = part.culprit;
    }
    blamed.total_ns += part.time.end - part.time.begin;
  }
  /// Its name and time; of equal ones the one that came first. Begins anew.
  std::pair<StringId, Blamed> take() {
    const StringId most = *std::max_element(names_.begin(), names_.end(), [&](StringId a, StringId b) {
      return by_name_[a].total_ns < by_name_[b].total_ns;
    });
    const std::pair taken(most, by_name_[most]);
    for (const StringId name : names_) by_name_[name] = {};
    names_.clear();
    return taken;
  }

 private:
  std::vector<Blamed> by_name_;
  std::vector<StringId> names_;  // that have a time, in the order in which they came
};

class IdleGapTrace final : public EventTrace {
 public:
  explicit IdleGapTrace(const SessionFacts& facts)
      : EventTrace(facts), causes_(facts.session(), all_causes), parts_(runs()) {
    CulpritNames names;
    for (size_t run = 0; run < runs(); ++run) {
      names.enter(ops_in_full_run(facts.session(), run, {}).timeline);
      for (const auto& group : ops_by_device(timeline(run))) append_gaps(facts, run, group.first, group.second, names);
      for (size_t part = 0; part < parts_[run].size(); ++part) add(run, part);
    }
    order_by_start([&](EventPlace part) { return at(part).time.begin; });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            device_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "length of the gap, or of the part of it that has this cause"),
            time_column("gap_ns", "length of the whole gap, the same in all rows of its parts"),
            key_column("cause", "as in idle"),
            key_column("culprit", "as in idle_hosts: the one that most of duration_ns is due to"),
            time_column("culprit_ns", "how much of it"),
            text_column("op_before", "device op with whose end the gap begins"),
            text_column("op_after", "device op with whose start it ends"),
            moment_column("gap_start_ns", "start of the whole gap, from the start of the profile"),
            number_column("op_before_slice", "number of op_before in table slices"),
            number_column("op_after_slice", "number of op_after in table slices"),
            number_column("culprit_slice",
                          "number of the culprit, or of the first of that name, in table slices; absent where none is "
                          "known or it lies outside of the selected time")};
  }

 private:
  enum : size_t {
    kRank,
    kDevice,
    kStart,
    kDuration,
    kGapDuration,
    kCause,
    kCulprit,
    kCulpritTime,
    kBefore,
    kAfter,
    kGapStart,
    kBeforeSlice,
    kAfterSlice
  };

  void append_gaps(const SessionFacts& facts, size_t run, int32_t device, const std::vector<OpIndex>& ops,
                   CulpritNames& names) {
    const DeviceOps& all = timeline(run).device_ops;
    MostToBlame most;
    facts.idle().for_each_gap(run, ops, [&](const IdleGap& gap, const std::vector<IdlePart>& parts) {
      for (size_t begin = 0, end = 0; begin < parts.size(); begin = end) {
        for (; end < parts.size() && parts[end].cause == parts[begin].cause; ++end) {
          most.add(names.number(parts[end]), parts[end]);
        }
        const auto [name, blamed] = most.take();
        parts_[run].push_back({.time = {parts[begin].time.begin, parts[end - 1].time.end},
                               .gap = gap.time,
                               .culprit_ns = blamed.total_ns,
                               .before = all.slice[gap.last_op],
                               .after = all.slice[gap.waking_op],
                               .culprit = slice_in_part(facts.run(run), blamed.first),
                               .culprit_name = culprits_->code(names.text(name)),
                               .device = device,
                               .cause = parts[begin].cause});
      }
    });
  }

  const GapPart& at(EventPlace part) const { return parts_[part.run][part.event]; }

  EventPlaces slices_of(const EventPlaces& parts, SliceIndex GapPart::*slice) const {
    EventPlaces slices;
    slices.reserve(parts.size());
    for (const EventPlace part : parts) slices.push_back({part.run, at(part).*slice});
    return slices;
  }
  ColumnValues slice_numbers(const EventPlaces& parts, SliceIndex GapPart::*slice) const {
    return integer_values(parts, [&](EventPlace part) { return columns().numbers().number(part.run, at(part).*slice); });
  }
  ColumnValues starts(const EventPlaces& parts, Interval GapPart::*time) const {
    return integer_values(parts, [&](EventPlace part) { return (at(part).*time).begin - columns().zero(part.run); });
  }
  ColumnValues durations(const EventPlaces& parts, Interval GapPart::*time) const {
    return integer_values(parts, [&](EventPlace part) { return (at(part).*time).end - (at(part).*time).begin; });
  }
  ColumnValues culprits(const EventPlaces& parts) const {
    std::vector<int32_t> codes;
    codes.reserve(parts.size());
    for (const EventPlace part : parts) codes.push_back(at(part).culprit_name);
    ColumnValues values(ColumnType::text);
    values.append_codes(culprits_, codes);
    return values;
  }

  ColumnValues values_at(size_t column, const EventPlaces& parts) const override {
    switch (column) {
      case kRank:
        return columns().rank(parts);
      case kDevice:
        return integer_values(parts, [&](EventPlace part) { return at(part).device; });
      case kStart:
        return starts(parts, &GapPart::time);
      case kDuration:
        return durations(parts, &GapPart::time);
      case kGapDuration:
        return durations(parts, &GapPart::gap);
      case kCause:
        return causes_.values(parts, [&](EventPlace part) { return static_cast<size_t>(at(part).cause); });
      case kCulprit:
        return culprits(parts);
      case kCulpritTime:
        return integer_values(parts, [&](EventPlace part) { return at(part).culprit_ns; });
      case kBefore:
        return columns().name(slices_of(parts, &GapPart::before));
      case kAfter:
        return columns().name(slices_of(parts, &GapPart::after));
      case kGapStart:
        return starts(parts, &GapPart::gap);
      case kBeforeSlice:
        return slice_numbers(parts, &GapPart::before);
      case kAfterSlice:
        return slice_numbers(parts, &GapPart::after);
      default:
        return slice_numbers(parts, &GapPart::culprit);
    }
  }

  static std::vector<std::optional<std::string_view>> all_causes(const Run&) {
    std::vector<std::optional<std::string_view>> texts;
    for (int cause = 0; cause < kIdleCauses; ++cause) texts.emplace_back(text_of(static_cast<IdleCause>(cause)));
    return texts;
  }

  EventTexts causes_;
  std::shared_ptr<TextDictionary> culprits_ = std::make_shared<TextDictionary>();
  std::vector<std::vector<GapPart>> parts_;  // by run
};

}  // namespace

Analysis idle_gaps_analysis() {
  return {.name = "idle_gaps",
          .about =
              "every idle gap of each device, in order of time: a row for each part with one cause, whom it is due to, "
              "and the device ops before and after the gap; the rows of a cause add up to its row of idle",
          .columns = IdleGapTrace::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 1; },
          .events = [](const Analysis&, const SessionFacts& facts, const TableOptions&) -> std::unique_ptr<EventTable> {
            return std::make_unique<IdleGapTrace>(facts);
          }};
}

}  // namespace cgpu
