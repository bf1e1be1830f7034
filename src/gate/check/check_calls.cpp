#include "gate/check/check_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/common/columns.h"
#include "analysis/common/false_discovery.h"
#include "analysis/common/order_statistics.h"
#include "analysis/common/sample_counts.h"
#include "gate/check/check_tables.h"
#include "gate/check/estimate_words.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// What does not matter of a function, as a share of the whole.
constexpr double kLeastShare = 0.01;

/// What a function spends itself in a run, in all call paths, by who calls it.
struct OwnValue {
  double value = 0;
  std::map<std::string, double> by_caller;
};
using OwnValues = std::map<std::string, OwnValue>;

OwnValues own_values(const CallFigures& calls) {
  OwnValues own;
  for (const auto& [path, figure] : calls.paths) {
    const size_t last = path.rfind(CallFigures::kBelow);
    const std::string above = last == std::string::npos ? "" : path.substr(0, last);
    OwnValue& function = own[std::string(CallFigures::function_of(path))];
    function.value += figure.exclusive;
    function.by_caller[std::string(CallFigures::function_of(above))] += figure.exclusive;
  }
  return own;
}

/// The relative standard error of a value of a run by itself.
std::optional<double> error_of(const CallFigures& calls, double value, bool of_whole) {
  if (calls.metric == kSamplesMetric) return 1 / std::sqrt(std::max(value, 1.0));
  if (of_whole && ns_in_unit(calls.unit)) return 0.0;
  return std::nullopt;
}

class CallCheck {
 public:
  CallCheck(const FiguresOfRuns& a, const FiguresOfRuns& b, const CheckOptions& options)
      : a_(a), b_(b), options_(options), unit_(a.front()->calls.unit) {
    result_.rule = a.front()->calls.metric;
    result_.table = check_calls_table();
  }

  CheckedCalls run() {
    const auto whole_of = [](const FiguresOfRuns& runs) {
      Sample sample;
      for (const RunFigures* run : runs) {
        sample.add(*run->calls.whole, error_of(run->calls, *run->calls.whole, true));
      }
      return sample;
    };
    const Sample whole_a = whole_of(a_);
    const Sample whole_b = whole_of(b_);
    result_.estimate = estimate_change(whole_a, whole_b);
    from_ = median_of(whole_a.values);
    to_ = median_of(whole_b.values);
    const std::optional<double> ns = ns_in_unit(unit_);
    const double floor = ns ? static_cast<double>(options_.floor_ns) / *ns : 0;
    result_.verdict = judge(result_.estimate, from_, {options_.tolerance, floor, false});
    append_row("whole", "", from_, to_, result_.estimate, result_.verdict, std::nullopt);
    result_.text = change_text(format_value(from_, unit_), format_value(to_, unit_), result_.estimate);
    if (result_.verdict == Verdict::inconclusive && result_.estimate.method == Estimate::Method::none) {
      result_.text += ", and nothing says how much such runs vary";
    }
    compare_functions();
    return std::move(result_);
  }

 private:
  /// What a function spends itself, on both sides.
  struct Function {
    std::string name;
    double from = 0;
    double to = 0;
    std::optional<Estimate> estimate;  // where all runs have it
    double adjusted = 1;
    std::string caller;  // who calls it in most of what it takes more
  };

  void compare_functions() {
    std::vector<Function> functions = changed_functions();
    std::vector<double> chances;
    for (const Function& each : functions) chances.push_back(each.estimate ? each.estimate->p_slower : 1);
    const std::vector<double> adjusted = adjusted_chances(chances);
    for (size_t i = 0; i < functions.size(); ++i) functions[i].adjusted = adjusted[i];
    std::sort(functions.begin(), functions.end(),
              [](const Function& x, const Function& y) { return std::abs(x.to - x.from) > std::abs(y.to - y.from); });
    for (const Function& each : functions) {
      std::optional<Verdict> verdict;
      if (each.estimate) {
        // What a function may change is judged by the whole: the tolerance is a share of that.
        verdict = judge(*each.estimate, each.from, {0, options_.tolerance * from_, true});
        if (*verdict == Verdict::regression && each.adjusted > kDiscoveryRate) verdict = Verdict::inconclusive;
      }
      append_row("function", each.name, each.from, each.to, each.estimate, verdict, each.adjusted);
    }
    name_what_changed(functions);
  }

