#include "analysis/op_shapes/expert_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/common/name_rules.h"
#include "analysis/host/op_forest.h"
#include "analysis/op_shapes/recorded_inputs.h"
#include "base/sort_runs.h"

namespace cgpu {

namespace {

enum class OpRole : uint8_t { none, choice, gather, product, grouped_product, put_back, lookup };

OpRole role_of(std::string_view name) {
  constexpr std::array<std::string_view, 7> labels{"",         "choice", "gather", "product", "grouped_product",
                                                   "put_back", "lookup"};
  return static_cast<OpRole>(std::find(labels.begin(), labels.end(), label_of(NameList::expert_op, name)) -
                             labels.begin());
}

/// More experts or rows are of no layer that anyone builds, and sums of so many do not overflow.
constexpr int64_t kMostExperts = 1 << 16;
constexpr int64_t kMostRows = int64_t{1} << 40;
/// Products of one expert (gate, up and down are three), and of what may be before the first expert (an expert
/// that all tokens share).
constexpr size_t kMostProducts = 4;

struct WeightShape {
  int64_t in = 0;
  int64_t out = 0;
  bool operator==(const WeightShape&) const = default;
};

/// An op, by what it says of experts.
struct ExpertOp {
  SliceIndex slice = kNone;
  OpRole role = OpRole::none;
  int64_t rows = 0;    // of a product's input, of what is put back, of what is chosen for
  WeightShape weight;  // of a product
  int64_t among = 0;   // experts to choose from, or of a grouped product; rows into which results are put back
  std::optional<int64_t> each;
};

int64_t rows_of(const Dims& dims) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    if (__builtin_mul_overflow(rows, dims[i], &rows)) return -1;
  }
  return rows;
}

bool is_within(int64_t number, int64_t most) {
  return number >= 0 && number <= most;
}

/// What the inputs of an op say; role none where they do not fit.
ExpertOp read_op(SliceIndex slice, OpRole role, std::string_view name, const RecordedInputs& inputs) {
  ExpertOp op{slice, role, 0, {}, 0, std::nullopt};
  const auto nothing = [&] { return ExpertOp{slice, OpRole::none, 0, {}, 0, std::nullopt}; };
  const auto matrix = [&](size_t place, size_t dimensions) {
    const auto tensor = inputs.tensor(place);
    return tensor && tensor->dims.size() == dimensions ? &tensor->dims : nullptr;
  };
  switch (role) {
    case OpRole::choice: {
      const auto scores = inputs.tensor(0);
      if (!scores || scores->dims.size() < 2 || scores->dims.size() > 3) return nothing();
      op.rows = rows_of(scores->dims);
      op.among = scores->dims.back();
      // The largest of all values of a tensor chooses nothing: it has no dimension.
      if (name == "aten::topk") {
        op.each = inputs.integer(1);
      } else if (inputs.integer(1)) {
        op.each = 1;
      }
      if (name != "aten::topk" && !op.each) return nothing();
      if (op.each && (*op.each < 1 || *op.each > kMostExperts)) return nothing();
      return op.rows > 0 && op.rows <= kMostRows && op.among >= 2 && op.among <= kMostExperts ? op : nothing();
    }
    case OpRole::product: {
      const size_t first = name == "aten::addmm" ? 1 : 0;
      const Dims* const input = matrix(first, 2);
      const Dims* const weight = matrix(first + 1, 2);
      if (input == nullptr || weight == nullptr || (*input)[1] != (*weight)[0]) return nothing();
      op.rows = (*input)[0];
      op.weight = {(*weight)[0], (*weight)[1]};
      return is_within(op.rows, kMostRows) ? op : nothing();
    }
    case OpRole::grouped_product: {
      const Dims* const input = matrix(0, 2);
      const Dims* const weights = matrix(1, 3);
      if (input == nullptr || weights == nullptr || (*input)[1] != (*weights)[1]) return nothing();
      op.rows = (*input)[0];
      op.among = (*weights)[0];
      op.weight = {(*weights)[1], (*weights)[2]};
      return is_within(op.rows, kMostRows) && op.among >= 1 && op.among <= kMostExperts ? op : nothing();
    }
    case OpRole::put_back: {
      const auto target = inputs.tensor(0);
      const Dims* const results = matrix(name.find("index_put") == std::string_view::npos ? 3 : 2, 2);
      if (!target || results == nullptr || target->dims.empty() || target->dims.back() != results->back()) {
        return nothing();
      }
      op.rows = results->front();
      op.among = rows_of(target->dims);
      op.weight.out = results->back();
      return is_within(op.rows, kMostRows) ? op : nothing();
    }
    default:
      return op;
  }
}

