#include "readers/hpctoolkit/xml/hpctoolkit_xml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "readers/hpctoolkit/xml/finalize_formula.h"
#include "readers/hpctoolkit/xml/metric_db.h"
#include "readers/hpctoolkit/xml/test_experiment.h"

namespace cgpu::hpctoolkit_xml {
namespace {

using test::experiment;
using test::metric_db;
using test::small_rows;
using test::small_tree;
using test::TestFolder;

Run read(const TestFolder& folder) {
  return read_database({folder.path(), true, nullptr, ""}, {});
}
bool recognised(const TestFolder& folder) {
  return is_database({folder.path(), true, nullptr, ""});
}
bool has_damage(const Run& run) {
  return std::any_of(run.notes.all().begin(), run.notes.all().end(), [](const Note& note) { return note.damage; });
}
std::vector<std::string> names_of(const CallTree& tree) {
  std::vector<std::string> names;
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) names.push_back(tree.name_of(node));
  return names;
}

/// Two threads, of rank 0 and of rank 1, the second twice as long.
void write_small(const TestFolder& folder) {
  folder.write("experiment.xml", experiment(small_tree()));
  folder.write_thread(0, 0, metric_db(small_rows(1)));
  folder.write_thread(1, 0, metric_db(small_rows(1)));
}

TEST(HpctoolkitXml, CallSitesBecomePartOfTheirCallees) {
  const TestFolder folder;
  write_small(folder);
  ASSERT_TRUE(recognised(folder));
  const cgpu::Run run = read(folder);
  EXPECT_EQ(run.format, "hpctoolkit-xml");
  EXPECT_EQ(run.format_version, "2.1");
  EXPECT_FALSE(has_damage(run));
  const CallTree& tree = *run.call_tree;
  EXPECT_EQ(names_of(tree),
            (std::vector<std::string>{"<root>", "<program root>", "main", "work", "loop at main.c:21", "main.c:22",
                                      "inlined<int>", "main.c:41", "work", "main.c:22", "main.c:11", "main.c:16"}));
  EXPECT_EQ(tree.nodes.parent, (std::vector<NodeIndex>{kNoNode, 0, 1, 2, 3, 4, 3, 6, 2, 8, 2, 2}));
  EXPECT_EQ(tree.nodes.call_line, (std::vector<uint32_t>{0, 0, 0, 12, 0, 0, 0, 0, 14, 0, 0, 0}));
  EXPECT_EQ(tree.nodes.line[3], 20u);
  EXPECT_EQ(tree.nodes.kind[1], NodeKind::entry);
  EXPECT_EQ(tree.nodes.kind[4], NodeKind::loop);
  EXPECT_EQ(tree.nodes.relation[6], NodeRelation::inlined_call);
  EXPECT_EQ(tree.names[tree.nodes.module[5]], "/bin/program");
  EXPECT_EQ(tree.nodes.file[1], 0u);  // "<unknown file>"
  const auto& facts = run.metadata;
  const auto fact = [&](const std::string& key) {
    return std::find_if(facts.begin(), facts.end(), [&](const auto& f) { return f.first == key; })->second;
  };
  EXPECT_EQ(fact("title"), "program & a tool");  // an entity of the DTD
  EXPECT_EQ(fact("nodes_in_xml"), "14");
  EXPECT_EQ(fact("rows_per_profile"), "15");
}

TEST(HpctoolkitXml, ValuesAreTheSumsOfTheTables) {
  const TestFolder folder;
  write_small(folder);
  const cgpu::Run run = read(folder);
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.metrics.size(), 1u);  // the exclusive column is no metric of its own
  EXPECT_EQ(tree.metrics[0].name, "CPUTIME");
  EXPECT_EQ(tree.metrics[0].unit, "usec");
  EXPECT_EQ(tree.main_metric, MetricIndex{0});
  EXPECT_EQ(inclusive_values(tree, 0), (std::vector<double>{100, 100, 100, 60, 40, 40, 20, 20, 26, 26, 12, 2}));
  EXPECT_EQ(exclusive_values(tree, 0), (std::vector<double>{0, 0, 0, 0, 0, 40, 0, 20, 0, 26, 12, 2}));
  EXPECT_EQ(tree.find_metric("cputime (usec):Sum (I)"), MetricIndex{0});
  EXPECT_EQ(tree.find_metric("time (inc)"), MetricIndex{0});
}

