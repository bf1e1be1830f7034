#include "readers/common/own_export.h"

#include <algorithm>
#include <unordered_map>

namespace cgpu {

namespace {

template <typename Kind>
Kind kind_named(std::string_view text, Kind last) {
  for (auto kind = static_cast<int>(Kind::none); kind <= static_cast<int>(last); ++kind) {
    if (text == text_of(static_cast<Kind>(kind))) return static_cast<Kind>(kind);
  }
  return Kind::none;
}

}  // namespace

CopyKind copy_kind_named(std::string_view text) {
  return kind_named(text, CopyKind::unknown);
}

MemoryKind memory_kind_named(std::string_view text) {
  return kind_named(text, MemoryKind::unknown);
}

std::optional<Synchronization::Kind> awaited_kind(std::string_view text) {
  const auto& kinds = export_marks::kAwaited;
  const auto kind = std::find(kinds.begin(), kinds.end(), text);
  if (kind == kinds.end()) return std::nullopt;
  return static_cast<Synchronization::Kind>(kind - kinds.begin());
}

void ExportArrows::join(Run& run) {
  using export_marks::FlowKind;
  Timeline& timeline = run.timeline;
  std::unordered_map<SliceIndex, uint32_t> waits;
  for (uint32_t i = 0; i < timeline.synchronizations.size(); ++i) waits[timeline.synchronizations[i].slice] = i;
  std::sort(ends_.begin(), ends_.end());
  int64_t unmatched = 0;
  for (size_t i = 0; i < ends_.size();) {
    const bool pair =
        i + 1 < ends_.size() && ends_[i].number == ends_[i + 1].number && !ends_[i].ends && ends_[i + 1].ends;
    if (!pair) {
      ++unmatched;
      ++i;
      continue;
    }
    const SliceIndex from = ends_[i].slice;
    const SliceIndex to = ends_[i + 1].slice;
    switch (static_cast<FlowKind>(ends_[i].number >> export_marks::kFlowKindShift)) {
      case FlowKind::launch:
        timeline.hints.launches.push_back({from, to});
        break;
      case FlowKind::forward_backward:
        timeline.links.push_back({Link::Kind::forward_backward, from, to});
        break;
      case FlowKind::flow:
        timeline.links.push_back({Link::Kind::flow, from, to});
        break;
      case FlowKind::handover:
        timeline.hints.handovers.push_back({from, to});
        break;
      case FlowKind::record:
        if (const auto wait = waits.find(to); wait != waits.end()) {
          timeline.synchronizations[wait->second].record = from;
        }
        break;
      case FlowKind::none:
        break;
    }
    run.events.flows += 2;
    i += 2;
  }
  run.events.flows += unmatched;
  run.notes.add("unmatched_flow", unmatched, "ends of arrows without a beginning, and beginnings without an end");
  ends_ = {};
}

}  // namespace cgpu
