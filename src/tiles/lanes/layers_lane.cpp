// The layers of the model (docs/definitions/steps-and-layers.md, "layers") and their parts, on a device that multiplies
// matrices.
//
// A layer lasts from the start of its first op to the end of its last, a part likewise, but no longer than until an op
// of another layer or part starts: where streams run beside each other, what began last is shown.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/steps/layer_parts.h"
#include "analysis/steps/run_layers.h"
#include "base/once.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

/// Layers with a name of their own: few models have more.
constexpr uint32_t kNamedLayers = 128;

/// The name of a layer is its number; that of a part this + its place in kLayerParts. The origin is its first op.
constexpr uint32_t kFirstPart = 1U << 31;
constexpr uint32_t kLanes = 2;  // layers, and below them parts

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

LaneSlices slices_of_device(const Timeline& timeline, std::vector<PlacedOp> ops) {
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

  LaneSlices found;
  auto part = parts.all().begin();
  const auto add_parts_until = [&](int64_t time) {
    for (; part != parts.all().end() && part->time.begin < time; ++part) {
      found.slices.add(part->time, kFirstPart + part->key.second, part->first);
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

using LayersByDevice = std::map<int32_t, std::shared_ptr<LaneSlices>>;

/// Of a run; of one without layers nothing. Costs what the table layers costs; 20 bytes a slice.
LayersByDevice layer_slices(const RunInSession& run) {
  RunLayers layers = find_layers(run);
  LayersByDevice found;
  if (layers.found_by.empty()) return found;
  std::map<int64_t, std::vector<PlacedOp>> devices;
  for (PlacedOp& op : layers.ops) devices[op.device].push_back(std::move(op));
  for (auto& [device, ops] : devices) {
    found.emplace(static_cast<int32_t>(device),
                  std::make_shared<LaneSlices>(slices_of_device(run.timeline(), std::move(ops))));
  }
  return found;
}

class LayersLane : public LaneSource {
 public:
  explicit LayersLane(LaneScope& scope) : scope_(scope), of_runs_(scope.session().runs.size()) {
    const auto is_own = [](const ViewTrack& track) { return track.lane->kind == "layers"; };
    if (std::ranges::none_of(scope.tracks().all(), is_own)) return;
    for (uint32_t number = 0; number < kNamedLayers; ++number)
      layer_names_.push_back(scope.names().add(fmt::format("layer {}", number)));
    layer_names_.push_back(scope.names().add(fmt::format("layer {} or above", kNamedLayers)));
    for (const std::string_view part : kLayerParts) part_names_.push_back(scope.names().add(std::string(part)));
  }

  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    const auto& devices = of_runs_[track.run].get([&] {
      return layer_slices({scope_.facts(), track.run, static_cast<uint32_t>(track.run)});
    });
    const auto found = devices.find(*track.device);
    return found == devices.end() ? std::make_shared<LaneSlices>() : found->second;
  }

  SliceStyle style(const ViewTrack&, const LaneSlices& of, SliceIndex slice) const override {
    const uint32_t name = of.slices.name[slice];
    if (name >= kFirstPart) return {part_names_[name - kFirstPart], colour_of(part_kind_)};
    return {layer_names_[std::min(name, kNamedLayers)], colour_of(layer_kind_)};
  }

 private:
  const LaneScope& scope_;
  uint8_t layer_kind_ = slice_kind("layer");
  uint8_t part_kind_ = slice_kind("layer_part");
  std::vector<uint32_t> layer_names_;  // by number, the last for all from there on; empty without such tracks
  std::vector<uint32_t> part_names_;   // by place in kLayerParts
  mutable std::vector<Once<LayersByDevice>> of_runs_;
};

void list_layers(TrackList& tracks, const ListedAt&) {
  const std::map<int32_t, DeviceFacts>& devices = tracks.facts().ops.devices;
  for (const auto& [device, facts] : devices) {
    if (!facts.products) continue;
    const std::string name = devices.size() == 1 ? "layers" : tracks.name_of_device(device) + " layers";
    ViewTrack& track = tracks.add("Layers", name);
    track.device = device;
    track.lanes = kLanes;
  }
}

}  // namespace

LaneDeclaration layers_lane() {
  return {.kind = "layers",
          .place = TrackPlace::of_run,
          .slice_kinds = {{"layer", "name"}, {"layer_part", "name"}},
          .origin = "Its first op",
          .is_found_on_demand = true,
          .list = list_layers,
          .open = open_lane<LayersLane>};
}

}  // namespace cgpu
