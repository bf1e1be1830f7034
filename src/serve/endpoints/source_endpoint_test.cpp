#include <gtest/gtest.h>

#include "base/error.h"
#include "serve/line_costs.h"
#include "serve/test_json.h"
#include "serve/viewer.h"

namespace cgpu {
namespace {

/// Files that a test writes down.
class TestSources : public SourceFiles {
 public:
  explicit TestSources(std::vector<std::pair<std::string, std::string>> files) {
    for (auto& [name, text] : files) {
      files_.push_back({name, "src/" + name, text.size()});
      texts_.push_back(std::move(text));
    }
  }
  const std::vector<SourceFile>& files() const override { return files_; }
  std::string text(size_t number, size_t most) const override {
    if (texts_.at(number) == "gone") throw Error(files_[number].stored, "is no longer there");
    return texts_[number].substr(0, most);
  }

 private:
  std::vector<SourceFile> files_;
  std::vector<std::string> texts_;
};

/// Nodes with what they cost by themselves.
class TestTree {
 public:
  TestTree() {
    tree_.metrics.resize(1);
    tree_.metrics[0].name = "TIME";
    tree_.metrics[0].unit = "sec";
    tree_.main_metric = 0;
    add(kNoNode, NodeKind::root, "", 0, 0);
  }
  NodeIndex add(NodeIndex parent, NodeKind kind, const std::string& file, uint32_t line, double own,
                uint32_t call_line = 0) {
    CallNodes& nodes = tree_.nodes;
    nodes.parent.push_back(parent);
    nodes.kind.push_back(kind);
    nodes.relation.push_back(kind == NodeKind::function ? NodeRelation::call : NodeRelation::lexical);
    nodes.name.push_back(0);
    nodes.file.push_back(file.empty() ? 0 : tree_.names.intern(file));
    nodes.module.push_back(0);
    nodes.line.push_back(line);
    nodes.call_line.push_back(call_line);
    own_.push_back(own);
    return nodes.size() - 1;
  }
  CallTree tree() {
    std::vector<double> inclusive = own_;
    for (NodeIndex node = tree_.nodes.size(); node-- > 1;) inclusive[tree_.nodes.parent[node]] += inclusive[node];
    for (NodeIndex node = 0; node < inclusive.size(); ++node) {
      if (inclusive[node] == 0) continue;
      tree_.metrics[0].node.push_back(node);
      tree_.metrics[0].value.push_back(inclusive[node]);
    }
    return std::move(tree_);
  }

