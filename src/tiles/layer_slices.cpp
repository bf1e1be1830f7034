#include "tiles/layer_slices.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/steps/layer_parts.h"
#include "analysis/steps/run_layers.h"

namespace cgpu {

namespace {

/// Puts ops in the order of their starts together that are of the same thing.
template <typename Key>
class Stretches {
 public:
  struct Stretch {
    Key key;
    Interval time;
    SliceIndex first;
  };

  /// `key`: absent for an op that is of nothing.
  void add(const std::optional<Key>& key, Interval time, SliceIndex op) {
    if (open_ && key == all_.back().key) {
      all_.back().time.end = std::max(all_.back().time.end, time.end);
      return;
    }
    if (open_) all_.back().time.end = std::min(all_.back().time.end, time.begin);
    open_ = key.has_value();
    if (open_) all_.push_back({*key, time, op});
  }
  const std::vector<Stretch>& all() const { return all_; }

 private:
  std::vector<Stretch> all_;
  bool open_ = false;  // the last one may go on
};

using Layer = std::pair<uint32_t, int64_t>;              // sequence, number
using Part = std::pair<std::optional<Layer>, uint32_t>;  // layer, place in kLayerParts

LayerSlices slices_of_device(const Timeline& timeline, std::vector<PlacedOp> ops) {
  const Slices& slices = timeline.slices;
  std::sort(ops.begin(), ops.end(), [&](const PlacedOp& a, const PlacedOp& b) {
    return std::pair(slices.start[a.slice], a.slice) < std::pair(slices.start[b.slice], b.slice);
  });
  Stretches<Layer> layers;
  Stretches<Part> parts;
  for (const PlacedOp& op : ops) {
    const Interval time{slices.start[op.slice], slices.end(op.slice)};
    const auto layer = op.layer == kNoLayer ? std::nullopt : std::optional(Layer(op.sequence, op.layer));
    const bool is_known = layer || (!op.part.empty() && op.part != kOtherPart);
    layers.add(layer, time, op.slice);
    parts.add(is_known ? std::optional(Part(layer, place_of_part(op.part))) : std::nullopt, time, op.slice);
  }

  LayerSlices found;
  auto part = parts.all().begin();
  const auto add_parts_until = [&](int64_t time) {
    for (; part != parts.all().end() && part->time.begin < time; ++part) {
      found.slices.add(part->time, LayerSlices::kFirstPart + part->key.second, part->first);
      found.lane.push_back(1);
    }
  };
  for (const auto& layer : layers.all()) {
    add_parts_until(layer.time.begin);
    found.slices.add(layer.time, static_cast<uint32_t>(layer.key.second), layer.first);
    found.lane.push_back(0);
  }
  add_parts_until(INT64_MAX);
  return found;
}

}  // namespace

std::map<int32_t, LayerSlices> layer_slices(const RunInSession& run) {
  RunLayers layers = find_layers(run);
  std::map<int32_t, LayerSlices> found;
  if (layers.found_by.empty()) return found;
  std::map<int64_t, std::vector<PlacedOp>> devices;
  for (PlacedOp& op : layers.ops) devices[op.device].push_back(std::move(op));
  for (auto& [device, ops] : devices) {
    found.emplace(static_cast<int32_t>(device), slices_of_device(run.timeline(), std::move(ops)));
  }
  return found;
}

}  // namespace cgpu
