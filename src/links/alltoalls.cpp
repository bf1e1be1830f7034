#include "links/alltoalls.h"

#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/contains.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

/// By name, whether it has this property.
template <typename Has>
std::vector<bool> names_that(const Timeline& timeline, Has has) {
  std::vector<bool> names;
  for (StringId name = 0; name < timeline.names.size(); ++name) names.push_back(has(timeline.names[name]));
  return names;
}

/// Communication that a kernel alone says is a send or a receive.
std::vector<SliceIndex> unnamed_transfers(const Timeline& timeline) {
  const std::vector<bool> is_transfer =
      names_that(timeline, [](std::string_view name) { return contains(name, "SendRecv"); });
  std::unordered_set<SliceIndex> named;
  for (const Collective& collective : timeline.collectives) named.insert(collective.slice);
  std::vector<SliceIndex> transfers;
  for (const SliceIndex slice : timeline.device_ops.slice) {
    if (is_transfer[timeline.slices.name[slice]] && !named.contains(slice)) transfers.push_back(slice);
  }
  return transfers;
}

}  // namespace

void name_alltoalls(Timeline& timeline) {
  const std::vector<SliceIndex> transfers = unnamed_transfers(timeline);
  if (transfers.empty()) return;
  const std::vector<bool> is_alltoall =
      names_that(timeline, [](std::string_view name) { return contains(letters_of(name), "alltoall"); });
  for (const SliceIndex slice : transfers) {
    SliceIndex at = timeline.slices.launch[slice];
    while (at != kNone && !is_alltoall[timeline.slices.name[at]]) at = timeline.slices.parent[at];
    if (at == kNone) continue;
    Collective collective;
    collective.slice = slice;
    collective.name = timeline.names.intern("alltoall");
    timeline.collectives.push_back(collective);
  }
}

}  // namespace cgpu