TEST(HpctoolkitXml, ThreadsAreReadWhenAskedFor) {
  const TestFolder folder;
  folder.write("experiment.xml", experiment(small_tree()));
  folder.write_thread(1, 0, metric_db(small_rows(1.5)));
  folder.write_thread(0, 502, metric_db(small_rows(0)));
  folder.write_thread(0, 1, metric_db(small_rows(0.5)));
  const cgpu::Run run = read(folder);
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.profiles.size(), 3u);
  EXPECT_EQ(tree.profiles[0].name, "rank 0 thread 1");
  EXPECT_EQ(tree.profiles[1].name, "rank 0 stream 2");
  EXPECT_TRUE(tree.profiles[1].device);
  EXPECT_EQ(tree.profiles[2].name, "rank 1 thread 0");
  EXPECT_EQ(tree.profiles[2].rank, 1);
  EXPECT_EQ(run.world_size, 2);

  const auto root = tree.profile_values->of_node(0, 0);
  ASSERT_EQ(root.size(), 2u);  // the stream has none
  EXPECT_EQ(root[0].value, 25);
  EXPECT_EQ(root[1].profile, 2u);
  EXPECT_EQ(root[1].value, 75);
  EXPECT_EQ(tree.profile_values->of_profile(2, 0).size(), tree.nodes.size());
  EXPECT_TRUE(tree.profile_values->of_profile(1, 0).empty());
  // As hpcprof counts exclusive time, main has its own statement, and work both of its bodies.
  const auto function = tree.profile_values->of_scope("function", 0, std::nullopt);
  const auto of_main = std::find_if(function.begin(), function.end(), [](const NodeValue& v) { return v.node == 2; });
  ASSERT_NE(of_main, function.end());
  EXPECT_EQ(of_main->value, 12);
  EXPECT_EQ(tree.profile_values->scopes(), std::vector<std::string>{"function"});
}

TEST(HpctoolkitXml, WithoutTablesThePrintedSumsRemain) {
  const TestFolder folder;
  folder.write("experiment.xml", experiment(R"xml(<M n="2" v="1e+02"/><M n="4" v="4"/><M n="5" v="128"/>
    <PF i="2" n="6" lm="2" f="3" l="10"><M n="2" v="99.9996"/><S i="3" l="11"><M n="2" v="60"/></S>
    <S i="4" l="12"><M n="2" v="40"/></S></PF>)xml",
                                            R"xml(<Metric i="4" n="GKER:COUNT:Sum (I)" t="inclusive"/>
    <Metric i="5" n="GKER:BLK_THR_ACUMU:Sum (I)" t="inclusive"/>
    <Metric i="6" n="GKER:BLK_THR:Sum (I)" t="inclusive"><MetricFormula t="view" frm="#5/#4"/></Metric>
    <Metric i="8" n="CPUTIME (usec):Mean (I)" t="inclusive"/>)xml"));
  const cgpu::Run run = read(folder);
  const CallTree& tree = *run.call_tree;
  EXPECT_FALSE(has_damage(run));
  EXPECT_EQ(run.notes.count("missing_profiles"), 1);
  const MetricIndex time = tree.find_metric("CPUTIME").value();
  EXPECT_EQ(inclusive_value(tree, time, 0), 100);
  EXPECT_EQ(exclusive_values(tree, time), (std::vector<double>{0, 0, 60, 40}));  // six digits leave 0.0004
  EXPECT_EQ(inclusive_value(tree, tree.find_metric("GKER:BLK_THR").value(), 0), 32);
  EXPECT_FALSE(tree.metrics[*tree.find_metric("CPUTIME:Mean")].additive);
  EXPECT_FALSE(tree.profile_values);
}

