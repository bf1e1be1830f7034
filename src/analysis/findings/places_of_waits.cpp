#include "analysis/findings/places_of_waits.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/common/asked_names.h"
#include "analysis/common/name_rules.h"
#include "analysis/idle/idle_causes.h"
#include "model/plausible.h"
#include "table/units.h"

namespace cgpu {

namespace {

struct PlaceOfWait {
  std::string_view op;     // "" for none
  std::string_view frame;  // "" for none
};

PlaceOfWait place_of(const Timeline& t, SliceIndex call, AskedNames& reads, AskedNames& is_library) {
  PlaceOfWait place;
  for (SliceIndex at = t.slices.parent[call]; at != kNone; at = t.slices.parent[at]) {
    if (t.kind(at) == SliceKind::framework_op) {
      if (place.op.empty() || reads(at)) place.op = t.name(at);
    } else if (t.kind(at) == SliceKind::python_function && !is_library(at)) {
      place.frame = t.name(at);
      break;
    }
  }
  return place;
}

/// The name that most have, and how many of them.
struct Most {
  std::string_view name;
  int64_t count = 0;
};

/// By counts, or other amounts.
Most most_of(const std::map<std::string_view, int64_t>& counts) {
  Most most;
  for (const auto& [name, count] : counts) {
    if (!name.empty() && count > most.count) most = {name, count};
  }
  return most;
}

}  // namespace

std::string places_of_waits(const Session& session) {
  std::map<std::string_view, int64_t> ops;
  std::map<std::string_view, std::map<std::string_view, int64_t>> frames;  // by op
  int64_t waits = 0;
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    AskedNames reads(t, [&](SliceIndex op) { return is_in(NameList::reading_op, t.name(op)); });
    AskedNames is_library(t, [&](SliceIndex frame) { return is_in(NameList::library_frame, t.name(frame)); });
    AskedNames waits_for_device(
        t, [&](SliceIndex call) { return cause_named_by(t.kind(call), t.name(call)) == IdleCause::synchronization; });
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_call(t.kind(slice)) || !is_plausible(t, slice)) continue;
      if (!waits_for_device(slice)) continue;
      ++waits;
      const PlaceOfWait place = place_of(t, slice, reads, is_library);
      ++ops[place.op];
      ++frames[place.op][place.frame];
    }
  }
  const Most op = most_of(ops);
  const bool has_op = 2 * op.count >= waits && op.count > 0;
  std::map<std::string_view, int64_t> of_frames;  // of the waits in that op, else of all
  for (const auto& [name, counts] : frames) {
    if (has_op && name != op.name) continue;
    for (const auto& [frame, count] : counts) of_frames[frame] += count;
  }
  const Most frame = most_of(of_frames);
  const bool has_frame = 2 * frame.count >= waits && frame.count > 0;
  if (!has_op && !has_frame) return "";
  if (!has_op) return fmt::format("; {} of {} waits are in {}", frame.count, waits, frame.name);
  std::string words = fmt::format("; {} of {} waits are in {}", op.count, waits, op.name);
  if (has_frame) words += fmt::format(", {}called from {}", frame.count < op.count ? "most " : "", frame.name);
  return words;
}

std::string op_around_calls(const Session& session, std::string_view call) {
  std::map<std::string_view, int64_t> ops;  // ns
  int64_t whole = 0;
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    AskedNames is_meant(t, [&](SliceIndex slice) { return t.name(slice) == call; });
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_call(t.kind(slice)) || !is_plausible(t, slice) || !is_meant(slice)) continue;
      SliceIndex op = t.slices.parent[slice];
      while (op != kNone && t.kind(op) != SliceKind::framework_op) op = t.slices.parent[op];
      ops[op == kNone ? "" : t.name(op)] += t.slices.duration[slice];
      whole += t.slices.duration[slice];
    }
  }
  const Most most = most_of(ops);
  if (most.count == 0 || 2 * most.count < whole) return "";
  return fmt::format(", {} of the time in such calls within {}",
                     format_percent(100.0 * static_cast<double>(most.count) / static_cast<double>(whole)), most.name);
}

}  // namespace cgpu