/// What lies between the choice of the experts of one layer and that of the next one.
class ExpertPassReader {
 public:
  ExpertPassReader(const Slices& slices, const ExpertOp& choice) : slices_(slices), choice_(choice) {}

  void add(const ExpertOp& op) { ops_.push_back(op); }

  std::optional<ExpertPass> read() const {
    ExpertPass pass;
    pass.thread = slices_.track[choice_.slice];
    pass.tokens = choice_.rows;
    pass.each = choice_.each;
    pass.choices = choice_.among;
    if (read_grouped(pass) || read_put_back(pass) || read_adding_up(pass)) return pass;
    return std::nullopt;
  }

 private:
  using Weights = std::vector<WeightShape>;

  static std::string text_of_weights(const Weights& weights) {
    std::string text;
    for (const WeightShape& weight : weights) {
      text += fmt::format("{}{}x{}", text.empty() ? "" : ", ", weight.in, weight.out);
    }
    return text;
  }
  int64_t shared_out() const { return choice_.each ? *choice_.each * choice_.rows : -1; }

  bool read_grouped(ExpertPass& pass) const {
    TokensOfExpert all;
    Weights weights;
    for (const ExpertOp& op : ops_) {
      if (op.role != OpRole::grouped_product) continue;
      if (all.products.empty()) {
        all.tokens = op.rows;
        all.time.begin = slices_.start[op.slice];
        pass.in_group = op.among;
      }
      if (op.rows != all.tokens || op.among != pass.in_group || weights.size() == kMostProducts) break;
      all.products.push_back(op.slice);
      all.time.end = slices_.end(op.slice);
      weights.push_back(op.weight);
    }
    if (weights.empty() || pass.in_group > pass.choices) return false;
    pass.is_grouped = true;
    pass.weights = text_of_weights(weights);
    pass.experts.push_back(std::move(all));
    return true;
  }

  struct Unit {
    size_t first = 0;  // of its products in ops_
    size_t end = 0;
    TokensOfExpert work;
  };
  Weights weights_of(const Unit& unit) const {
    Weights weights;
    for (size_t i = unit.first; i < unit.end; ++i) {
      if (ops_[i].role == OpRole::product) weights.push_back(ops_[i].weight);
    }
    return weights;
  }

