#include "scaling/scaling_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/common/order_statistics.h"
#include "gate/check/estimate.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kMostListed = 8;

std::string name_in_line(const ScaledFigure& figure) {
  constexpr size_t kWidest = 60;
  return shorten(printable(figure.name), kWidest);
}

std::string interval_text(const Predicted& predicted, const std::string& unit) {
  return fmt::format("{} ({} to {})", format_value(predicted.value, unit), format_value(predicted.low, unit),
                     format_value(predicted.high, unit));
}

/// "Step time", "Whole run", or what a metric is called.
std::string whole_name(const ScaledFigure& whole, bool per_rank) {
  if (per_rank && whole.kind == "total") return whole.name + " per rank";
  if (whole.name == "step_time") return "Step time";
  return whole.name == "span" ? "Whole run" : whole.name;
}

/// A coefficient of a term may be far below a nanosecond.
std::string coefficient_text(double value, const std::string& unit) {
  const double ns = value * ns_in_unit(unit).value_or(0);
  return ns > 0 && ns < 1 ? fmt::format("{:.3g} ns", ns) : format_value(value, unit);
}

class Words {
 public:
  Words(const SizedRuns& sized, const ScalingOptions& options, const ScaledFigures& figures, double at)
      : sized_(sized), options_(options), figures_(figures), whole_(figures.general.front()), at_(at) {
    const auto [smallest, largest] = std::minmax_element(sized.sizes.begin(), sized.sizes.end());
    smallest_ = *smallest;
    largest_ = *largest;
  }

  std::vector<std::string> all() {
    add_headline();
    add_law();
    add_held_out();
    add_sum_of_parts();
    add_limits();
    add_growing();
    add_without_law();
    add_devices();
    return std::move(lines_);
  }

 private:
  std::string size(double value) const { return size_text(value, options_.parameter); }

  std::string range() const {
    const std::string from = size(smallest_);
    const bool is_counted = options_.parameter == kRanks;
    return is_counted ? fmt::format("from {} to {}", smallest_, size(largest_))
                      : fmt::format("from {} to {}", from, largest_);
  }

  bool is_growing(const ScaledFigure& figure) const {
    return figure.matters && (figure.growth == Growth::grows || figure.growth == Growth::levels_off) &&
           figure.grown() > 0;
  }

  /// The part that takes most more at the largest size than at the smallest; null where none grows.
  const ScaledFigure* largest_growth() const {
    const ScaledFigure* largest = nullptr;
    for (const ScaledFigure& part : figures_.parts) {
      if (is_growing(part) && (largest == nullptr || part.grown() > largest->grown())) largest = &part;
    }
    return largest;
  }

  /// "71 % of the growth", or by how much, where shares say nothing.
  std::string amount(const ScaledFigure& part) const {
    constexpr double kSame = 1.1;  // more than all of it where another part falls, or runs at the same time
    const double share = part.grown() / whole_.grown();
    const bool is_share = (whole_.growth == Growth::grows || whole_.growth == Growth::levels_off) && whole_.grown() > 0;
    if (is_share && share <= kSame) return fmt::format("{:.0f} % of the growth", 100 * share);
    return fmt::format("{} more", format_value(part.grown(), part.unit));
  }

  std::string how_it_grows(const ScaledFigure& figure) const {
    const std::string term = figure.model->law.term.text();
    switch (figure.growth) {
      case Growth::grows:
        return "grows as " + term;
      case Growth::levels_off:
        return fmt::format("levels off ({})", term);
      case Growth::falls:
        return "falls as " + term;
      default:
        return text_of(figure.growth);
    }
  }