TEST(HpctoolkitXml, StatisticsAreFinalizedFromWhatWasAccumulated) {
  const TestFolder folder;
  const auto metric = [](const std::string& id, const std::string& name, const std::string& formula, bool shown) {
    return "<Metric i=\"" + id + "\" n=\"CPUTIME (usec):" + name + " (I)\" t=\"inclusive\" show=\"" +
           (shown ? "1" : "0") + "\">" +
           (formula.empty() ? "" : "<MetricFormula t=\"finalize\" frm=\"" + formula + "\"/>") + "</Metric>";
  };
  folder.write(
      "experiment.xml",
      experiment(R"xml(<M n="2" v="100"/><M n="4" v="100"/><M n="5" v="4"/><M n="6" v="100"/><M n="7" v="2900"/>
                 <M n="8" v="4"/><PF i="2" n="6"><M n="4" v="60"/></PF>)xml",
                 metric("4", "Mean", "$4 / $5", true) + metric("5", "Mean:num-src", "$5", false) +
                     metric("6", "StdDev", "sqrt(($7 / $8) - pow($6 / $8, 2))", true) +
                     metric("7", "StdDev:accum2", "", false) + metric("8", "StdDev:num-src", "", false) +
                     metric("9", "Max", "most($9)", true)));
  const cgpu::Run run = read(folder);
  const CallTree& tree = *run.call_tree;
  EXPECT_EQ(tree.metrics.size(), 4u) << "what statistics are made from are no metrics";
  const auto mean = inclusive_values(tree, tree.find_metric("CPUTIME:Mean").value());
  EXPECT_EQ(mean[0], 25);
  EXPECT_TRUE(std::isnan(mean[1])) << "of unknown many threads";
  EXPECT_EQ(inclusive_value(tree, tree.find_metric("CPUTIME:StdDev").value(), 0), 10);
  EXPECT_EQ(run.notes.count("skipped_event"), 1) << "the formula of Max";
}

TEST(HpctoolkitXml, FormulasAreReadInFullOrNotAtAll) {
  const auto value = [](const std::string& text) {
    const auto formula = parse_finalize_formula(text);
    return formula ? formula->formula.value([](uint32_t operand) { return operand == 0 ? 12.0 : 5.0; }) : -1;
  };
  EXPECT_EQ(value("$3"), 12);
  EXPECT_EQ(value("$3 - $4 - 1"), 6);
  EXPECT_EQ(value("$3 + 2 * $4 / 10"), 13);
  EXPECT_EQ(value("max($3, $4, 1e2)"), 100);
  EXPECT_EQ(value(" sqrt( ($3*$3)+($4*$4) ) "), 13);
  for (const char* wrong : {"", "$", "$3 +", "($3", "$3)", "pow($3)", "mean($3)", "sqrt $3", "$3 $4", "inf"}) {
    EXPECT_EQ(value(wrong), -1) << wrong;
  }
  EXPECT_FALSE(parse_finalize_formula(std::string(100000, '(')));
}

TEST(HpctoolkitXml, TheScopeOfAColumnMayBeInItsNameOnly) {
  const TestFolder folder;
  write_small(folder);
  const size_t stated_scopes = read(folder).call_tree->profile_values->of_scope("function", 0, 0).size();
  std::string xml = experiment(small_tree());
  for (const std::string type : {"(I)\" t=\"inclusive\" db", "(E)\" t=\"exclusive\" db"}) {
    const size_t at = xml.find(type);
    ASSERT_NE(at, std::string::npos);
    xml.replace(at, type.size(), type.substr(0, 4) + " db");
  }
  folder.write("experiment.xml", xml);
  const cgpu::Run run = read(folder);
  EXPECT_FALSE(has_damage(run));
  ASSERT_EQ(run.call_tree->metrics.size(), 1u);
  EXPECT_EQ(inclusive_value(*run.call_tree, 0, 0), 100);
  EXPECT_EQ(run.call_tree->profile_values->of_scope("function", 0, 0).size(), stated_scopes);
}

