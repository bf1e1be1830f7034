#include "links/transfers.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cgpu {

namespace {

constexpr std::string_view kBatch = ":coalesced";  // behind the name of the library

class TransferLinker {
 public:
  explicit TransferLinker(Timeline& timeline)
      : timeline_(timeline), slices_(timeline.slices), transfers_(std::move(timeline.hints.transfers)) {
    std::sort(transfers_.begin(), transfers_.end(),
              [&](const Collective& a, const Collective& b) { return place_of(a.slice) < place_of(b.slice); });
    for (const Collective& transfer : transfers_) asked_.insert(transfer.slice);
    for (const Collective& described : timeline.collectives) described_.insert(described.slice);
    std::vector<bool> is_batch(timeline.names.size());
    for (StringId name = 0; name < is_batch.size(); ++name) is_batch[name] = timeline.names[name].ends_with(kBatch);
    for (SliceIndex slice = 0; slice < slices_.size(); ++slice) {
      if (is_batch[slices_.name[slice]] && is_host(timeline.kind(slice))) batches_.push_back(slice);
    }
    std::sort(batches_.begin(), batches_.end(), [&](SliceIndex a, SliceIndex b) { return place_of(a) < place_of(b); });
  }

  void link() {
    const DeviceOps& ops = timeline_.device_ops;
    std::vector<SliceIndex> left;
    for (size_t op = 0; op < ops.size(); ++op) {
      if (ops.kind[op] != OpKind::communication) continue;
      if (described_.contains(ops.slice[op])) {
        leave_out_asker(ops.slice[op]);
      } else {
        left.push_back(ops.slice[op]);
      }
    }
    for (const SliceIndex op : left) find_transfers(op);
  }

 private:
  using Place = std::tuple<TrackIndex, int64_t, SliceIndex>;
  Place place_of(SliceIndex slice) const { return {slices_.track[slice], slices_.start[slice], slice}; }

  /// What the host says of an op that is described itself.
  void leave_out_asker(SliceIndex op) {
    SliceIndex host = slices_.launch[op];
    while (host != kNone && asked_.erase(host) == 0) host = slices_.parent[host];
  }

  void find_transfers(SliceIndex op) {
    for (SliceIndex host = slices_.launch[op]; host != kNone; host = slices_.parent[host]) {
      if (asked_.contains(host)) return take(place_of(host), place_of(host), op);
      const auto batch = std::partition_point(batches_.begin(), batches_.end(),
                                              [&](SliceIndex other) { return place_of(other) < place_of(host); });
      if (batch == batches_.end() || *batch != host) continue;
      const bool is_first = batch == batches_.begin() || slices_.track[*std::prev(batch)] != slices_.track[host];
      return take(is_first ? Place{slices_.track[host], INT64_MIN, 0} : place_of(*std::prev(batch)), place_of(host),
                  op);
    }
  }

  /// Those that the host asked for between two moments of a thread are of this op.
  void take(const Place& first, const Place& last, SliceIndex op) {
    auto transfer = std::partition_point(transfers_.begin(), transfers_.end(),
                                         [&](const Collective& each) { return place_of(each.slice) < first; });
    for (; transfer != transfers_.end() && place_of(transfer->slice) <= last; ++transfer) {
      if (!asked_.erase(transfer->slice)) continue;  // an op before has it
      timeline_.collectives.push_back(*transfer);
      timeline_.collectives.back().slice = op;
    }
  }

  Timeline& timeline_;
  const Slices& slices_;
  std::vector<Collective> transfers_;         // by thread and time
  std::unordered_set<SliceIndex> asked_;      // ops of the host that no device op has yet
  std::unordered_set<SliceIndex> described_;  // device ops
  std::vector<SliceIndex> batches_;           // ranges of the host that launch a batch, by thread and time
};

}  // namespace

void link_transfers(Timeline& timeline) {
  if (!timeline.hints.transfers.empty()) TransferLinker(timeline).link();
}

}  // namespace cgpu