  void add_headline() {
    const std::string name = whole_name(whole_, options_.per_rank);
    if (!whole_.model) {
      lines_.push_back(
          fmt::format("{} {}: it has values above 0 at fewer than three sizes, and no law", name, range()));
      return;
    }
    std::string line = fmt::format("{} {} -> {} {}", name, format_value(whole_.first(), whole_.unit),
                                   format_value(whole_.last(), whole_.unit), range());
    const ScaledFigure* culprit = largest_growth();
    if (!is_growing(whole_)) line += ": " + how_it_grows(whole_);
    if (culprit != nullptr) {
      line += fmt::format("{}{} {}, {}", is_growing(whole_) ? ": " : ", but ", name_in_line(*culprit),
                          how_it_grows(*culprit), amount(*culprit));
    } else if (is_growing(whole_)) {
      line += ": " + how_it_grows(whole_);
    }
    lines_.push_back(fmt::format("{}; at {} {}", line, size(at_), interval_text(whole_.model->at(at_), whole_.unit)));
  }

  void add_law() {
    if (!whole_.model) return;
    const GrowthModel& model = *whole_.model;
    std::string line = fmt::format("Law of {} sizes: {} = {}; cross-validated error {}", model.sizes,
                                   whole_name(whole_, options_.per_rank), law_text(model.law, whole_.unit),
                                   format_percent(model.law.smape_pct));
    line += fmt::format(", noise of a run {}{}", format_percent(100 * model.noise),
                        model.noise == kBetweenRuns ? " (assumed: the runs show less)" : "");
    const GrowthTerm& slowest = model.not_rejected.front().term;
    const GrowthTerm& fastest = model.not_rejected.back().term;
    if (slowest != fastest) {
      line += fmt::format("; the runs allow terms from {} to {}", slowest.text(), fastest.text());
    }
    lines_.push_back(std::move(line));
  }

  void add_held_out() {
    if (!whole_.held_out) {
      if (whole_.model && whole_.model->sizes <= kFewestSizes) {
        lines_.emplace_back("Not held against a size that is left out: that takes four sizes");
      }
      return;
    }
    const HeldOut& held = *whole_.held_out;
    std::string line = fmt::format("Held against {}, left out: predicted {}, measured {}, error {:+.1f} %",
                                   size(held.size), interval_text(held.predicted, whole_.unit),
                                   format_value(held.measured, whole_.unit), held.error_pct());
    const bool is_inside = held.predicted.low <= held.measured && held.measured <= held.predicted.high;
    if (!is_inside) line += " (outside of the interval: the law does not hold that far)";
    std::vector<double> errors;
    const ScaledFigure* worst = nullptr;
    for (const ScaledFigure& part : figures_.parts) {
      if (!part.matters || !part.held_out) continue;
      errors.push_back(std::abs(part.held_out->error_pct()));
      if (errors.back() == std::ranges::max(errors)) worst = &part;
    }
    if (!errors.empty()) {
      line += fmt::format("; of {} {} the median error is {}, the largest {} ({})", errors.size(),
                          plural(figures_.kind, errors.size()), format_percent(median_of(errors)),
                          format_percent(std::ranges::max(errors)), name_in_line(*worst));
    }
    lines_.push_back(std::move(line));
  }

  /// What the parts add up to, where that is the whole so far and no longer later: the fastest term of a sum shows
  /// late.
  void add_sum_of_parts() {
    constexpr double kSameSum = 0.1;
    if (!whole_.model) return;
    double last = 0;
    double later = 0;
    for (const ScaledFigure& part : figures_.parts) {
      last += part.last();
      later += part.model ? part.model->at(at_).value : part.last();
    }
    const Predicted predicted = whole_.model->at(at_);
    if (std::abs(last - whole_.last()) > kSameSum * whole_.last()) return;
    if (predicted.low <= later && later <= predicted.high) return;
    lines_.push_back(fmt::format(
        "The laws of its {} add up to {} at {}, outside of that interval: what grows fastest in a part shows late in the sum",
        plural(figures_.kind, 2), format_value(later, whole_.unit), size(at_)));
  }

  static std::string plural(const std::string& kind, size_t count) {
    if (count == 1) return kind;
    return kind == "class" ? "classes" : kind + "s";
  }