TEST(HpctoolkitXml, FoundByContent) {
  const TestFolder folder;
  EXPECT_FALSE(recognised(folder));
  folder.write("experiment.xml", "<?xml version=\"1.0\"?><other/>");
  EXPECT_FALSE(recognised(folder));
  const std::string text = experiment(small_tree());
  EXPECT_TRUE(is_database({"a.xml", false, nullptr, text}));
  EXPECT_FALSE(is_database({"a.xml", false, nullptr, "<html></html>"}));
  folder.write("other.xml", text);
  const std::string path = folder.path() + "/other.xml";
  EXPECT_EQ(read_database({path, false, open_text(path), text}, {}).call_tree->nodes.size(), 12u);
}

std::string refusal(const std::string& xml) {
  const TestFolder folder;
  folder.write("experiment.xml", xml);
  try {
    read(folder);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HpctoolkitXml, WhatIsNotReadIsRefusedWithAReason) {
  EXPECT_NE(refusal(experiment(small_tree(), "", "4.0")).find("hpcprof"), std::string::npos);
  EXPECT_NE(refusal("<HPCToolkitExperiment version=\"2.2\"><SecFlatProfile i=\"0\" n=\"p\"/></HPCToolkitExperiment>")
                .find("flat profile"),
            std::string::npos);
  EXPECT_NE(refusal("<HPCToolkitExperiment version=\"2.2\"/>"), "");
  EXPECT_NE(refusal("<HPCToolkitExperiment version=\"2.2\"><SecCallPathProfile"), "");
}

TEST(HpctoolkitXml, EntitiesWithinEntitiesDoNotBlowUp) {
  std::string entities = "<!ENTITY a0 \"aaaaaaaaaa\">";
  for (int i = 1; i < 12; ++i) {
    entities += "<!ENTITY a" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) entities += "&a" + std::to_string(i - 1) + ";";
    entities += "\">";
  }
  EXPECT_NE(refusal("<!DOCTYPE HPCToolkitExperiment [" + entities +
                    "]><HPCToolkitExperiment version=\"2.1\"><Header n=\"&a11;\"/></HPCToolkitExperiment>"),
            "");
}

/// Whatever the files say, the model must hold together.
void expect_sound(const Run& run) {
  const CallTree& tree = *run.call_tree;
  for (NodeIndex node = 1; node < tree.nodes.size(); ++node) EXPECT_LT(tree.nodes.parent[node], node);
  for (MetricIndex m = 0; m < tree.metrics.size(); ++m) {
    EXPECT_TRUE(std::is_sorted(tree.metrics[m].node.begin(), tree.metrics[m].node.end()));
    for (const double value : tree.metrics[m].value) EXPECT_TRUE(std::isfinite(value));
    exclusive_values(tree, m);
    for (uint32_t p = 0; tree.profile_values && p < tree.profiles.size(); ++p) {
      for (const NodeValue& value : tree.profile_values->of_profile(p, m)) EXPECT_LT(value.node, tree.nodes.size());
      EXPECT_LE(tree.profile_values->of_scope("function", m, p).size(), tree.nodes.size());
    }
  }
}

TEST(HpctoolkitXml, CutOffAnywhereIsReadAsFarAsItGoes) {
  const std::string xml = experiment(small_tree());
  const std::string table = metric_db(small_rows(1));
  for (size_t part = 0; part < 64; ++part) {
    const TestFolder folder;
    write_small(folder);
    folder.write("experiment.xml", xml.substr(0, xml.size() * part / 64));
    try {
      const cgpu::Run run = read(folder);
      EXPECT_TRUE(has_damage(run)) << part;
      expect_sound(run);
    } catch (const Error&) {
      EXPECT_LT(part, 60u);  // before the tree there is nothing to show
    }
    folder.write("experiment.xml", xml);
    folder.write_thread(1, 0, table.substr(0, table.size() * part / 64));
    const cgpu::Run run = read(folder);
    EXPECT_TRUE(has_damage(run)) << part;
    EXPECT_GE(inclusive_value(*run.call_tree, 0, 0), 50);  // the other thread is whole
    expect_sound(run);
  }
}