  /// Products whose results are put back among the tokens before others follow.
  bool read_put_back(ExpertPass& pass) const {
    std::vector<Unit> units;
    size_t free = 0;  // ops before are of other units
    for (size_t at = 0; at < ops_.size(); ++at) {
      const ExpertOp& back = ops_[at];
      if (back.role != OpRole::put_back) continue;
      if (const auto unit = unit_before(at, free)) units.push_back(*unit);
      free = at + 1;
    }
    std::map<std::string, size_t> times;
    for (const Unit& unit : units) ++times[text_of_weights(weights_of(unit))];
    const auto most =
        std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == times.end()) return false;
    for (Unit& unit : units) {
      if (text_of_weights(weights_of(unit)) == most->first) pass.experts.push_back(std::move(unit.work));
    }
    pass.weights = most->first;
    if (are_experts(pass)) return true;
    pass.experts.clear();
    return false;
  }

  std::optional<Unit> unit_before(size_t at, size_t free) const {
    const ExpertOp& back = ops_[at];
    if (back.among != choice_.rows && back.among != shared_out()) return std::nullopt;
    Unit unit{at, at, {back.rows, {}, {0, slices_.end(back.slice)}}};
    std::vector<SliceIndex>& products = unit.work.products;
    for (size_t i = at; i > free && products.size() < kMostProducts; --i) {
      const ExpertOp& op = ops_[i - 1];
      if (op.role == OpRole::gather && !products.empty()) {
        unit.work.time.begin = slices_.start[op.slice];
        break;
      }
      if (op.role != OpRole::product) continue;
      if (op.rows != back.rows || (products.empty() && op.weight.out != back.weight.out)) break;
      unit.first = i - 1;
      products.push_back(op.slice);
      unit.work.time.begin = slices_.start[op.slice];
    }
    if (products.empty()) return std::nullopt;
    std::reverse(products.begin(), products.end());
    return unit;
  }

  /// Products that follow each other, with the same weights again and again, and with as many rows in all as are shared
  /// out.
  bool read_adding_up(ExpertPass& pass) const {
    std::vector<ExpertOp> products;
    for (const ExpertOp& op : ops_) {
      if (op.role == OpRole::product) products.push_back(op);
    }
    for (size_t skipped = 0; skipped <= kMostProducts; ++skipped) {
      for (size_t each = 1; each < kMostProducts; ++each) {
        ExpertPass found = pass;
        found.experts = adding_up(products, skipped, each);
        const auto has_as_many = [&](const TokensOfExpert& e) { return e.tokens == found.experts.front().tokens; };
        const bool all_alike = std::all_of(found.experts.begin(), found.experts.end(), has_as_many);
        if (all_alike || !are_experts(found)) continue;  // alike are all products of a model
        // The sum may come out with what all tokens share and a few experts: more experts are the right ones.
        if (found.experts.size() <= pass.experts.size()) continue;
        Weights weights;
        for (size_t i = skipped; i < skipped + each; ++i) weights.push_back(products[i].weight);
        found.weights = text_of_weights(weights);
        pass = std::move(found);
      }
    }
    return !pass.experts.empty();
  }

  std::vector<TokensOfExpert> adding_up(const std::vector<ExpertOp>& products, size_t skipped, size_t each) const {
    std::vector<TokensOfExpert> experts;
    int64_t sum = 0;
    for (size_t first = skipped; first + each <= products.size(); first += each) {
      TokensOfExpert expert{products[first].rows, {}, {slices_.start[products[first].slice], 0}};
      bool fits = sum + expert.tokens <= shared_out();
      for (size_t i = 0; i < each && fits; ++i) {
        const ExpertOp& op = products[first + i];
        fits = op.rows == expert.tokens && op.weight == products[skipped + i].weight;
        expert.products.push_back(op.slice);
        expert.time.end = slices_.end(op.slice);
      }
      if (!fits) break;
      sum += expert.tokens;
      experts.push_back(std::move(expert));
    }
    if (sum != shared_out()) experts.clear();
    return experts;
  }

  /// Whether they can be the experts that were chosen. Few that got all tokens are, if that is what was shared out.
  bool are_experts(const ExpertPass& pass) const {
    const auto count = static_cast<int64_t>(pass.experts.size());
    const bool all_of_all =
        std::all_of(pass.experts.begin(), pass.experts.end(), [&](const auto& e) { return e.tokens == pass.tokens; });
    const bool too_many = choice_.each && pass.expert_tokens() > shared_out();
    return count <= pass.choices && !too_many && (pass.is_complete() || (count >= 2 && !all_of_all));
  }

  const Slices& slices_;
  ExpertOp choice_;
  std::vector<ExpertOp> ops_;
};

