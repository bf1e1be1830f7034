// Rules about launches that a kernel profiler measured one by one (Nsight Compute): what its own rules say of them.
//
// Launches are weighed by their measured time. A rule with an estimate is as bad as the share of the kernel time that
// the estimate would save (Thresholds::sampled_share and critical). One without is a warning, since the profiler
// itself calls it so, for kernels that take that share of the kernel time.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "analysis/findings/rule_context.h"
#include "kernels/names.h"
#include "kernels/short_name.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kMostKernels = 5;

/// What the profiler said of the launches of one kernel.
struct MeasuredKernel {
  std::string name;
  double time = 0;  // ns of its launches
  int64_t launches = 0;
  double saved = 0;  // ns, by the best estimate of each launch
  const RuleResult* best = nullptr;
  double best_saved = 0;
  int64_t best_launch = 0;
  /// Warnings without an estimate, each rule once, as the longest launch has it; in the order of the profile.
  std::vector<const RuleResult*> warnings;
  double warned_time = 0;  // ns of its launches with such warnings
  double longest_warned = -1;
  int64_t warned_launch = 0;
};

/// A rule that could not do its work says nothing about the kernel.
bool is_warning(const RuleResult& rule) {
  return (rule.severity == "warning" || rule.severity == "optimization") && !rule.speedup_pct &&
         rule.message.find("could not be found") == std::string::npos;
}

/// What compression in the L2 would save is given for all memory, but only memory that a program allocated as
/// compressible (cuMemCreate) is ever compressed.
bool is_of_compressible_memory(const RuleResult& rule) {
  return rule.message.find("L2 Compression unit") != std::string::npos;
}

void add_launch(MeasuredKernel& kernel, const ProfiledLaunch& launch, double time) {
  kernel.time += time;
  ++kernel.launches;
  const RuleResult* best = nullptr;
  std::vector<const RuleResult*> warnings;
  for (const RuleResult& rule : launch.rules) {
    if (is_of_compressible_memory(rule)) continue;
    if (rule.speedup_pct && rule.speedup_scope == "kernel" && (!best || *rule.speedup_pct > *best->speedup_pct)) {
      best = &rule;
    }
    const bool told = std::any_of(warnings.begin(), warnings.end(),
                                  [&](const RuleResult* other) { return other->rule == rule.rule; });
    if (is_warning(rule) && !told) warnings.push_back(&rule);
  }
  if (best) {
    const double saved = time * std::clamp(*best->speedup_pct / 100, 0.0, 1.0);
    kernel.saved += saved;
    if (!kernel.best || saved > kernel.best_saved) {
      kernel.best = best;
      kernel.best_saved = saved;
      kernel.best_launch = launch.id;
    }
  }
  if (warnings.empty()) return;
  kernel.warned_time += time;
  if (time <= kernel.longest_warned) return;
  kernel.longest_warned = time;
  kernel.warned_launch = launch.id;
  kernel.warnings = std::move(warnings);
}

/// By name. Launches count equally where a profile has no durations.
std::vector<MeasuredKernel> measured_kernels(const Session& session) {
  bool timed = true;
  for (const Run& run : session.runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) timed = timed && launch.duration_ns;
  }
  std::map<std::string, MeasuredKernel> by_name;
  for (const Run& run : session.runs) {
    if (!run.launch_metrics) continue;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      const std::string name = full_kernel_name(launch.kernel);
      MeasuredKernel& kernel = by_name[name];
      kernel.name = name;
      add_launch(kernel, launch, timed ? static_cast<double>(*launch.duration_ns) : 1);
    }
  }
  std::vector<MeasuredKernel> kernels;
  for (auto& [name, kernel] : by_name) kernels.push_back(std::move(kernel));
  return kernels;
}

/// Of a message the first sentences that hold what was measured, a share or a number with a decimal point; where there
/// is none, its first. Without where to read more.
std::string measured_sentences(const std::string& whole) {
  constexpr size_t kMost = 2;
  const std::string message = whole.substr(0, whole.find(" See the "));
  std::vector<std::string> chosen;
  std::string first;
  for (size_t begin = message.find_first_not_of(' '); begin < message.size();) {
    const size_t end = std::min(message.find(". ", begin), message.size());
    std::string sentence = message.substr(begin, end - begin);
    if (sentence.ends_with('.')) sentence.pop_back();
    const auto is_digit = [&](size_t at) { return std::isdigit(static_cast<unsigned char>(sentence[at])) != 0; };
    bool measured = false;
    for (size_t i = 1; i < sentence.size(); ++i) {
      const bool decimal = sentence[i] == '.' && i + 1 < sentence.size() && is_digit(i + 1);
      measured = measured || (is_digit(i - 1) && (decimal || sentence[i] == '%'));
    }
    if (first.empty()) first = sentence;
    if (measured && chosen.size() < kMost) chosen.push_back(std::move(sentence));
    begin = message.find_first_not_of(". ", end);
  }
  return chosen.empty() ? first : fmt::format("{}", fmt::join(chosen, ". "));
}