TEST(HpctoolkitXml, AnyFieldOfATableMayBeWrong) {
  const std::string table = metric_db(small_rows(1));
  for (size_t at = 0; at < 32; ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      const TestFolder folder;
      write_small(folder);
      std::string wrong = table;
      wrong[at] = value;
      folder.write_thread(1, 0, wrong);
      const cgpu::Run run = read(folder);
      expect_sound(run);
      const bool version = at >= 18 && at < 23;  // not looked at
      EXPECT_EQ(has_damage(run), wrong != table && !version) << at << " " << int{value};
    }
  }
}

TEST(HpctoolkitXml, EitherByteOrderIsRead) {
  const TestFolder folder;
  write_small(folder);
  folder.write_thread(1, 0, metric_db(small_rows(1), false));
  const cgpu::Run run = read(folder);
  EXPECT_FALSE(has_damage(run));
  EXPECT_EQ(inclusive_value(*run.call_tree, 0, 0), 100);
}

TEST(HpctoolkitXml, AMissingThreadIsNoticed) {
  const TestFolder folder;
  folder.write("experiment.xml", experiment(small_tree()));
  folder.write_thread(0, 0, metric_db(small_rows(1)));
  EXPECT_TRUE(has_damage(read(folder)));  // half of the sum that the XML states
}

TEST(HpctoolkitXml, ValuesThatAreNoNumbersAreLeftOutAndCounted) {
  const TestFolder folder;
  write_small(folder);
  auto rows = small_rows(1);
  rows[13][0] = std::numeric_limits<double>::quiet_NaN();
  folder.write_thread(1, 0, metric_db(rows));
  const cgpu::Run run = read(folder);
  EXPECT_EQ(run.notes.count("invalid_number"), 1);
  expect_sound(run);

  const TestFolder printed;
  printed.write("experiment.xml", experiment("<M n=\"2\" v=\"inf\"/><PF i=\"2\" n=\"6\"><M n=\"2\" v=\"7x\"/></PF>"));
  EXPECT_EQ(read(printed).notes.count("invalid_number"), 2);
}

TEST(HpctoolkitXml, NumbersOfNodesAndNamesMayBeWrong) {
  const TestFolder folder;
  folder.write("experiment.xml", experiment(R"xml(<PF i="2" n="6" lm="2" f="99" l="x"><S i="2" l="1"/><Odd i="9">
    <S i="4294967295" l="99999999999"/></Odd><S/><PF i="-3" n="a name"/></PF>)xml"));
  folder.write_thread(0, 0, metric_db({{10, 0}, {10, 0}, {3, 0}}));
  const cgpu::Run run = read(folder);
  expect_sound(run);
  EXPECT_TRUE(has_damage(run));
  EXPECT_EQ(run.notes.count("skipped_event"), 1);  // the element "Odd"; what is in it is kept
  const CallTree& tree = *run.call_tree;
  EXPECT_EQ(tree.nodes.size(), 6u);
  EXPECT_TRUE(std::isnan(inclusive_value(tree, 0, 2)));  // its number is taken
  EXPECT_EQ(tree.name_of(5), "a name");
}

TEST(HpctoolkitXml, DeepTreesAreRead) {
  std::string tree;
  constexpr int kDepth = 20000;
  for (int i = 0; i < kDepth; ++i) tree += "<PF i=\"" + std::to_string(2 + i) + "\" n=\"7\">";
  for (int i = 0; i < kDepth; ++i) tree += "</PF>";
  const TestFolder folder;
  folder.write("experiment.xml", experiment(tree));
  EXPECT_EQ(read(folder).call_tree->nodes.size(), kDepth + 1u);
}

TEST(HpctoolkitXml, ThreadsByTheNamesOfTheirFiles) {
  EXPECT_EQ(profile_of_file("1.my-prog.x-000012-003-a8c0-77-0.metric-db").name, "rank 12 thread 3");
  EXPECT_EQ(profile_of_file("other.metric-db").name, "other.metric-db");
  EXPECT_FALSE(profile_of_file("1.a-x-y-a8c0-77-0.metric-db").rank);
  EXPECT_FALSE(profile_of_file("1.a-99999999999999999999-000-a8c0-77-0.metric-db").rank);
}

}  // namespace
}  // namespace cgpu::hpctoolkit_xml
