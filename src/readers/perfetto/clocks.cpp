#include "readers/perfetto/clocks.h"

#include <algorithm>

#include "readers/perfetto/fields.h"

namespace cgpu::perfetto {

namespace {

constexpr size_t kMostClocks = 64;  // in one snapshot; it has one entry for each pair of them
constexpr size_t kMostPairs = size_t{1} << 18;
constexpr size_t kMostMoments = size_t{1} << 14;

}  // namespace

void Clocks::add_snapshot(std::string_view message, uint64_t sequence) {
  std::vector<Reading> readings;
  std::optional<uint64_t> primary;
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number == clock_snapshot::kPrimaryTraceClock && field.is_varint()) primary = field.integer;
    if (field.number != clock_snapshot::kClocks || !field.is_bytes()) continue;
    const auto clock = static_cast<uint32_t>(protobuf_varint(field.bytes, clock::kId).value_or(0));
    const auto time = static_cast<int64_t>(protobuf_varint(field.bytes, clock::kTimestamp).value_or(0));
    const ClockId id = clock_id(clock, sequence);
    Unit unit;
    unit.incremental = protobuf_varint(field.bytes, clock::kIsIncremental).value_or(0) != 0;
    unit.multiplier = static_cast<int64_t>(protobuf_varint(field.bytes, clock::kUnitMultiplier).value_or(1));
    if (unit.multiplier <= 0) unit.multiplier = 1;
    unit.last = time;
    int64_t ns = 0;
    if (time < 0 || __builtin_mul_overflow(time, unit.multiplier, &ns)) {
      ++damaged_;
      continue;
    }
    if (unit.incremental || unit.multiplier != 1) units_[id] = unit;
    readings.push_back({id, ns});
  }
  if (fields.damaged() || readings.size() > kMostClocks) ++damaged_;
  readings.resize(std::min(readings.size(), kMostClocks));
  if (readings.empty()) return;
  any_snapshot_ = true;
  // The clock of events before the first snapshot stays the trace's clock.
  const auto has = [&](ClockId id) {
    return std::any_of(readings.begin(), readings.end(), [&](const Reading& one) { return one.clock == id; });
  };
  if (!trace_clock_ && (primary || has(kBoottime))) trace_clock_ = primary.value_or(kBoottime);
  for (const Reading& from : readings) {
    for (const Reading& to : readings) {
      if (from.clock != to.clock && !is_of_sequence(static_cast<uint32_t>(to.clock))) add_pair(from, to);
    }
  }
}

void Clocks::add_pair(const Reading& from, const Reading& to) {
  const std::pair key(from.clock, to.clock);
  if (pairs_.size() >= kMostPairs && !pairs_.contains(key)) return;
  Pairs& pairs = pairs_[key];
  const std::pair at(from.ns, to.ns);
  if (pairs.size() < kMostMoments) pairs.insert(std::upper_bound(pairs.begin(), pairs.end(), at), at);
}

std::optional<int64_t> Clocks::trace_time(uint32_t clock, uint64_t sequence, uint64_t timestamp) {
  auto time = static_cast<int64_t>(timestamp);
  if (time < 0) return std::nullopt;
  const ClockId id = clock_id(clock, sequence);
  if (const auto unit = units_.find(id); unit != units_.end()) {
    if (unit->second.incremental) {
      if (__builtin_add_overflow(unit->second.last, time, &time)) return std::nullopt;
      unit->second.last = time;
    }
    if (__builtin_mul_overflow(time, unit->second.multiplier, &time)) return std::nullopt;
  }
  return trace_time_of(id, time);
}

std::optional<int64_t> Clocks::trace_time_of(ClockId clock, int64_t ns) {
  if (!trace_clock_) trace_clock_ = clock;
  if (clock == *trace_clock_ || !any_snapshot_) return ns;
  if (const auto time = converted(clock, *trace_clock_, ns)) return time;
  return over_another(clock, ns);
}

std::optional<int64_t> Clocks::converted(ClockId from, ClockId to, int64_t ns) const {
  const auto found = pairs_.find({from, to});
  if (found == pairs_.end()) return std::nullopt;
  const Pairs& pairs = found->second;
  auto at = std::upper_bound(pairs.begin(), pairs.end(), std::pair(ns, INT64_MAX));
  if (at != pairs.begin()) --at;
  int64_t result = 0;
  if (__builtin_sub_overflow(ns, at->first, &result) || __builtin_add_overflow(result, at->second, &result)) {
    return std::nullopt;
  }
  return result;
}

std::optional<int64_t> Clocks::over_another(ClockId from, int64_t ns) const {
  for (auto pair = pairs_.lower_bound({from, 0}); pair != pairs_.end() && pair->first.first == from; ++pair) {
    const ClockId between = pair->first.second;
    if (!pairs_.contains({between, *trace_clock_})) continue;
    const auto time = converted(from, between, ns);
    return time ? converted(between, *trace_clock_, *time) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> Clocks::unix_offset() {
  if (!trace_clock_) return std::nullopt;
  if (*trace_clock_ == kRealtime) return 0;
  const auto found = pairs_.find({*trace_clock_, kRealtime});
  if (found == pairs_.end()) return std::nullopt;
  int64_t offset = 0;
  const auto [trace, realtime] = found->second.front();
  if (__builtin_sub_overflow(realtime, trace, &offset)) return std::nullopt;
  return offset;
}

}  // namespace cgpu::perfetto
