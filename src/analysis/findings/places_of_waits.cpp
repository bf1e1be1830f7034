#include "analysis/findings/places_of_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/common/name_rules.h"
#include "analysis/idle/idle_causes.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

struct Place {
  std::string_view op;     // "" for none
  std::string_view frame;  // "" for none
};

Place place_of(const Timeline& t, SliceIndex call) {
  Place place;
  for (SliceIndex at = t.slices.parent[call]; at != kNone; at = t.slices.parent[at]) {
    const std::string_view name = t.name(at);
    if (t.kind(at) == SliceKind::framework_op) {
      if (place.op.empty() || is_in(NameList::reading_op, name)) place.op = name;
    } else if (t.kind(at) == SliceKind::python_function && !is_in(NameList::library_frame, name)) {
      place.frame = name;
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
  std::map<std::string_view, int64_t> frames;
  int64_t waits = 0;
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    std::vector<int8_t> is_wait(t.names.size(), -1);  // by name; -1: not asked
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_call(t.kind(slice)) || !is_plausible(t, slice)) continue;
      int8_t& known = is_wait[t.slices.name[slice]];
      if (known < 0) known = cause_named_by(t.kind(slice), t.name(slice)) == IdleCause::synchronization ? 1 : 0;
      if (known == 0) continue;
      ++waits;
      const Place place = place_of(t, slice);
      ++ops[place.op];
      ++frames[place.frame];
    }
  }
  const Most op = most_of(ops);
  const Most frame = most_of(frames);
  const bool has_op = 2 * op.count >= waits && op.count > 0;
  const bool has_frame = 2 * frame.count >= waits && frame.count > 0;
  if (!has_op && !has_frame) return "";
  return fmt::format("; {} of {} waits are in {}{}", has_op ? op.count : frame.count, waits,
                     has_op ? op.name : frame.name,
                     has_op && has_frame ? fmt::format(", called from {}", frame.name) : "");
}

}  // namespace cgpu
