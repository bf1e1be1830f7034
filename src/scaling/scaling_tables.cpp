// The tables of scaling.h, without rows.
#include "analysis/common/columns.h"
#include "scaling/scaling.h"

namespace cgpu {

namespace {

/// In the unit of the row.
Column figure(const char* name, const char* about) {
  return real_column(name, "", about);
}

}  // namespace

Table scale_table() {
  return {
      "scale",
      "how runs grow with their size: a law for each of their figures, what grows fastest first",
      {detail_column(key_column(
           "kind",
           "time, memory, op, kernel, class, layer or module (device time of an iteration and rank); total: the "
           "metric of a call tree in the whole program; function: what it spends itself, in all call paths; call: "
           "a call path and below, of metrics that are no sums")),
       main_column(key_column("name", "of what")),
       main_column(text_column(
           "verdict",
           "grows, levels off, falls, or constant within noise; absent where fewer than three sizes have a value")),
       main_column(text_column("term", "of the law: a power of the size p and of its logarithm; 1 of a constant")),
       text_column("law", "constant and coefficient with the term, for people"),
       text_column("unit",
                   "of first, last, growth, predicted, low, high, held_out and what begins with that, constant "
                   "and coefficient"),
       figure("first", "mean over the runs of the smallest size"),
       main_column(figure("last", "likewise of the largest size")),
       figure("growth", "last less first"),
       main_column(real_column("share_pct", "%",
                               "growth, of that of the first row (an iteration, the whole, or the metric); above 100 "
                               "where what grew overlaps other work; absent where the first row does not grow")),
       detail_column(real_column("at", "", "the size that is predicted")),
       main_column(figure("predicted", "by the law, at this size")),
       figure("low", "lower bound at 95 %, over all laws that the runs do not reject"),
       figure("high", "upper bound"),
       detail_column(text_column("extrapolation", "far, where at is more than 4 times the largest size")),
       detail_column(text_column("slowest_term", "of the laws that are not rejected")),
       detail_column(text_column("fastest_term", "likewise")),
       detail_column(real_column("smape_pct", "%",
                                 "symmetric mean absolute percentage error of the law, of each size by the law of the "
                                 "others")),
       detail_column(real_column("noise_pct", "%", "standard deviation of a run, of what the law gives; 1 at least")),
       detail_column(count_column("sizes", "with a value above 0, which the law is fitted to")),
       detail_column(
           real_column("held_out_size", "", "the size that another law, of the other sizes, is held against")),
       detail_column(figure("held_out", "mean over the runs of this size")),
       detail_column(figure("held_out_predicted", "by the law of the other sizes")),
       detail_column(figure("held_out_low", "lower bound for the mean of as many new runs, at 95 %")),
       detail_column(figure("held_out_high", "upper bound")),
       real_column("held_out_error_pct", "%", "held_out_predicted less held_out, of held_out"),
       detail_column(figure("constant", "of the law")),
       detail_column(figure("coefficient", "of its term")),
       detail_column(real_column("exponent", "", "of the size in the term")),
       detail_column(number_column("log_exponent", "of its binary logarithm"))}};
}

Table scale_sizes_table() {
  return {"scale_sizes",
          "each figure at each size, and at the size that is predicted: measured, and by its law",
          {key_column("kind", "as in scale"), key_column("name", "of what"), real_column("size", "", "of the runs"),
           count_column("runs", "of this size; 0 where it is predicted alone"), text_column("unit", "of the figures"),
           figure("measured", "mean over the runs; absent where there are none"), figure("predicted", "by the law"),
           figure("low", "lower bound at 95 %, over all laws that the runs do not reject"),
           figure("high", "upper bound"), real_column("error_pct", "%", "predicted less measured, of measured")}};
}

Table scale_runs_table() {
  return {"scale_runs",
          "the runs, in the order in which they were given",
          {number_column("run", "from 1"), real_column("size", "", "of the run"), text_column("unit", "of value"),
           figure("value",
                  "an iteration (the median), the whole where a run has no iterations, or the metric of the "
                  "call tree"),
           key_column("input", "as it was given"), text_column("devices", "devices and ranks")}};
}

std::vector<Table> scale_tables() {
  return {scale_table(), scale_sizes_table(), scale_runs_table()};
}

}  // namespace cgpu