  void add_limits() {
    if (at_ > kFarExtrapolation * largest_) {
      lines_.push_back(fmt::format(
          "Extrapolated far: {} is more than {} times the largest size, and nothing says that the law goes on until there",
          size(at_), kFarExtrapolation));
    }
    const bool is_sum = options_.by_call_trees && sized_.runs.front().figures.calls.is_sum;
    if (is_sum && options_.parameter == kRanks && !options_.per_rank) {
      lines_.push_back(fmt::format(
          "{} is a sum, over ranks where a profile is of all of them, and grows as p then where a rank takes as long; "
          "--per-rank divides it, --metric names another one",
          whole_.name));
    }
  }

  void add_growing() {
    std::vector<const ScaledFigure*> growing;
    for (const ScaledFigure& part : figures_.parts) {
      if (is_growing(part)) growing.push_back(&part);
    }
    if (growing.empty()) {
      if (!figures_.parts.empty()) {
        lines_.push_back(fmt::format("No {} that takes 1 % or more grows beyond its noise", figures_.kind));
      }
      return;
    }
    lines_.emplace_back("What does not scale, what grows fastest first:");
    for (size_t i = 0; i < std::min(kMostListed, growing.size()); ++i) {
      const ScaledFigure& part = *growing[i];
      lines_.push_back(fmt::format("  {}: {}, {} -> {}, {}; at {} {}", name_in_line(part), how_it_grows(part),
                                   format_value(part.first(), part.unit), format_value(part.last(), part.unit),
                                   amount(part), size(at_), interval_text(part.model->at(at_), part.unit)));
    }
    if (growing.size() > kMostListed) {
      lines_.push_back(fmt::format("  ... {} more in table scale", growing.size() - kMostListed));
    }
  }

  void add_without_law() {
    std::vector<std::string> names;
    for (const ScaledFigure& part : figures_.parts) {
      if (part.matters && !part.model) names.push_back(name_in_line(part));
    }
    if (names.empty()) return;
    const size_t count = names.size();
    names.resize(std::min(kMostListed, count));
    lines_.push_back(fmt::format("At fewer than three sizes, without a law: {}{}", fmt::join(names, ", "),
                                 count > kMostListed ? ", ..." : ""));
  }

  /// That runs are on other devices than the first one, which is more than a size.
  void add_devices() {
    const auto names_of = [&](size_t run) {
      std::set<std::string> names;
      for (const auto& [name, count] : sized_.runs[run].figures.devices) names.insert(name);
      return names;
    };
    for (size_t run = 1; run < sized_.runs.size(); ++run) {
      if (names_of(run) == names_of(0)) continue;
      lines_.push_back(fmt::format("Run {} is on other devices than run 1 ({}, {}): not the size alone differs",
                                   run + 1, fmt::join(names_of(run), ", "), fmt::join(names_of(0), ", ")));
      return;
    }
  }

  const SizedRuns& sized_;
  const ScalingOptions& options_;
  const ScaledFigures& figures_;
  const ScaledFigure& whole_;
  double at_;
  double smallest_ = 1;
  double largest_ = 1;
  std::vector<std::string> lines_;
};

}  // namespace

std::string size_text(double size, const std::string& parameter) {
  if (parameter == kRanks) return fmt::format("{} {}", size, size == 1 ? "rank" : "ranks");
  return fmt::format("{} {}", parameter, size);
}

std::string law_text(const GrowthLaw& law, const std::string& unit) {
  if (law.term.is_constant()) return format_value(law.constant, unit);
  return fmt::format("{} {} {} {}", format_value(law.constant, unit), law.coefficient < 0 ? '-' : '+',
                     coefficient_text(std::abs(law.coefficient), unit), law.term.text());
}

std::vector<std::string> scaling_words(const SizedRuns& sized, const ScalingOptions& options,
                                       const ScaledFigures& figures, double at) {
  return Words(sized, options, figures, at).all();
}

}  // namespace cgpu
