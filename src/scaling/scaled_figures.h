// The figures of runs of several sizes (gate/runs/many_figures.h), each with its law of growth and what holds that
// against a size that was left out. O(runs x names).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scaling/growth_model.h"
#include "scaling/scaling.h"

namespace cgpu {

enum class Growth : uint8_t {
  grows,
  levels_off,  // grows up to a bound: a term that falls, with a coefficient below 0
  constant,    // within noise
  falls,
  unknown,  // no law
};
const char* text_of(Growth growth);  // "" of unknown

/// The law of all other sizes, and what was measured at the one that was left out.
struct HeldOut {
  double size = 1;
  double measured = 0;
  Predicted predicted;  // for the mean of as many new runs

  double error_pct() const { return 100 * (predicted.value - measured) / measured; }
};

struct ScaledFigure {
  std::string kind;  // as in table scale
  std::string name;
  std::string unit;
  std::vector<std::optional<double>> values;  // by run
  std::vector<MeasuredSize> means;            // of the runs that have a value
  std::optional<GrowthModel> model;
  std::optional<HeldOut> held_out;
  Growth growth = Growth::unknown;
  bool matters = true;  // of the kind: 1 % of the first figure at least, at the largest size or the predicted one

  double first() const { return means.empty() ? 0 : means.front().mean; }
  double last() const { return means.empty() ? 0 : means.back().mean; }
  double grown() const { return last() - first(); }
};

struct ScaledFigures {
  std::vector<ScaledFigure> general;  // of times, memory, the metric of the whole; the first is what counts
  std::vector<ScaledFigure> parts;    // of the kind; those that matter first, of them what grows fastest first
  std::string kind;                   // of the parts; "" without any
};

/// `at`: the size that is predicted; `left_out`: the one to hold laws against, where four sizes or more have values.
/// Throws Error as scaling_of() does.
ScaledFigures scaled_figures(const SizedRuns& sized, const ScalingOptions& options, double at, double left_out);

}  // namespace cgpu
