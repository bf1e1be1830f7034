// Framework ops that reach a part of what is attainable on their device.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/rule_context.h"
#include "analysis/op_shapes/op_efficiency.h"
#include "analysis/op_shapes/slow_op_reasons.h"
#include "table/units.h"

namespace cgpu {

namespace {

struct SlowOps {
  std::vector<std::pair<const CostedWork*, OpEfficiency>> works;  // the most time to save first
  double excess_ns = 0;
};

double excess_of(const CostedWork& work, const OpEfficiency& efficiency) {
  return std::max(static_cast<double>(work.ns) - static_cast<double>(work.ops) * efficiency.attainable_ns, 0.0);
}

/// What each device op would take of its time, by run and slice: an op as a whole what is attainable.
EdgeTimes::Scenario at_attainable_rate(const SlowOps& slow, size_t runs) {
  OpFactors factors(runs);
  for (const auto& [work, efficiency] : slow.works) {
    const double factor =
        std::min(1.0, efficiency.attainable_ns * static_cast<double>(work->ops) / static_cast<double>(work->ns));
    for (const auto& [run, slice] : work->device_ops) factors[run][slice] = factor;
  }
  return scaled(std::move(factors));
}

const char* unit_of(const OpEfficiency& efficiency) {
  return efficiency.by_memory ? "B/s" : "FLOP/s";
}

std::string reached(const OpEfficiency& efficiency) {
  return fmt::format("{} of {} attainable", format_rate(efficiency.rate, unit_of(efficiency)),
                     format_rate(efficiency.attainable_rate, unit_of(efficiency)));
}

std::string shapes_of(const CostedWork& work) {
  constexpr size_t kMost = 120;
  const auto& [name, shapes, types, settings] = work.key;
  std::string text;  // without what is no tensor
  for (size_t at = 0; at < shapes.size();) {
    const bool is_none = shapes.compare(at, 4, ", []") == 0;
    if (!is_none) text += shapes[at];
    at += is_none ? 4 : 1;
  }
  if (text.size() > kMost) text.replace(kMost, std::string::npos, "...");
  return settings.empty() ? text : text + ", " + settings;
}

std::string cost_of(const OpCost& cost) {
  std::vector<std::string> parts;
  if (cost.flops) {
    std::string rate = format_rate(static_cast<double>(*cost.flops), "FLOP/s");
    parts.push_back(rate.substr(0, rate.size() - 2));
  }
  if (cost.bytes) parts.push_back(format_bytes(*cost.bytes));
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string whose_rates(const DeviceRates& rates) {
  if (rates.is_model) return "Attainable on " + rates.device;
  const std::string ask = "; `--device-model` says which it is";
  if (rates.device.empty())
    return "Attainable is what other ops of the run reach, since the rates of the device are not known (`--peak` states them)";
  return "The profile names no device; attainable on " + rates.device + ", or what other ops of the run reach" + ask;
}

std::string reasons_in_words(const std::vector<SlowOpReason>& reasons) {
  std::string text;
  for (const SlowOpReason& reason : reasons) text += (text.empty() ? "; why: " : "; ") + reason.text;
  return text;
}

std::string evidence_of(const SlowOps& slow, const DeviceRates& rates, const std::vector<SlowOpReason>& reasons) {
  const auto& [work, efficiency] = slow.works.front();
  std::string all;
  if (slow.works.size() > 1) {
    int64_t ops = 0;
    int64_t time = 0;
    for (const auto& [one, of_one] : slow.works) {
      ops += one->ops;
      time += one->ns;
    }
    all = fmt::format("{} ops of {} shapes take {}, {} more than at the attainable rate; most in ", format_count(ops),
                      slow.works.size(), format_ns(time), format_ns(slow.excess_ns));
  }
  std::string text =
      all + fmt::format("{} of {} each, of shapes {}: {}, bound by {} ({} each, {} at the attainable rate)",
                        work->ops == 1 ? "1 op" : format_count(work->ops) + " ops",
                        format_ns(static_cast<double>(work->ns) / static_cast<double>(work->ops)), shapes_of(*work),
                        reached(efficiency), efficiency.by_memory ? "memory" : "compute", cost_of(work->cost),
                        format_ns(efficiency.attainable_ns));
  text += reasons_in_words(reasons);
  constexpr size_t kOthers = 2;
  for (size_t i = 1; i < std::min(slow.works.size(), 1 + kOthers); ++i) {
    text += fmt::format("; {} in {}: {}", format_count(slow.works[i].first->ops), shapes_of(*slow.works[i].first),
                        reached(slow.works[i].second));
  }
  if (slow.works.size() > 1 + kOthers) text += fmt::format("; and {} other shapes", slow.works.size() - 1 - kOthers);
  return text + ". " + whose_rates(rates);
}

Finding finding_of(RuleContext& context, const SlowOps& slow, const DeviceRates& rates) {
  const auto& [work, efficiency] = slow.works.front();
  const std::string& name = std::get<0>(work->key);
  const std::vector<SlowOpReason> reasons = slow_op_reasons(*work, rates.attainable.multiprocessors);
  Finding finding;
  finding.rule = "inefficient_ops";
  finding.evidence = evidence_of(slow, rates, reasons);
  for (const SlowOpReason& reason : reasons) {
    finding.suggestion += (finding.suggestion.empty() ? "" : ". ") + reason.suggestion;
  }
  if (finding.suggestion.empty()) {
    finding.suggestion = efficiency.by_memory ? "Look for another kernel of it, fuse it with its neighbours, or see "
                                                "with a kernel profiler how it reads memory"
                                              : "Look for another kernel of it (autotuning, another library), and see "
                                                "with a kernel profiler what it waits for";
  }
  finding.command = fmt::format("op_shapes --where 'name = {}'", name);
  finding.confidence = rates.is_model || rates.is_narrow ? Confidence::medium : Confidence::low;
  const EdgeTimes::Scenario scenario = at_attainable_rate(slow, context.facts().whole().session().runs.size());
  const int64_t gain = context.gain_of(scenario);
  const std::string what =
      fmt::format("{} reaches {}, bound by {}", name, reached(efficiency), efficiency.by_memory ? "memory" : "compute");
  if (static_cast<double>(gain) >= context.thresholds().noticeable * static_cast<double>(context.measured())) {
    finding.title = fmt::format("{} could be gained: {}", kShareOfTime, what);
    finding.remedy = scenario;
    finding.recoverable_low = gain / 2;  // where its size allows no more
  } else {
    finding.title = what;
    finding.evidence += fmt::format("; {} of device time, but the run is not bound by it", format_ns(slow.excess_ns));
  }
  return finding;
}

/// What an op takes of what is attainable on each device that it may have run on.
struct ShareOfCandidates {
  double least = 1;
  double most = 0;
  bool by_memory = false;  // on all of them; as `by_compute`
  bool by_compute = false;
};

std::optional<ShareOfCandidates> share_of_candidates(const CostedWork& work, const DeviceRates& rates) {
  std::optional<ShareOfCandidates> shares;
  for (const AttainableRates& candidate : rates.candidates) {
    const auto efficiency = efficiency_of(work, candidate);
    if (!efficiency) continue;
    if (!shares) shares = ShareOfCandidates{1, 0, true, true};
    shares->least = std::min(shares->least, efficiency->share);
    shares->most = std::max(shares->most, std::min(efficiency->share, 1.0));
    shares->by_memory = shares->by_memory && efficiency->by_memory;
    shares->by_compute = shares->by_compute && !efficiency->by_memory;
  }
  return shares;
}

/// Where no model is known: what the op that takes most of the time reaches.
std::optional<Finding> rates_without_model(const CostedWork& work, const DeviceRates& rates) {
  const auto ns = static_cast<double>(work.lower_quartile_ns);
  const auto shares = share_of_candidates(work, rates);
  const bool of_compute = work.cost.flops && !(shares && shares->by_memory);
  if (!of_compute && !work.cost.bytes) return std::nullopt;
  const double amount = static_cast<double>(of_compute ? *work.cost.flops : *work.cost.bytes);
  Finding finding;
  finding.rule = "inefficient_ops";
  finding.title = fmt::format("{} reaches {}", std::get<0>(work.key),
                              format_rate(amount / ns * 1e9, of_compute ? "FLOP/s" : "B/s"));
  if (shares) {
    if (shares->by_memory) finding.title += ", bound by memory";
    if (shares->by_compute) finding.title += ", bound by compute";
    finding.title += fmt::format(": {} to {} of what is attainable, by the device", format_percent(100 * shares->least),
                                 format_percent(100 * shares->most));
  }
  finding.title += "; the profile does not say which that is";
  finding.evidence = fmt::format("{} of {} in {}, {} each", format_count(work.ops), format_ns(ns), shapes_of(work),
                                 cost_of(work.cost));
  const std::vector<SlowOpReason> reasons = slow_op_reasons(work, rates.attainable.multiprocessors);
  finding.evidence += reasons_in_words(reasons) + ". " + whose_rates(rates);
  finding.suggestion =
      "State the model (`--device-model MI300X`) or its rates (`--peak "
      "bf16=400TFLOP/s,memory=2TB/s`) to see what is attainable";
  for (const SlowOpReason& reason : reasons) finding.suggestion += ". " + reason.suggestion;
  finding.command = "op_shapes";
  finding.confidence = Confidence::low;
  return finding;
}

}  // namespace

void find_inefficient_ops(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  const Session& session = context.facts().whole().session();
  int64_t computing = 0;
  for (const Run& run : session.runs) {
    for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex slice) {
      if (run.timeline.device_ops.kind[op] == OpKind::compute) computing += run.timeline.slices.duration[slice];
    });
  }
  const std::vector<CostedWork>& works = context.costed_work();
  if (works.empty()) return;
  const DeviceRates rates = device_rates(session, works);
  const Thresholds& thresholds = context.thresholds();
  std::map<std::pair<std::string, bool>, SlowOps> by_name;  // and by what bounds them
  for (const CostedWork& work : works) {
    if (static_cast<double>(work.median_ns) < thresholds.short_kernel) continue;
    const auto efficiency = efficiency_of(work, rates.attainable);
    if (!efficiency || efficiency->share >= thresholds.attainable) continue;
    SlowOps& slow = by_name[{std::get<0>(work.key), efficiency->by_memory}];
    slow.works.emplace_back(&work, *efficiency);
    slow.excess_ns += excess_of(work, *efficiency);
  }
  std::vector<SlowOps> all;
  for (auto& [key, slow] : by_name) {
    std::stable_sort(slow.works.begin(), slow.works.end(), [](const auto& a, const auto& b) {
      return excess_of(*a.first, a.second) > excess_of(*b.first, b.second);
    });
    if (slow.excess_ns >= thresholds.noticeable * static_cast<double>(context.measured()) ||
        slow.excess_ns >= thresholds.critical * static_cast<double>(computing)) {
      all.push_back(std::move(slow));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const SlowOps& a, const SlowOps& b) { return a.excess_ns > b.excess_ns; });
  constexpr size_t kMost = 5;
  if (all.size() > kMost) all.resize(kMost);
  for (const SlowOps& slow : all) {
    Finding finding = finding_of(context, slow, rates);
    const bool tells = finding.remedy || slow.excess_ns >= thresholds.critical * static_cast<double>(computing);
    if (tells) findings.push_back(std::move(finding));
  }
  if (!all.empty() || rates.is_model) return;
  const auto most = std::max_element(works.begin(), works.end(),
                                     [](const CostedWork& a, const CostedWork& b) { return a.ns < b.ns; });
  if (static_cast<double>(most->ns) >= thresholds.critical * static_cast<double>(context.measured())) {
    if (auto finding = rates_without_model(*most, rates)) findings.push_back(std::move(*finding));
  }
}

}  // namespace cgpu