/// The ops that count, by thread in the order of time.
std::vector<ExpertOp> expert_ops(const Run& run) {
  const Timeline& timeline = run.timeline;
  const Slices& slices = timeline.slices;
  std::vector<OpRole> role_of_name;
  std::vector<bool> is_backward_name;
  bool chooses = false;
  for (StringId name = 0; name < timeline.names.size(); ++name) {
    role_of_name.push_back(role_of(timeline.names[name]));
    is_backward_name.push_back(timeline.names[name].starts_with("autograd::engine"));
    chooses = chooses || role_of_name.back() == OpRole::choice;
  }
  if (!chooses) return {};
  const auto is_op = [&](SliceIndex slice) {
    return is_framework_op(timeline.kind(slice)) && is_plausible(timeline, slice);
  };
  const std::vector<SliceIndex> backward =
      nearest_above(slices, [&](SliceIndex slice) { return is_op(slice) && is_backward_name[slices.name[slice]]; });
  // Inside another op that counts (max in argmax) it is part of that.
  const std::vector<SliceIndex> around = nearest_above(
      slices, [&](SliceIndex slice) { return is_op(slice) && role_of_name[slices.name[slice]] != OpRole::none; });
  std::vector<SliceIndex> wanted;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    const bool counts = is_op(slice) && role_of_name[slices.name[slice]] != OpRole::none;
    if (counts && backward[slice] == kNone && around[slice] == kNone) wanted.push_back(slice);
  }
  sort_runs(wanted, [&](SliceIndex a, SliceIndex b) {
    return std::tuple(slices.track[a], slices.start[a], a) < std::tuple(slices.track[b], slices.start[b], b);
  });
  std::vector<uint64_t> sources;
  for (const SliceIndex slice : wanted) sources.push_back(slices.source[slice]);
  std::vector<ExpertOp> ops;
  ArgumentReader reader(run.arguments.get(), 0, InputKeys::wanted());
  const InputKeys keys(reader);
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    const SliceIndex slice = wanted[i];
    const ExpertOp op =
        read_op(slice, role_of_name[slices.name[slice]], timeline.name(slice), RecordedInputs(keys.texts(arguments)));
    if (op.role != OpRole::none) ops.push_back(op);
  });
  return ops;
}

}  // namespace

std::vector<ExpertPass> find_expert_passes(const RunInSession& run) {
  const Timeline& timeline = run.timeline();
  const Slices& slices = timeline.slices;
  const std::vector<ExpertOp> ops = expert_ops(run.run());
  std::vector<Interval> marks;
  for (const Step& step : run.facts.steps(run.index)) {
    marks.push_back({slices.start[step.mark], slices.end(step.mark)});
  }
  const auto mark_of = [&](SliceIndex slice) {
    return std::partition_point(marks.begin(), marks.end(),
                                [&](const Interval& mark) { return mark.begin <= slices.start[slice]; }) -
           marks.begin();
  };
  std::vector<ExpertPass> passes;
  std::optional<ExpertPassReader> reader;
  int64_t layer = 0;
  const auto close = [&] {
    if (!reader) return;
    if (auto pass = reader->read()) {
      pass->layer = layer++;
      passes.push_back(std::move(*pass));
    }
    reader.reset();
  };
  for (size_t i = 0; i < ops.size(); ++i) {
    const ExpertOp& op = ops[i];
    const bool other_thread = i > 0 && slices.track[ops[i - 1].slice] != slices.track[op.slice];
    if (other_thread || op.role == OpRole::lookup || (i > 0 && mark_of(ops[i - 1].slice) != mark_of(op.slice))) {
      close();
      layer = 0;
    }
    if (op.role == OpRole::choice) {
      close();
      reader.emplace(slices, op);
    } else if (reader && op.role != OpRole::lookup) {
      reader->add(op);
    }
  }
  close();
  return passes;
}

}  // namespace cgpu
