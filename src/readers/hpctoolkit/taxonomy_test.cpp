#include "readers/hpctoolkit/taxonomy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "readers/hpctoolkit/metric_catalog.h"

namespace cgpu::hpctoolkit {
namespace {

const std::string kInputs = R"(
version: 0
inputs:
  - &a
    metric: A (sec)
    scope: execution
    formula: $$
    combine: sum
  - &b {metric: B, scope: execution}
  - &b2 {<<: *b, scope: function}
  - &most {metric: B, scope: execution, combine: max}
)";

std::vector<TaxonomyMetric> read(const std::string& roots, Notes* notes = nullptr) {
  Notes own;
  return read_taxonomy(kInputs + roots, notes != nullptr ? *notes : own);
}

/// The value of a formula in the place of `roots`, with A = 6 and B = 2.
double value_of(const std::string& formula) {
  const auto metrics =
      read("roots:\n  - {name: X, variants: {Sum: {formula: {inclusive: {standard: " + formula + "}}}}}\n");
  if (metrics.size() != 1) return kNoValue;
  const TaxonomyMetric& metric = metrics.front();
  return metric.formula.value([&](uint32_t input) { return metric.inputs[input] == "A (sec)" ? 6.0 : 2.0; });
}

TEST(HpctoolkitTaxonomy, FormulasInEveryNotation) {
  EXPECT_EQ(value_of("*a"), 6);
  EXPECT_EQ(value_of("{/: [*a, *b]}"), 3);
  EXPECT_EQ(value_of("{\"*\": [100, {/: [*a, *b2]}]}"), 300);
  EXPECT_EQ(value_of("[*a, /, *b]"), 3);
  EXPECT_EQ(value_of("[4*,[*a,-,*b]]"), 16);
  EXPECT_EQ(value_of("[1 + 2 *, *a]"), 13);   // * before +
  EXPECT_EQ(value_of("[*a, -, *b, -1]"), 3);  // from the left
  EXPECT_EQ(value_of("[2 ^ 3 ^ 2]"), 512);    // from the right
  EXPECT_EQ(value_of("[-3 + , *a]"), 3);
  EXPECT_EQ(value_of("{min: [100, {max: [0, *a]}]}"), 6);
  EXPECT_EQ(value_of("{strict floor: [*b]}"), 1);
  EXPECT_EQ(value_of("{sum: [ [1+,*a], *b]}"), 9);
  EXPECT_DOUBLE_EQ(value_of("{log: [{pow: [*b, 5]}, 2]}"), 5);
}

TEST(HpctoolkitTaxonomy, WhatCannotBeReadIsCounted) {
  for (const char* formula : {"*most", "{unknown: [1]}", "{/: [1]}", "[*a, *b]", "[*a, +]", "[+, *a]", "1 2", "x", "[]",
                              "{sqrt: 4}", "{+: []}"}) {
    Notes notes;
    EXPECT_TRUE(read("roots:\n  - {name: X, variants: {Sum: {formula: {inclusive: {standard: " + std::string(formula) +
                         "}}}}}\n",
                     &notes)
                    .empty())
        << formula;
    EXPECT_EQ(notes.count("skipped_event"), 1) << formula;
  }
}

TEST(HpctoolkitTaxonomy, ANestOfMetrics) {
  const auto metrics = read(R"(roots:
  - name: Whole
    description: All of it. And more.
    format: "%6.2f %%"
    variants:
      Sum: {formula: sum}
      Mean: {formula: first, child variant: Sum}
    children:
      - {name: A (sec), variants: {Sum: {formula: {inclusive: {standard: *a}}}}}
      - {name: Half, variants: {Sum: {formula: {exclusive: {custom: 7, standard: [*b, /, 2]}}}}}
)");
  std::map<std::string, const TaxonomyMetric*> by_name;
  for (const TaxonomyMetric& metric : metrics) by_name[metric.name] = &metric;
  ASSERT_EQ(by_name.size(), 4u);
  EXPECT_EQ(metrics[0].name.substr(0, 5), "Whole");  // before those below it
  const auto value = [&](const std::string& name) {
    const TaxonomyMetric& metric = *by_name.at(name);
    return metric.formula.value([&](uint32_t input) { return metric.inputs[input] == "B" ? 10.0 : 1.0; });
  };
  EXPECT_EQ(value("Whole"), 6);
  EXPECT_EQ(value("Whole:Mean"), 1);
  EXPECT_EQ(value("Half"), 5);
  EXPECT_TRUE(by_name["A (sec)"]->is_measured());
  EXPECT_FALSE(by_name["Whole:Mean"]->is_measured());
  EXPECT_TRUE(by_name["Whole"]->percent);
}

TEST(HpctoolkitTaxonomy, NoYamlNoMetrics) {
  for (const char* text : {"", "[", "roots: 7", "roots: [1, [2], {a: b}]", "- a\n- b", "roots: [{variants: [1]}]",
                           "{version: 1, roots: []}", "\xff\xfe\x01", "a: *nothing"}) {
    Notes notes;
    EXPECT_TRUE(read_taxonomy(text, notes).empty()) << text;
  }
}

TEST(HpctoolkitTaxonomy, CirclesEnd) {
  Notes notes;
  EXPECT_TRUE(
      read_taxonomy("roots: &r\n  - &m {name: X, children: [*m], variants: {Sum: {formula: sum}}}\n", notes).empty());
  EXPECT_TRUE(
      read_taxonomy("roots:\n  - {name: X, variants: {Sum: {formula: &f {inclusive: &g [*g]}}}}\n", notes).empty());
  EXPECT_GT(notes.count("skipped_event") + notes.count("damaged_input"), 0);
}

TEST(HpctoolkitTaxonomy, ComputedMetricsStandAmongTheMeasured) {
  std::vector<Metric> metrics{metric_of_stored_name("GKER:COUNT"), metric_of_stored_name("GKER:BLKS_ACUMU"),
                              metric_of_stored_name("B")};
  const auto taxonomy = read(R"(roots:
  - {name: "GKER:BLKS", variants: {"": {formula: {exclusive: {standard: {/: [{metric: "GKER:BLKS_ACUMU"}, {metric: "GKER:COUNT"}]}}}}}}
  - {name: Twice, format: "%f %%", variants: {Sum: {formula: {inclusive: [2 *, *b]}}}}
  - {name: Lost, variants: {Sum: {formula: {inclusive: [2 *, {metric: C}]}}}}
  - {name: B, description: the b of it, variants: {Sum: {formula: {inclusive: *b}}}}
)");
  const std::vector<MetricIndex> old = arrange_metrics(metrics, taxonomy);
  ASSERT_EQ(metrics.size(), 5u);  // "Lost" is made of what was not measured
  for (MetricIndex m = 0; m < metrics.size(); ++m) {
    EXPECT_EQ(metrics[m].measured(), old[m] != kComputed);
    const double value = combined(metrics[m], [&](MetricIndex part) {
      return metrics[part].name == "GKER:BLKS_ACUMU" ? 64.0 : metrics[part].name == "GKER:COUNT" ? 2.0 : 21.0;
    });
    if (metrics[m].name == "GKER:BLKS") {
      EXPECT_EQ(value, 32);
    }
    if (metrics[m].name == "Twice") {
      EXPECT_EQ(value, 42);
      EXPECT_EQ(metrics[m].unit, "%");
    }
    if (metrics[m].name == "B") {
      EXPECT_EQ(metrics[m].about, "the b of it");
    }
  }
}

}  // namespace
}  // namespace cgpu::hpctoolkit
