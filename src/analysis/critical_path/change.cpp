#include "analysis/critical_path/change.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "analysis/critical_path/equal_stages.h"
#include "analysis/device/device_ops.h"
#include "analysis/ranks/slow_links.h"
#include "analysis/session_clock.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "kernels/kernel_class.h"
#include "kernels/names.h"

namespace cgpu {

const TableOption kScaleOption{.name = "scale",
                               .kind = TableOption::Kind::names,
                               .about =
                                   "NAME=FACTOR: as if device ops, a class of them, or host slices of this name took "
                                   "FACTOR of their time (* matches any text)"};
const TableOption kFreeOption{.name = "free",
                              .kind = TableOption::Kind::names,
                              .about =
                                  "KIND: as if this did not take any time, or was not waited for (compute, "
                                  "communication, memory, kernel_gap, or a cause of idle time)"};

const TableOption kRankAsMedianOption{
    .name = "rank-as-median",
    .kind = TableOption::Kind::flag,
    .about = "as if each rank took for its own work in a step what the median of the ranks with the same work takes"};
const TableOption kLinksAsBestOption{
    .name = "links-as-best",
    .kind = TableOption::Kind::flag,
    .about = "as if the collectives of slow groups of ranks were as fast as those of the fastest group"};
const TableOption kStagesAsMeanOption{
    .name = "stages-as-mean",
    .kind = TableOption::Kind::flag,
    .about = "as if each stage of a pipeline computed for as long as the mean of them"};

Change change_of(const TableOptions& options) {
  Change change;
  for (const std::string& text : options.names(kScaleOption)) {
    const size_t equals = text.rfind('=');
    const double factor =
        equals == std::string::npos ? -1 : parse_number<double>(std::string_view(text).substr(equals + 1)).value_or(-1);
    if (!(factor >= 0 && std::isfinite(factor)) || equals == 0) {
      throw Error(fmt::format("--scale {}: give NAME=FACTOR with a factor of 0 or more, like gemm=0.5", text));
    }
    change.scales.push_back({text.substr(0, equals), factor});
  }
  for (const std::string& name : options.names(kFreeOption)) {
    try {
      change.removed.set(BoundBy::named(name).number());
    } catch (const Error& error) {
      throw Error(fmt::format("--free {}", error.what()));
    }
  }
  change.rank_as_median = options.flag(kRankAsMedianOption);
  change.links_as_best = options.flag(kLinksAsBestOption);
  change.stages_as_mean = options.flag(kStagesAsMeanOption);
  return change;
}

ChangedGraph::ChangedGraph(const SessionFacts& whole, Change change)
    : facts_(whole), graph_(whole.dependencies()), change_(std::move(change)), parts_(whole) {
  per_run_.resize(facts_.session().runs.size());
  match_counts_.assign(change_.scales.size(), 0);
  if (!change_.scales.empty()) find_named();
  if (change_.is_of_ranks()) compare_ranks();
  weights_ = weights_of(graph_);
  if (!change_.empty()) {
    for (MomentIndex to = 0; to < graph_.moments().size(); ++to) {
      for (uint32_t edge = graph_.first_edge(to); edge < graph_.end_edge(to); ++edge) {
        if (is_over(graph_.edges()[edge].kind, change_.removed)) {
          weights_[edge] = kNoEdge;
          continue;
        }
        int64_t weight = 0;
        parts_.for_each(edge, to, [&](const EdgePart& part) { weight += changed_length(part); });
        weights_[edge] = weight;
      }
    }
  }
  replayed_ = replay(graph_, weights_);
}

int64_t ChangedGraph::changed_length(const EdgePart& part) const {
  if (change_.removed[part.bound_by.number()]) return 0;
  const PerRun& per_run = per_run_[part.run];
  double length = static_cast<double>(part.length);
  if (part.thread != kNone) {
    for (size_t scale = 0; scale < per_run.threads.size(); ++scale) {
      const IntervalSet& named = per_run.threads[scale][part.thread];
      if (named.empty()) continue;
      const int64_t inside = named.clip(part.time.begin, part.time.end).length();
      length -= (1 - change_.scales[scale].factor) * static_cast<double>(inside);
    }
    if (medians_) length *= medians_->factor_of_host(part);
  } else if (part.slice != kNone && !per_run.factor_of_slice.empty()) {
    length *= static_cast<double>(per_run.factor_of_slice[part.slice]);
  }
  return static_cast<int64_t>(std::llround(std::max(length, 0.0)));
}

void ChangedGraph::for_each_part(uint32_t edge, MomentIndex to, const std::function<void(const EdgePart&)>& visit) {
  parts_.for_each(edge, to, [&](EdgePart part) {
    part.length = changed_length(part);
    if (part.length > 0) visit(part);
  });
}

void ChangedGraph::compare_ranks() {
  const char* option = change_.rank_as_median  ? "--rank-as-median"
                       : change_.links_as_best ? "--links-as-best"
                                               : "--stages-as-mean";
  const size_t runs = facts_.session().runs.size();
  if (runs < 2) throw Error(fmt::format("{}: give the profiles of several ranks", option));
  if (!has_common_clock(facts_.session())) {
    throw Error(fmt::format("{}: the clocks of these ranks cannot be compared (table clocks says why)", option));
  }
  if (change_.rank_as_median) {
    medians_.emplace(facts_, parts_);
    if (!medians_->has_peers()) {
      throw Error(
          "--rank-as-median: each rank is a stage of a pipeline by itself, so that none has a peer to compare with");
    }
  }
  std::optional<EqualStages> stages;
  if (change_.stages_as_mean) {
    if (const std::string why = EqualStages::why_unknown(facts_); !why.empty()) throw Error("--stages-as-mean: " + why);
    stages.emplace(facts_);
  }
  const SlowLinks links = change_.links_as_best ? find_slow_links(facts_) : SlowLinks();
  for (size_t run = 0; run < runs; ++run) {
    std::vector<float>& factors = per_run_[run].factor_of_slice;
    if (factors.empty()) factors.assign(facts_.run(run).timeline.slices.size(), 1.0F);
    if (medians_) medians_->scale_ops(run, factors);
    if (stages) stages->scale_ops(run, factors);
    if (!change_.links_as_best) continue;
    for (const auto& [op, factor] : links.factors[run]) factors[op] *= static_cast<float>(factor);
  }
}

/// Which device ops and which times of host threads each scale is about.
void ChangedGraph::find_named() {
  for (size_t scale = 0; scale < change_.scales.size(); ++scale) {
    const Change::Scale& wanted = change_.scales[scale];
    std::string pattern;
    for (const char c : wanted.name) {
      pattern += c == '*' ? ".*" : RE2::QuoteMeta(re2::StringPiece(&c, 1));
    }
    RE2::Options options;
    options.set_dot_nl(true);
    const RE2 regex(pattern, options);
    const auto matches = [&](std::string_view text) {
      return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex);
    };
    for (size_t run = 0; run < per_run_.size(); ++run) {
      const Timeline& t = facts_.run(run).timeline;
      PerRun& per_run = per_run_[run];
      per_run.threads.emplace_back(t.tracks.size());
      if (per_run.factor_of_slice.empty()) per_run.factor_of_slice.assign(t.slices.size(), 1.0F);
      enum class Named : uint8_t { not_asked, no, yes };
      std::vector<Named> host_names(t.names.size(), Named::not_asked);
      std::vector<Named> op_names(t.names.size(), Named::not_asked);
      const auto ask = [&](std::vector<Named>& known, StringId name, auto is) {
        if (known[name] == Named::not_asked) known[name] = is(t.names[name]) ? Named::yes : Named::no;
        return known[name] == Named::yes;
      };

      std::vector<std::vector<Interval>> times(t.tracks.size());
      std::vector<bool> inside(t.slices.size(), false);  // host slices of the name
      for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
        const TrackIndex track = t.slices.track[slice];
        if (track == kNone || !is_host(t.kind(slice)) || !is_plausible(t, slice)) continue;
        if (!ask(host_names, t.slices.name[slice], matches)) continue;
        inside[slice] = true;
        ++match_counts_[scale];
        times[track].push_back({t.slices.start[slice], t.slices.end(slice)});
      }
      for (TrackIndex track = 0; track < t.tracks.size(); ++track) {
        per_run.threads.back()[track] = IntervalSet(std::move(times[track]));
      }
      for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
        bool named = text_of(static_cast<KernelClass>(t.device_ops.kernel_class[op])) == wanted.name ||
                     ask(op_names, t.slices.name[slice],
                         [&](std::string_view name) { return matches(name) || matches(base_kernel_name(name)); });
        if (named) ++match_counts_[scale];
        for (SliceIndex above = t.slices.launch[slice]; !named && above != kNone; above = t.slices.parent[above]) {
          named = inside[above];
        }
        if (named) per_run.factor_of_slice[slice] *= static_cast<float>(wanted.factor);
      });
    }
  }
}

}  // namespace cgpu
