#include "readers/trace_event/insert_slices.h"

#include <numeric>

#include "base/sort_runs.h"

namespace cgpu::trace_event {

void insert_slices(std::vector<Slice> made, Timeline& timeline) {
  if (made.empty()) return;
  sort_runs(made, [](const Slice& a, const Slice& b) { return a.source < b.source; });
  Slices& slices = timeline.slices;
  std::vector<SliceIndex> number(slices.size());  // the new ones of the old slices
  std::iota(number.begin(), number.end(), SliceIndex{0});
  std::vector<SliceIndex> places(made.size());
  auto before = static_cast<SliceIndex>(slices.size());
  for (auto left = static_cast<SliceIndex>(made.size()); left > 0; --left) {
    for (; before > 0 && slices.source[before - 1] > made[left - 1].source; --before) number[before - 1] += left;
    places[left - 1] = before + left - 1;
  }
  slices.insert(made, places);
  for (SliceIndex& slice : timeline.device_ops.slice) slice = number[slice];
  for (Collective& collective : timeline.collectives) collective.slice = number[collective.slice];
  for (Collective& transfer : timeline.hints.transfers) transfer.slice = number[transfer.slice];
  for (Synchronization& one : timeline.synchronizations) {
    one.slice = number[one.slice];
    if (one.record != kNone) one.record = number[one.record];
  }
  for (Link& link : timeline.links) link = {link.kind, number[link.from], number[link.to]};
  for (LinkHints::Launch& hint : timeline.hints.launches) hint = {number[hint.call], number[hint.op]};
  for (LinkHints::Handover& hint : timeline.hints.handovers) hint = {number[hint.from], number[hint.to]};
  for (auto& hint : timeline.hints.external) hint.slice = number[hint.slice];
  for (auto& hint : timeline.hints.sequence) hint.slice = number[hint.slice];
}

}  // namespace cgpu::trace_event
