#include "readers/proton/proton.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/test_read.h"

namespace cgpu::proton {
namespace {

std::string node(const std::string& name, const std::string& metrics, const std::string& children = "") {
  return R"({"children":[)" + children + R"(],"frame":{"name":")" + name + R"(","type":"function"},"metrics":{)" +
         metrics + "}}";
}
std::string kernel(const std::string& name, int nanoseconds, const std::string& device = "0") {
  return node(name, R"j("count":2,"device_id":")j" + device + R"j(","device_type":"CUDA","time (ns)":)j" +
                        std::to_string(nanoseconds));
}
std::string profile(const std::string& children, const std::string& devices = R"({"CUDA":{"0":{"arch":"90",)"
                                                                              R"("num_sms":132}}})") {
  return "\n[" + node("ROOT", R"j("count":0,"time (ns)":0)j", children) + "," + devices + "]\n";
}
cgpu::Run read(const std::string& text) {
  return test::read_text(text, 1, ".hatchet");
}
double value(const cgpu::Run& run, const std::string& name, const std::string& metric) {
  const CallTree& tree = *run.call_tree;
  const auto index = tree.find_metric(metric);
  for (NodeIndex i = 0; index && i < tree.nodes.size(); ++i) {
    if (tree.name_of(i) == name) return inclusive_value(tree, *index, i);
  }
  return -1;
}

TEST(Proton, ScopesAndKernelsBecomeACallTree) {
  const cgpu::Run run = read(profile(node("step", R"("flops16":2000,"bytes":500,"note":"text")",
                                          kernel("_Z5innerv", 300) + "," + kernel("g", 700, "1")) +
                                     "," + kernel("g", 50)));
  EXPECT_EQ(run.format, "proton");
  EXPECT_EQ(value(run, "step", "time"), 1000);
  EXPECT_EQ(value(run, "inner()", "time"), 300);
  EXPECT_EQ(value(run, "inner()", "count"), 2);
  EXPECT_EQ(inclusive_value(*run.call_tree, *run.call_tree->find_metric("time"), 0), 1050);
  EXPECT_DOUBLE_EQ(value(run, "step", "flops16/s"), 2e9);
  EXPECT_DOUBLE_EQ(value(run, "step", "bytes/s"), 5e8);
  EXPECT_DOUBLE_EQ(value(run, "step", "flops16/byte"), 4);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].compute_capability, "9.0");
  EXPECT_EQ(run.devices[0].sm_count, 132);
  EXPECT_EQ(run.call_tree->profiles.size(), 3U);
  EXPECT_EQ(run.notes.count("skipped_value"), 1);
  EXPECT_EQ(run.call_tree->metrics[*run.call_tree->main_metric].name, "time");
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(Proton, InclusiveValuesHoldThoseBelow) {
  const cgpu::Run run = read(profile(node("a", R"j("time (inc)":9)j", node("b", R"j("time (inc)":4)j")), "{}"));
  EXPECT_EQ(value(run, "a", "time"), 9);
  EXPECT_EQ(value(run, "b", "time"), 4);
}

TEST(Proton, CutAnywhere) {
  const std::string whole = profile(node("step", R"("flops":1)", kernel("f", 300)));
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      const cgpu::Run run = read(whole.substr(0, size));
      EXPECT_EQ(run.events.read, test::accounted(run));
    } catch (const Error&) {
    }
  }
}

/// MessagePack of short texts, maps and arrays.
std::string text(const std::string& text) {
  return text.size() < 32 ? static_cast<char>(0xa0 | text.size()) + text
                          : std::string("\xd9") + static_cast<char>(text.size()) + text;
}
std::string map(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string bytes(1, static_cast<char>(0x80 | members.size()));
  for (const auto& [key, value] : members) bytes += text(key) + value;
  return bytes;
}
std::string array(const std::vector<std::string>& elements) {
  std::string bytes(1, static_cast<char>(0x90 | elements.size()));
  for (const std::string& element : elements) bytes += element;
  return bytes;
}
std::string packed_node(const std::string& name, const std::vector<std::pair<std::string, std::string>>& metrics,
                        const std::vector<std::string>& children = {}) {
  return map({{"frame", map({{"name", text(name)}, {"type", text("function")}})},
              {"metrics", map(metrics)},
              {"children", array(children)}});
}
std::string packed() {
  const std::string count("\xcd\x01\x02", 3);                // 258
  const std::string time("\xcf\0\0\0\1\0\0\0\2", 9);         // 2^32 + 2
  const std::string flops("\xcb\x40\x9f\x40\0\0\0\0\0", 9);  // 2000.0
  const std::string kernel = packed_node(
      "_Z5innerv", {{"count", count}, {"time (ns)", time}, {"device_id", text("0")}, {"device_type", text("CUDA")}});
  const std::string step =
      packed_node("a \"long\"\nname of a scope, with quotes", {{"flops16", flops}, {"less", "\xf0"}}, {kernel});
  return array({packed_node("ROOT", {}, {step}), map({{"CUDA", map({{"0", map({{"arch", text("90")}})}})}})});
}

TEST(Proton, MessagePackSaysTheSame) {
  const cgpu::Run run = read(packed());
  EXPECT_EQ(run.format, "proton");
  EXPECT_EQ(value(run, "inner()", "count"), 258);
  EXPECT_EQ(value(run, "inner()", "time"), 4294967298);
  EXPECT_EQ(value(run, "a \"long\"\nname of a scope, with quotes", "flops16"), 2000);
  EXPECT_EQ(value(run, "a \"long\"\nname of a scope, with quotes", "less"), -16);
  ASSERT_EQ(run.devices.size(), 1U);
  EXPECT_EQ(run.devices[0].compute_capability, "9.0");
  EXPECT_EQ(run.notes.count("truncated_input"), 0);
  EXPECT_EQ(run.events.read, test::accounted(run));
  for (size_t size = 3; size < packed().size(); ++size) {
    try {
      EXPECT_EQ(read(packed().substr(0, size)).notes.count("truncated_input") > 0, true) << size;
    } catch (const Error&) {
    }
  }
}

TEST(Proton, AProfileWithoutAMetricIsRefused) {
  EXPECT_THROW(read(profile(node("a", ""))), Error);
}

}  // namespace
}  // namespace cgpu::proton
