// Table `experts`: how the tokens of each layer that is a mixture of experts are shared among them, where shapes show
// it.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/op_shapes/expert_layers.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The device ops of a run by thread and time of their launch calls.
class LaunchedTime {
 public:
  explicit LaunchedTime(const Timeline& timeline) {
    for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
      const SliceIndex call = launch_of(timeline, slice);
      if (call == kNone) return;
      launched_.push_back({timeline.slices.track[call], timeline.slices.start[call], timeline.slices.duration[slice]});
    });
    std::sort(launched_.begin(), launched_.end());
  }
  /// The durations of those launched on a thread in a time.
  int64_t during(TrackIndex thread, const Interval& time) const {
    int64_t sum = 0;
    for (auto at = std::lower_bound(launched_.begin(), launched_.end(), Launched{thread, time.begin, 0});
         at != launched_.end() && at->thread == thread && at->start < time.end; ++at) {
      sum += at->duration;
    }
    return sum;
  }

 private:
  struct Launched {
    TrackIndex thread;
    int64_t start;
    int64_t duration;
    auto operator<=>(const Launched&) const = default;
  };
  std::vector<Launched> launched_;
};

/// A layer is known by its number, the shapes of its experts and the number that it chooses from.
using ExpertLayer = std::tuple<int64_t, std::string, int64_t>;
/// The place of an expert, or this where it is not known which one it is.
constexpr int64_t kSomeExpert = -1;

struct ExpertSum {
  int64_t tokens = 0;
  int64_t products = 0;
  int64_t product_ns = 0;
  int64_t device_ns = 0;
};

struct LayerSum {
  std::map<int64_t, ExpertSum> experts;
  int64_t passes = 0;
  int64_t tokens = 0;   // of the experts
  double mean = 0;      // of the experts that share them, summed over the passes
  int64_t largest = 0;  // of one expert, likewise
  int64_t sharing = 0;  // experts
  std::optional<int64_t> each;
  bool is_grouped = false;
};

/// How many experts share the tokens that are seen: all that are chosen from where none is elsewhere.
int64_t experts_sharing(const ExpertPass& pass) {
  if (pass.is_grouped) return pass.in_group;
  return pass.is_complete() ? pass.choices : static_cast<int64_t>(pass.experts.size());
}

/// For each pass whether it is known which experts were computed: all of them, or equally many in all passes of the
/// layer, which are those of this rank.
std::vector<bool> are_numbered(const std::vector<ExpertPass>& passes) {
  std::map<ExpertLayer, std::pair<size_t, size_t>> least_and_most;
  for (const ExpertPass& pass : passes) {
    const size_t count = pass.experts.size();
    const auto [at, is_new] = least_and_most.try_emplace({pass.layer, pass.weights, pass.choices}, count, count);
    at->second = std::minmax({at->second.first, at->second.second, count});
  }
  std::vector<bool> numbered;
  for (const ExpertPass& pass : passes) {
    const auto& [least, most] = least_and_most.at({pass.layer, pass.weights, pass.choices});
    const auto count = static_cast<int64_t>(pass.experts.size());
    const bool are_of_rank = !pass.is_complete() && least == most && pass.choices % count == 0;
    numbered.push_back(!pass.is_grouped && (count == pass.choices || are_of_rank));
  }
  return numbered;
}

void append_experts(const RunInSession& run, Table& table) {
  const std::vector<ExpertPass> passes = find_expert_passes(run);
  if (passes.empty()) return;
  const Slices& slices = run.timeline().slices;
  const LaunchedTime launched(run.timeline());
  const std::vector<bool> numbered = are_numbered(passes);
  std::map<std::pair<ExpertLayer, bool>, LayerSum> layers;  // with numbered experts or not
  for (size_t i = 0; i < passes.size(); ++i) {
    const ExpertPass& pass = passes[i];
    LayerSum& layer = layers[{{pass.layer, pass.weights, pass.choices}, numbered[i]}];
    ++layer.passes;
    layer.tokens += pass.expert_tokens();
    layer.sharing = experts_sharing(pass);
    layer.mean += static_cast<double>(pass.expert_tokens()) / static_cast<double>(layer.sharing);
    layer.each = pass.each;
    layer.is_grouped = pass.is_grouped;
    int64_t largest = 0;
    for (size_t place = 0; place < pass.experts.size(); ++place) {
      const TokensOfExpert& expert = pass.experts[place];
      ExpertSum& sum = layer.experts[numbered[i] ? static_cast<int64_t>(place) : kSomeExpert];
      sum.tokens += expert.tokens;
      sum.products += static_cast<int64_t>(expert.products.size());
      for (const SliceIndex op : expert.products) {
        sum.product_ns += launched.during(pass.thread, {slices.start[op], slices.end(op)});
      }
      sum.device_ns += launched.during(pass.thread, expert.time);
      largest = std::max(largest, expert.tokens);
    }
    layer.largest += largest;
  }
  for (const auto& [key, layer] : layers) {
    const auto& [number, weights, choices] = key.first;
    for (const auto& [expert, sum] : layer.experts) {
      const bool known = expert != kSomeExpert && layer.mean > 0;
      table.append(
          {int64_t{0}, number, expert == kSomeExpert ? Cell() : Cell(expert), layer.passes, sum.tokens,
           known ? Cell(static_cast<double>(sum.tokens) / layer.mean) : Cell(),
           layer.is_grouped || layer.mean <= 0 ? Cell() : Cell(static_cast<double>(layer.largest) / layer.mean),
           sum.products, sum.product_ns, sum.device_ns, layer.sharing, choices, cell(layer.each), weights,
           cell(layer.is_grouped ? "grouped product" : "products of each expert")});
    }
  }
}

}  // namespace

Analysis experts_analysis() {
  return {.name = "experts",
          .about = "how the tokens of each layer that is a mixture of experts are shared among the experts",
          .columns = {rank_column(),
                      number_column("layer", "number of the layer, of those with experts, in a pass through the model"),
                      number_column("expert",
                                    "number of the expert, in the order in which they are computed; absent for all "
                                    "together where the profile does not tell them apart"),
                      count_column("passes", "through the layer"),
                      count_column("tokens", "that the expert got: rows of its products, over all passes"),
                      real_column("load", "", "tokens over those of the mean expert: 1 where all get the same"),
                      real_column("imbalance", "",
                                  "of the layer: the tokens of the busiest expert of each pass over those of the mean "
                                  "one; absent for grouped products, which do not show it"),
                      count_column("products", "matrix products of the expert"),
                      time_column("product_ns", "durations of the device ops of these products"),
                      time_column("device_ns",
                                  "durations of the device ops from the gathering of its tokens to where its results "
                                  "are put back"),
                      count_column("experts", "that share the tokens: all, or those of this rank"),
                      count_column("choices", "experts that each token's are chosen from"),
                      count_column("per_token", "experts that each token is given to; absent where not recorded"),
                      text_column("weights", "shapes of the products of an expert, inputs x outputs"),
                      text_column("shown_by", "products of each expert, or a grouped product of all")},
          .applies = [](const ProfileCounts& counts) { return counts.of({SliceKind::framework_op}) > 0; },
          .needs = "shapes of framework ops, and layers that choose experts for each token",
          .fold = fold_of<RowsByRun<append_experts>>};
}

}  // namespace cgpu