  std::vector<Function> changed_functions() const {
    std::map<std::string, std::vector<double>> values[2];
    OwnValues first[2];
    for (const FiguresOfRuns* side : {&a_, &b_}) {
      const size_t place = side == &a_ ? 0 : 1;
      for (const RunFigures* run : *side) {
        const OwnValues own = own_values(run->calls);
        for (const auto& [name, function] : own) values[place][name].push_back(function.value);
        if (run == side->front()) first[place] = own;
      }
    }
    std::map<std::string, Function> functions;
    for (const size_t place : {0, 1}) {
      for (const auto& [name, of_runs] : values[place]) {
        Function& function = functions[name];
        function.name = name;
        (place == 0 ? function.from : function.to) = median_of(of_runs);
      }
    }
    std::vector<Function> kept;
    for (auto& [name, function] : functions) {
      if (std::max(function.from, function.to) < kLeastShare * from_) continue;
      function.estimate = estimate_of(values[0][name], values[1][name]);
      function.caller = caller_of_change(first[0][name], first[1][name]);
      kept.push_back(std::move(function));
    }
    return kept;
  }

  /// Absent where a run does not have it.
  std::optional<Estimate> estimate_of(const std::vector<double>& a, const std::vector<double>& b) const {
    const auto has_none = [](double value) { return !(value > 0); };
    if (a.size() != a_.size() || b.size() != b_.size() || std::any_of(a.begin(), a.end(), has_none) ||
        std::any_of(b.begin(), b.end(), has_none)) {
      return std::nullopt;
    }
    const auto sample_of = [&](const std::vector<double>& values) {
      Sample sample;
      for (const double value : values) sample.add(value, error_of(a_.front()->calls, value, false));
      return sample;
    };
    return estimate_change(sample_of(a), sample_of(b));
  }

  static std::string caller_of_change(const OwnValue& a, const OwnValue& b) {
    std::string most;
    double largest = 0;
    for (const auto& [caller, value] : b.by_caller) {
      const auto before = a.by_caller.find(caller);
      const double more = std::abs(value - (before == a.by_caller.end() ? 0 : before->second));
      if (more > largest) {
        largest = more;
        most = caller;
      }
    }
    return most;
  }

  /// The functions that make up most of a change of the whole that is judged.
  void name_what_changed(const std::vector<Function>& functions) {
    constexpr size_t kNamed = 3;
    constexpr double kOfChange = 0.1;
    if (result_.verdict == Verdict::pass) return;
    std::vector<std::string> named;
    for (const Function& each : functions) {
      const double change = each.to - each.from;
      if (named.size() == kNamed || change / (to_ - from_) < kOfChange) continue;
      std::string text =
          fmt::format("{} {}{}", each.name, change < 0 ? "-" : "+", format_value(std::abs(change), unit_));
      if (each.from > 0) text += fmt::format(" ({})", signed_percent(change / each.from));
      if (!each.caller.empty()) text += ", called by " + each.caller;
      named.push_back(std::move(text));
    }
    if (!named.empty()) result_.text += fmt::format("; most of it in {}", fmt::join(named, "; "));
  }

  void append_row(const char* kind, const std::string& name, double from, double to,
                  const std::optional<Estimate>& estimate, std::optional<Verdict> verdict,
                  std::optional<double> adjusted) {
    const bool has_interval = estimate && estimate->method != Estimate::Method::none;
    result_.table.append({kind, name, result_.rule, unit_, from, to, to - from,
                          from > 0 ? percent(to / from - 1) : Cell(), has_interval ? percent(estimate->low) : Cell(),
                          has_interval ? percent(estimate->high) : Cell(), verdict ? Cell(text_of(*verdict)) : Cell(),
                          adjusted ? Cell(*adjusted) : Cell()});
  }

  const FiguresOfRuns& a_;
  const FiguresOfRuns& b_;
  const CheckOptions& options_;
  std::string unit_;
  double from_ = 0;
  double to_ = 0;
  CheckedCalls result_;
};

}  // namespace

bool are_compared_by_calls(const FiguresOfRuns& baseline, const FiguresOfRuns& candidate, const CheckOptions& options) {
  for (const FiguresOfRuns* side : {&baseline, &candidate}) {
    for (const RunFigures* run : *side) {
      const CallFigures& calls = run->calls;
      if (!calls.whole || !(*calls.whole > 0) || !calls.is_sum) return false;
      if (calls.metric != baseline.front()->calls.metric || calls.unit != baseline.front()->calls.unit) return false;
      if (options.metric.empty() && (run->has_iterations() || !run->classes.empty())) return false;
    }
  }
  return true;
}

CheckedCalls check_calls(const FiguresOfRuns& baseline, const FiguresOfRuns& candidate, const CheckOptions& options) {
  return CallCheck(baseline, candidate, options).run();
}

}  // namespace cgpu