 private:
  CallTree tree_;
  std::vector<double> own_;
};

/// Line 5 of a.c calls itself by way of b.c, and has a cost of its own; a loop of lines 7 and 8; line 9 costs nothing.
CallTree recursive_tree() {
  TestTree tree;
  const NodeIndex main = tree.add(0, NodeKind::function, "a.c", 1, 0);
  const NodeIndex line = tree.add(main, NodeKind::line, "a.c", 5, 1);
  const NodeIndex other = tree.add(line, NodeKind::function, "b.c", 1, 0);
  const NodeIndex call = tree.add(other, NodeKind::line, "b.c", 3, 2);
  const NodeIndex again = tree.add(call, NodeKind::function, "a.c", 1, 0);
  tree.add(again, NodeKind::line, "a.c", 5, 4);
  const NodeIndex loop = tree.add(main, NodeKind::loop, "a.c", 7, 8);
  tree.add(loop, NodeKind::line, "a.c", 7, 16);
  tree.add(loop, NodeKind::line, "a.c", 8, 32);
  tree.add(main, NodeKind::line, "a.c", 9, 0);
  return tree.tree();
}

std::vector<std::array<double, 3>> costs_of(const CallTree& tree, const std::string& file) {
  std::vector<std::array<double, 3>> costs;
  for (const LineCost& cost : line_costs(tree, 0, tree.names.find(file))) {
    costs.push_back({static_cast<double>(cost.line), cost.inclusive, cost.exclusive});
  }
  return costs;
}

TEST(LineCosts, ARecursionCountsOnce) {
  const CallTree tree = recursive_tree();
  using Costs = std::vector<std::array<double, 3>>;
  EXPECT_EQ(costs_of(tree, "a.c"), (Costs{{5, 7, 5}, {7, 56, 24}, {8, 32, 32}}));
  EXPECT_EQ(costs_of(tree, "b.c"), (Costs{{3, 6, 2}}));
  EXPECT_EQ(costs_of(tree, "c.c"), Costs{});
}

TEST(LineCosts, FunctionsStandWhereTheyAreCalled) {
  TestTree tree;
  const NodeIndex main = tree.add(0, NodeKind::function, "a.c", 1, 0);
  const NodeIndex loop = tree.add(main, NodeKind::loop, "a.c", 4, 0);
  tree.add(loop, NodeKind::function, "b.c", 20, 3, 6);  // called in line 6 of a.c
  tree.add(main, NodeKind::function, "b.c", 20, 5, 9);
  using Costs = std::vector<std::array<double, 3>>;
  const CallTree built = tree.tree();
  EXPECT_EQ(costs_of(built, "a.c"), (Costs{{4, 3, 0}, {6, 3, 0}, {9, 5, 0}}));
  EXPECT_EQ(costs_of(built, "b.c"), Costs{});
}

class Sources : public ::testing::Test {
 protected:
  Sources() : viewer("1.2.3") {
    Session session;
    session.runs.emplace_back();
    session.runs[0].rank = 3;
    session.runs[0].call_tree = recursive_tree();
    const std::string line(1023, 'x');
    std::string large;
    while (large.size() <= 3 << 20) large += line + '\n';
    session.runs[0].sources = std::make_shared<TestSources>(
        std::vector<std::pair<std::string, std::string>>{{"a.c", "int main() {\n  <script>\xFF\n}\n"},
                                                         {"b.c", "gone"},
                                                         {"large.c", large},
                                                         {"one line.c", std::string(2 << 20, 'y')},
                                                         {"secret.c",
                                                          "auto token = next();\nauto key = \"hf_abcdefgh"
                                                          "ijklmnopqrst\";\n"}});
    viewer.add({"database"}).show(std::move(session));
  }
  Answer get(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    const Answer answer = viewer.answer({path, std::move(query)});
    EXPECT_TRUE(test::JsonCheck::is_valid(answer.body)) << answer.body.substr(0, 300);
    return answer;
  }
  void expect_has(const Answer& answer, const std::string& part) {
    EXPECT_NE(answer.body.find(part), std::string::npos) << part << "\nis not in\n" << answer.body.substr(0, 2000);
  }
  Viewer viewer;
};

TEST_F(Sources, AreListedAndGivenByNumber) {
  expect_has(get("/api/p/0/sources"), R"([{"rank":3,"file":0,"name":"a.c","stored":"src/a.c","bytes":27},{)");
  const Answer answer = get("/api/p/0/source", {{"rank", "3"}, {"file", "0"}});
  EXPECT_EQ(answer.status, 200);
  expect_has(answer, R"("shown_bytes":27,"repaired":true,"text":"int main() {\n  <script>)");
  expect_has(answer, "\xEF\xBF\xBD");
  expect_has(answer, R"("metric":"TIME","unit":"sec","total":63,"lines":{"line":[5,7,8],"inclusive":[7,56,32],)"
                     R"("exclusive":[5,24,32]})");
}

TEST_F(Sources, LargeOnesAreCutAtALine) {
  const std::string cut = get("/api/p/0/source", {{"rank", "3"}, {"file", "2"}}).body;
  EXPECT_NE(cut.find(R"("bytes":3146752,"shown_bytes":1048576)"), std::string::npos) << cut.substr(0, 200);
  EXPECT_NE(cut.find(R"(xxx\n","metric")"), std::string::npos);
  expect_has(get("/api/p/0/source", {{"rank", "3"}, {"file", "3"}}), R"("bytes":2097152,"shown_bytes":1048576)");
}

TEST_F(Sources, HoldNoCredentials) {
  expect_has(get("/api/p/0/source", {{"rank", "3"}, {"file", "4"}}),
             R"("text":"auto token = next();\nauto key = \"[hidden]\";\n")");
}

TEST_F(Sources, NothingElseIsGiven) {
  const std::vector<std::pair<std::multimap<std::string, std::string>, int>> requests = {
      {{{"rank", "3"}, {"file", "5"}}, 404},
      {{{"rank", "3"}, {"file", "4294967295"}}, 404},
      {{{"rank", "0"}, {"file", "0"}}, 404},
      {{{"rank", "3"}, {"file", "-1"}}, 400},
      {{{"rank", "3"}, {"file", "a.c"}}, 400},
      {{{"rank", "3"}, {"file", "../../etc/passwd"}}, 400},
      {{{"rank", "3"}, {"file", "0"}, {"path", "/etc/passwd"}}, 400},
      {{{"rank", "3"}}, 400},
      {{{"rank", "3"}, {"file", "1"}}, 404},  // it has vanished
      {{{"rank", "3"}, {"file", "0"}, {"metric", "nonsense"}}, 400},
  };
  for (const auto& [query, status] : requests) EXPECT_EQ(get("/api/p/0/source", query).status, status);
  EXPECT_EQ(get("/api/p/0/sources", {{"path", "/etc"}}).status, 400);
  Viewer without("1.2.3");
  without.add({}).show([] {
    Session session;
    session.runs.emplace_back();
    return session;
  }());
  EXPECT_EQ(without.answer({"/api/p/0/sources", {}}).body, "[]");
  EXPECT_EQ(without.answer({"/api/p/0/source", {{"rank", "0"}, {"file", "0"}}}).status, 404);
}

}  // namespace
}  // namespace cgpu
