// Table `layers`: the repeated layers of a model and the parts that each is made of, with their device time.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/rows_by_run.h"
#include "analysis/steps/run_layers.h"
#include "analysis/steps/warm_up.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

constexpr std::string_view kInWarmUp = "(warm-up)";
constexpr std::string_view kOutsideSteps = "(outside of steps)";

void append_layers(const RunInSession& run, Table& table) {
  const RunLayers layers = find_layers(run);
  if (layers.found_by.empty()) return;
  const std::vector<Step>& steps = run.facts.steps(run.index);
  const size_t warm_up = count_warm_up(durations_of(steps));
  struct LayerPartSum {
    int64_t count = 0;
    int64_t ns = 0;
  };
  std::map<std::tuple<uint32_t, int64_t, std::string_view, std::string_view>, LayerPartSum> sums;
  for (const PlacedOp& op : layers.ops) {
    LayerPartSum* sum = nullptr;
    const auto step = step_of(steps, run.timeline().slices.start[op.slice]);
    if (!steps.empty() && (!step || *step < warm_up)) {
      sum = &sums[{0, kNoLayer, step ? kInWarmUp : kOutsideSteps, ""}];
    } else {
      sum = &sums[{op.sequence, op.layer, op.part, op.phase}];
    }
    ++sum->count;
    sum->ns += run.timeline().slices.duration[op.slice];
  }
  using Entry = std::pair<std::tuple<uint32_t, int64_t, std::string_view, std::string_view>, LayerPartSum>;
  std::vector<Entry> rows(sums.begin(), sums.end());
  std::ranges::stable_sort(rows, [](const Entry& a, const Entry& b) {
    const auto place = [](const Entry& row) {
      const auto& [sequence, layer, part, phase] = row.first;
      return std::tuple(layer == kNoLayer, sequence, layer, -row.second.ns);
    };
    return place(a) < place(b);
  });
  const auto counted = static_cast<int64_t>(steps.size() - warm_up);
  for (const auto& [key, sum] : rows) {
    const auto& [sequence, layer, part, phase] = key;
    const bool in_steps = part != kInWarmUp && part != kOutsideSteps && counted > 0;
    table.append({int64_t{0}, layer == kNoLayer ? Cell() : Cell(layer), cell(part),
                  phase.empty() ? Cell() : cell(phase), sum.count, sum.ns, percent_of(sum.ns, layers.all_ns),
                  in_steps ? Cell(static_cast<double>(sum.ns) / static_cast<double>(counted)) : Cell(),
                  layer == kNoLayer ? Cell() : cell(layers.found_by),
                  sequence == 0 ? Cell() : Cell(int64_t{sequence})});
  }
}

}  // namespace

Analysis layers_analysis() {
  return {.name = "layers",
          .about = "the repeated layers of the model and their parts, with their device time",
          .columns = {rank_column(), number_column("layer", "number of the layer; absent for what is in none"),
                      key_column("part",
                                 "attention, MLP, normalization, MoE router, ...; (warm-up) and (outside of "
                                 "steps) for what is left out of the figures per step"),
                      key_column("phase", "of serving: prefill, decode or mixed; absent where no annotation says it"),
                      count_column("count", "device ops"), time_column("device_ns", "their durations"),
                      real_column("pct", "%", "share of the durations of all device ops of the rank"),
                      real_column("step_ns", "ns", "device_ns per step, without warm-up; absent without steps"),
                      text_column("found_by",
                                  "how the layers were found: modules, or the sequence of device ops that "
                                  "repeats"),
                      number_column("sequence",
                                    "which of several sequences that repeat, the largest first; absent for "
                                    "modules")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .needs = "modules that repeat, and no sequence of device ops that repeats three times",
          .fold = fold_of<RowsByRun<append_layers>>};
}

}  // namespace cgpu
