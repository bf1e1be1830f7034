#include "scaling/scaling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/common/columns.h"
#include "base/error.h"
#include "gate/figures/comparable.h"
#include "scaling/scaled_figures.h"
#include "scaling/scaling_words.h"

namespace cgpu {

namespace {

std::set<double> checked_sizes(const SizedRuns& sized, const ScalingOptions& options) {
  std::set<double> sizes(sized.sizes.begin(), sized.sizes.end());
  const auto check = [](double size) {
    const bool is_size = size >= 1 && size <= kLargestSize;
    if (!is_size)
      throw Error(fmt::format("scale: {} is no size: sizes are numbers from 1 to {:g}", size, kLargestSize));
  };
  std::for_each(sized.sizes.begin(), sized.sizes.end(), check);
  if (options.at) check(*options.at);
  if (sizes.size() == 1) {
    throw Error(
        fmt::format("scale: all {} runs are of {}: give runs of at least three sizes, or say what their sizes are: "
                    "--sizes 2,4,8, 2=RUN before each, or --parameter KEY of table info",
                    sized.runs.size(), size_text(*sizes.begin(), options.parameter)));
  }
  if (sizes.size() < kFewestSizes) {
    throw Error(
        fmt::format("scale: the {} runs are of two sizes ({}), and any law goes through two points: give runs of "
                    "at least three sizes",
                    sized.runs.size(), fmt::join(sizes, " and ")));
  }
  if (options.per_rank && options.parameter != kRanks) {
    throw Error(fmt::format("scale: --per-rank: the sizes are of {}, not of ranks", options.parameter));
  }
  if (!options.leave_out) return sizes;
  if (!sizes.contains(*options.leave_out)) {
    throw Error(fmt::format("scale: --leave-out {}: no run is of that size; there are {}", *options.leave_out,
                            fmt::join(sizes, ", ")));
  }
  if (sizes.size() == kFewestSizes) {
    throw Error("scale: --leave-out: without that size there are two, and any law goes through two points");
  }
  return sizes;
}

Cell share_pct(const ScaledFigure& figure, const ScaledFigure& whole) {
  const bool is_comparable =
      figure.kind != "memory" && (whole.growth == Growth::grows || whole.growth == Growth::levels_off);
  if (!is_comparable || whole.grown() <= 0) return {};
  return 100 * figure.grown() / whole.grown();
}

void append_law(const ScaledFigure& figure, const ScaledFigure& whole, double at, double largest, Table& table) {
  const auto first = [&](const auto& value) -> Cell { return figure.means.empty() ? Cell() : Cell(value); };
  Row row = {cell(figure.kind), cell(figure.name)};
  if (!figure.model) {
    const size_t sizes = static_cast<size_t>(
        std::ranges::count_if(figure.means, [](const MeasuredSize& size) { return size.mean > 0; }));
    row.resize(table.columns.size());
    row[table.column("unit")] = cell(figure.unit);
    row[table.column("first")] = first(figure.first());
    row[table.column("last")] = first(figure.last());
    row[table.column("growth")] = first(figure.grown());
    row[table.column("share_pct")] = figure.means.empty() ? Cell() : share_pct(figure, whole);
    row[table.column("sizes")] = static_cast<int64_t>(sizes);
    table.append(row);
    return;
  }
  const GrowthModel& model = *figure.model;
  const Predicted predicted = model.at(at);
  const auto& held = figure.held_out;
  const auto held_figure = [&](auto value) { return held ? Cell(value(*held)) : Cell(); };
  row.insert(row.end(), {cell(text_of(figure.growth)),
                         cell(model.law.term.text()),
                         cell(law_text(model.law, figure.unit)),
                         cell(figure.unit),
                         figure.first(),
                         figure.last(),
                         figure.grown(),
                         share_pct(figure, whole),
                         at,
                         predicted.value,
                         predicted.low,
                         predicted.high,
                         at > kFarExtrapolation * largest ? cell("far") : Cell(),
                         cell(model.not_rejected.front().term.text()),
                         cell(model.not_rejected.back().term.text()),
                         model.law.smape_pct,
                         100 * model.noise,
                         static_cast<int64_t>(model.sizes),
                         held_figure([](const HeldOut& of) { return of.size; }),
                         held_figure([](const HeldOut& of) { return of.measured; }),
                         held_figure([](const HeldOut& of) { return of.predicted.value; }),
                         held_figure([](const HeldOut& of) { return of.predicted.low; }),
                         held_figure([](const HeldOut& of) { return of.predicted.high; }),
                         held_figure([](const HeldOut& of) { return of.error_pct(); }),
                         model.law.constant,
                         model.law.coefficient,
                         model.law.term.exponent(),
                         static_cast<int64_t>(model.law.term.log_exponent)});
  table.append(row);
}

void append_sizes(const ScaledFigure& figure, double at, Table& table) {
  std::vector<MeasuredSize> sizes = figure.means;
  const auto is_at = [&](const MeasuredSize& size) { return size.size == at; };
  if (figure.model && std::none_of(sizes.begin(), sizes.end(), is_at)) sizes.push_back({at, 0, 0});
  std::ranges::stable_sort(sizes, {}, &MeasuredSize::size);
  for (const MeasuredSize& size : sizes) {
    const bool is_measured = size.runs > 0;
    Row row = {cell(figure.kind), cell(figure.name),
               size.size,         static_cast<int64_t>(size.runs),
               cell(figure.unit), is_measured ? Cell(size.mean) : Cell()};
    row.resize(table.columns.size());
    // What is not there follows no law.
    if (figure.model && !(is_measured && size.mean == 0)) {
      const Predicted predicted = figure.model->at(size.size);
      row[table.column("predicted")] = predicted.value;
      row[table.column("low")] = predicted.low;
      row[table.column("high")] = predicted.high;
      if (is_measured) row[table.column("error_pct")] = 100 * (predicted.value - size.mean) / size.mean;
    }
    table.append(row);
  }
}

void append_runs(const SizedRuns& sized, const ScaledFigure& whole, Table& table) {
  for (size_t run = 0; run < sized.runs.size(); ++run) {
    table.append({static_cast<int64_t>(run + 1), sized.sizes[run], cell(whole.unit), cell(whole.values[run]),
                  cell(sized.runs[run].input), cell(devices_text(sized.runs[run].figures))});
  }
}

}  // namespace

Scaling scaling_of(SizedRuns sized, const ScalingOptions& options) {
  const std::set<double> sizes = checked_sizes(sized, options);
  if (!options.by_call_trees) {
    std::vector<RunFigures*> figures;
    for (GivenRun& run : sized.runs) figures.push_back(&run.figures);
    compare_by_repetitions(figures);
  }
  const double largest = *sizes.rbegin();
  const double at = options.at.value_or(2 * largest);
  const ScaledFigures figures = scaled_figures(sized, options, at, options.leave_out.value_or(largest));
  Scaling scaling{{}, scale_table(), scale_sizes_table(), scale_runs_table()};
  for (const auto* rows : {&figures.general, &figures.parts}) {
    for (const ScaledFigure& figure : *rows) {
      append_law(figure, figures.general.front(), at, largest, scaling.laws);
      append_sizes(figure, at, scaling.sizes);
    }
  }
  append_runs(sized, figures.general.front(), scaling.runs);
  scaling.words = scaling_words(sized, options, figures, at);
  return scaling;
}

}  // namespace cgpu