Finding estimated(RuleContext& context, const MeasuredKernel& kernel, double all) {
  return {.rule = "slow_kernel",
          .title = fmt::format("Nsight Compute estimates {} less time for {} ({}), {} of the measured kernel time",
                               format_percent(100 * kernel.saved / kernel.time), title_name(kernel.name),
                               kernel.best->rule, format_percent(100 * kernel.time / all)),
          .evidence = kernel.best->message,
          .suggestion = "See the rule's message; estimates of different rules do not add up",
          .command = fmt::format("launch_rules --where 'id = {}'", kernel.best_launch),
          .confidence = Confidence::medium,
          .severity = context.sampled_severity(kernel.saved / all)};
}

Finding warned(const MeasuredKernel& kernel, double all) {
  std::vector<std::string> rules;
  std::vector<std::string> words;
  for (const RuleResult* rule : kernel.warnings) {
    rules.push_back(rule->rule);
    words.push_back(rule->rule + ": " + measured_sentences(rule->message));
  }
  return {
      .rule = "slow_kernel",
      .title = fmt::format("Nsight Compute warns of {}, {} of the measured kernel time: {}", title_name(kernel.name),
                           format_percent(100 * kernel.warned_time / all), fmt::join(rules, ", ")),
      .evidence = fmt::format("{}", fmt::join(words, "; ")),
      .suggestion = "See the messages of these rules; they come without an estimate of what could be gained",
      .command = fmt::format("launch_rules --where 'id = {}'", kernel.warned_launch),
      .confidence = Confidence::medium,
      .severity = Severity::warning};
}

/// Where no rule of the profiler has anything to say, what takes the time.
Finding longest(RuleContext& context, const MeasuredKernel& kernel, double all) {
  const bool has_rules = !context.table("launch_rules").empty();
  const bool is_of_nsight = std::ranges::any_of(context.session().runs,
                                                [](const Run& run) { return recorded_format(run).starts_with("ncu"); });
  return {
      .rule = "dominant_kernel",
      .title = fmt::format("{}{} takes {} of the measured kernel time",
                           has_rules ? "No rule of the kernel profiler warns of a launch; " : "",
                           title_name(kernel.name), format_percent(100 * kernel.time / all)),
      .evidence = format_count(static_cast<int64_t>(kernel.launches), "launch", "launches"),
      .suggestion = has_rules || !is_of_nsight
                        ? "See how near it is to the limits of the device"
                        : "See how near it is to the limits of the device; the profiler's rules say more where it has "
                          "recorded what they need (ncu --set full)",
      .command = "launch_metrics",
      .confidence = Confidence::high};
}

}  // namespace

void find_measured_launches(RuleContext& context, std::vector<Finding>& findings) {
  std::vector<MeasuredKernel> kernels = measured_kernels(context.session());
  double all = 0;
  for (const MeasuredKernel& kernel : kernels) all += kernel.time;
  if (!(all > 0)) return;
  const double least = context.thresholds().sampled_share;
  const size_t before = findings.size();

  std::ranges::stable_sort(kernels, [](const auto& a, const auto& b) { return a.saved > b.saved; });
  std::vector<const MeasuredKernel*> others;
  for (const MeasuredKernel& kernel : kernels) {
    if (!(kernel.saved > 0) || kernel.saved < least * kernel.time || findings.size() - before == kMostKernels) {
      others.push_back(&kernel);
    } else {
      findings.push_back(estimated(context, kernel, all));
    }
  }
  std::ranges::stable_sort(others, [](const auto* a, const auto* b) { return a->warned_time > b->warned_time; });
  size_t warnings = 0;
  for (const MeasuredKernel* kernel : others) {
    if (kernel->warnings.empty() || kernel->warned_time < least * all || warnings++ == kMostKernels) continue;
    findings.push_back(warned(*kernel, all));
  }
  if (findings.size() > before) return;
  const auto most =
      std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  findings.push_back(longest(context, *most, all));
}

}  // namespace cgpu
