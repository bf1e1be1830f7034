#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "analysis/op_shapes/op_costs.h"
#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "model/test_arguments.h"

namespace cgpu {
namespace {

InputTexts recorded(std::string_view shapes, std::string_view types, std::string_view values = "",
                    std::string_view outputs = "") {
  InputTexts texts;
  texts.shapes = shapes;
  texts.types = types;
  texts.values = values;
  texts.output_shapes = outputs;
  return texts;
}

OpCost cost_of(const std::string& op, const InputTexts& texts) {
  return op_cost(op, RecordedInputs(texts));
}

/// As many types as a profile has inputs.
std::string types_of(const std::string& type, int count) {
  std::string text = "[\"" + type + "\"";
  for (int i = 1; i < count; ++i) text += ", \"" + type + "\"";
  return text + "]";
}

std::string dims(const std::vector<int64_t>& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

constexpr const char* kBf16 = "c10::BFloat16";

TEST(OpCosts, AProductOfMatricesIsTwiceItsSizes) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> size(1, 4096);
  for (int i = 0; i < 200; ++i) {
    const int64_t b = size(random);
    const int64_t m = size(random);
    const int64_t n = size(random);
    const int64_t k = size(random);
    const int64_t bytes = 2 * (m * k + k * n + m * n);
    const std::string left = dims({m, k});
    const std::string right = dims({k, n});
    const OpCost mm = cost_of("aten::mm", recorded("[" + left + "," + right + "]", types_of(kBf16, 2)));
    EXPECT_EQ(mm.flops, 2 * m * n * k);
    EXPECT_EQ(mm.bytes, bytes);
    EXPECT_EQ(mm.peak, "bf16");
    const OpCost addmm =
        cost_of("aten::addmm", recorded("[" + dims({n}) + "," + left + "," + right + ", [], []]",
                                        R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])"));
    EXPECT_EQ(addmm.flops, 2 * m * n * k);
    EXPECT_EQ(addmm.bytes, bytes + 2 * n);
    const OpCost linear = cost_of("aten::linear", recorded("[" + dims({1, m, k}) + "," + dims({n, k}) + ", []]",
                                                           R"(["c10::BFloat16", "c10::BFloat16", ""])"));
    EXPECT_EQ(linear.flops, 2 * m * n * k);
    EXPECT_EQ(linear.bytes, bytes);
    const OpCost bmm =
        cost_of("aten::bmm", recorded("[" + dims({b, m, k}) + "," + dims({b, k, n}) + "]", types_of(kBf16, 2)));
    EXPECT_EQ(bmm.flops, b * 2 * m * n * k);
    EXPECT_EQ(bmm.bytes, b * bytes);
    EXPECT_EQ(cost_of("aten::matmul", recorded("[" + dims({b, m, k}) + "," + dims({b, k, n}) + "]", types_of(kBf16, 2)))
                  .flops,
              bmm.flops);
    EXPECT_EQ(cost_of("aten::matmul", recorded("[" + dims({b, m, k}) + "," + right + "]", types_of(kBf16, 2))).flops,
              bmm.flops);
    EXPECT_EQ(cost_of("aten::matmul", recorded("[" + dims({k}) + "," + right + "]", types_of(kBf16, 2))).flops,
              2 * k * n);
  }
}

TEST(OpCosts, WhatDoesNotFitTogetherIsUnknown) {
  for (const char* shapes : {"[[3, 4], [5, 6]]", "[[3, 4]]", "[]", "", "[[3, -4], [-4, 6]]", "[[3, 4], [4",
                             "[[[3, 4]], [4, 5]]", "[[4000000000, 4000000000], [4000000000, 4000000000]]"}) {
    EXPECT_EQ(cost_of("aten::mm", recorded(shapes, types_of(kBf16, 2))).flops, std::nullopt) << shapes;
  }
  EXPECT_EQ(cost_of("aten::mm", recorded("[[3, 4], [4, 5]]", R"(["Scalar", "Scalar"])")).flops, std::nullopt);
  EXPECT_EQ(cost_of("aten::frobnicate", recorded("[[3, 4], [4, 5]]", types_of("float", 2))).bytes, std::nullopt);
}

/// Pairs of a query and a key that a causal mask leaves, counted in quarters of cells: the area of the triangle.
int64_t causal_area_times_4(int64_t queries, int64_t keys, bool bottom_right) {
  int64_t quarters = 0;
  const int64_t shift = bottom_right ? keys - queries : 0;
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t k = 0; k < keys; ++k) {
      if (k < q + shift) quarters += 4;
      if (k == q + shift) quarters += 2;
    }
  }
  return quarters;
}

TEST(OpCosts, AttentionIsItsProductsOverThePairsThatTheMaskLeaves) {
  for (const auto& [queries, keys] : {std::pair<int64_t, int64_t>{6, 6}, {4, 10}, {10, 4}, {1, 8}}) {
    const std::string shapes = "[" + dims({2, 3, queries, 8}) + "," + dims({2, 1, keys, 8}) + "," +
                               dims({2, 1, keys, 16}) + ",[],[],[],[],[]]";
    const std::string types = R"(["c10::Half","c10::Half","c10::Half","","Scalar","Scalar","Scalar","Scalar"])";
    const auto with = [&](const std::string& causal) {
      const std::string values = R"(["","","","","0.","CAUSAL","","False"])";
      return cost_of("aten::scaled_dot_product_attention",
                     recorded(shapes, types, std::string(values).replace(values.find("CAUSAL"), 6, causal)));
    };
    const int64_t heads = 2 * 3;
    EXPECT_EQ(with("False").flops, 2 * heads * queries * keys * (8 + 16));
    EXPECT_EQ(with("False").settings, "not causal");
    EXPECT_EQ(with("True").flops, 2 * heads * causal_area_times_4(queries, keys, false) * (8 + 16) / 4);
    EXPECT_EQ(with("").flops, std::nullopt);  // not recorded
    EXPECT_EQ(with("False").bytes, 2 * (heads * queries * 8 + 2 * keys * (8 + 16) + heads * queries * 16));

    // The same with tokens before heads, and the triangle at the other corner.
    const std::string flash =
        "[" + dims({2, queries, 3, 8}) + "," + dims({2, keys, 1, 8}) + "," + dims({2, keys, 1, 16}) + ",[],[],[]]";
    const OpCost cost =
        cost_of("flash_attn::_flash_attn_forward", recorded(flash, types, R"(["","","","0.","0.5","True"])"));
    EXPECT_EQ(cost.flops, 2 * heads * causal_area_times_4(queries, keys, true) * (8 + 16) / 4);
  }
}

TEST(OpCosts, GradientsOfAttentionAreFiveProducts) {
  const std::string shapes = "[[2,3,8,16],[2,3,8,16],[2,3,8,16],[2,3,8,16],[2,3,8,16],[2,3,8],[],[],[],[],[],[]]";
  const std::string types = types_of("c10::Half", 6).substr(0, types_of("c10::Half", 6).size() - 1) +
                            R"(,"","","Scalar","Scalar","Scalar","Scalar"])";
  const auto with = [&](const std::string& causal) {
    return cost_of("aten::_scaled_dot_product_flash_attention_backward",
                   recorded(shapes, types, R"(["","","","","","","","","8","8","0.",")" + causal + "\"]"));
  };
  EXPECT_EQ(with("False").flops, 5 * 2 * 6 * 8 * 8 * 16);
  EXPECT_EQ(with("True").flops, 5 * 6 * 8 * 8 * 16);
}

/// Two operations for each weight of each element of the result, one by one.
int64_t slow_convolution(const std::vector<int64_t>& in, const std::vector<int64_t>& weight, int64_t stride,
                         int64_t padding, int64_t dilation) {
  int64_t operations = 0;
  const auto last = [&](size_t axis) { return in[axis] + 2 * padding - dilation * (weight[axis] - 1) - 1; };
  for (int64_t y = 0; y <= last(2); y += stride) {
    for (int64_t x = 0; x <= last(3); x += stride) operations += weight[1] * weight[2] * weight[3];
  }
  return 2 * operations * in[0] * weight[0];
}

TEST(OpCosts, AConvolutionAppliesEachWeightToEachResult) {
  const std::string types = R"(["float","float","float","ScalarList","ScalarList","ScalarList","Scalar"])";
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t padding : {0, 1, 2}) {
      for (const int64_t dilation : {1, 2}) {
        const std::string values = "[\"\",\"\",\"\",\"" + dims({stride, stride}) + "\",\"" + dims({padding, padding}) +
                                   "\",\"" + dims({dilation}) + "\",\"2\"]";
        const OpCost cost = cost_of("aten::conv2d", recorded("[[4,6,17,15],[8,3,3,3],[8],[],[],[],[]]", types, values));
        const int64_t expected = slow_convolution({4, 6, 17, 15}, {8, 3, 3, 3}, stride, padding, dilation);
        EXPECT_EQ(cost.flops, expected);
        const int64_t results = expected / (2 * 3 * 3 * 3);
        EXPECT_EQ(cost.bytes, 4 * (4 * 6 * 17 * 15 + 8 * 3 * 3 * 3 + 8 + results));
        // Its gradients are as many operations each.
        const std::string out = dims({4, 8, 1, results / 32});
        const auto backward = [&](const std::string& wanted) {
          return cost_of("aten::convolution_backward",
                         recorded("[" + out + ",[4,6,17,15],[8,3,3,3],[],[],[],[],[],[],[],[]]",
                                  types_of("float", 3).substr(0, types_of("float", 3).size() - 1) +
                                      R"(,"ScalarList","","","","Scalar","","Scalar",""])",
                                  R"(["","","","","","","","False","","2",")" + wanted + "\"]"))
              .flops;
        };
        EXPECT_EQ(backward("[True, True, True]"), 2 * expected);
        EXPECT_EQ(backward("[True, False, False]"), expected);
        EXPECT_EQ(backward("[False, False, True]"), std::nullopt);
        EXPECT_EQ(backward(""), std::nullopt);
      }
    }
  }
}

TEST(OpCosts, ATransposedConvolutionIsTheGradientOfAnother) {
  const std::string types =
      R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])";
  // Weights [6 in, 4 out a group, 3, 3], 2 groups; the result is [1, 8, 11, 11].
  const OpCost cost =
      cost_of("aten::convolution", recorded("[[1,6,5,5],[6,4,3,3],[],[],[],[],[],[],[]]", types,
                                            R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","2"])"));
  EXPECT_EQ(cost.flops, 2 * 6 * 5 * 5 * 4 * 3 * 3);
  EXPECT_EQ(cost.bytes, 4 * (6 * 5 * 5 + 6 * 4 * 3 * 3 + 8 * 11 * 11));
}

TEST(OpCosts, OldProfilesHaveTheShapeOfTheResultInstead) {
  const std::string types = R"(["float","float","GenericList","GenericList","GenericList","Int","Bool","Bool","Bool"])";
  const std::string shapes = "[[32,64,56,56],[128,64,1,1],[],[],[],[],[],[],[]]";
  EXPECT_EQ(cost_of("aten::cudnn_convolution", recorded(shapes, types)).flops, std::nullopt);
  EXPECT_EQ(cost_of("aten::cudnn_convolution", recorded(shapes, types, "", "[[32,128,28,28]]")).flops,
            int64_t{2} * 64 * 32 * 128 * 28 * 28);
}

TEST(OpCosts, ElementsAreReadAndWrittenOnce) {
  const OpCost add =
      cost_of("aten::add", recorded("[[8,1,4],[3,4],[]]", R"(["float","c10::BFloat16","Scalar"])", R"(["","","1"])"));
  EXPECT_EQ(add.flops, 8 * 3 * 4);
  EXPECT_EQ(add.bytes, 8 * 4 * 4 + 3 * 4 * 2 + 8 * 3 * 4 * 4);
  const OpCost integers = cost_of("aten::mul", recorded("[[5],[5]]", types_of("long int", 2)));
  EXPECT_EQ(integers.flops, std::nullopt);  // no fractions
  EXPECT_EQ(integers.bytes, 3 * 5 * 8);
  EXPECT_EQ(cost_of("aten::mul", recorded("[[5],[]]", R"(["c10::Half","double"])")).bytes, 5 * 2 * 2 + 8);
  EXPECT_EQ(cost_of("aten::mul", recorded("[[5],[5]]", R"(["c10::Half","c10::BFloat16"])")).bytes, std::nullopt);
  const OpCost copy = cost_of("aten::copy_", recorded("[[6],[6],[]]", R"(["c10::BFloat16","float","Scalar"])"));
  EXPECT_EQ(copy.flops, std::nullopt);
  EXPECT_EQ(copy.bytes, 6 * 2 + 6 * 4);
  EXPECT_EQ(cost_of("aten::_softmax", recorded("[[8,5],[],[]]", R"(["float","Scalar","Scalar"])")).flops, 5 * 40);
  EXPECT_EQ(cost_of("aten::native_layer_norm",
                    recorded("[[8,5],[],[5],[5],[]]", R"(["float","ScalarList","float","float","Scalar"])"))
                .flops,
            8 * 40);
  EXPECT_EQ(cost_of("aten::embedding", recorded("[[1000,64],[3,7],[],[],[]]", R"(["float","long int","Scalar","",""])"))
                .bytes,
            2 * 21 * 64 * 4 + 21 * 8);
}

TEST(OpCosts, InputsOfAscendAreTextsWithSemicolons) {
  const OpCost cost = cost_of(
      "aten::addmm", recorded("8;\r\n4,16;\r\n16,8;\r\n;\r\n", "float;\r\nfloat;\r\nfloat;\r\nScalar;\r\nScalar"));
  EXPECT_EQ(cost.flops, 2 * 4 * 8 * 16);
  EXPECT_EQ(RecordedInputs(recorded("8;\r\n4,16;\r\n", "float;\r\nfloat;\r\nNone")).shapes_text(),
            "[[8], [4, 16], []]");
}

/// Each op has the shapes that the test gave its name.
class ShapesByName : public test::MadeArguments {
 public:
  std::map<uint64_t, std::vector<Argument>> of_source;

 protected:
  std::vector<Argument> of(uint64_t source) override { return of_source[source]; }
};

std::vector<Argument> inputs(std::string shapes, std::string types, std::string values = "[]") {
  return {{"Input Dims", std::move(shapes), true},
          {"Input type", std::move(types), true},
          {"Concrete Inputs", std::move(values), true}};
}

TEST(OpShapes, RatesAreOverTheTimeOfTheOpsThatRan) {
  TestRun run;
  const auto arguments = std::make_shared<ShapesByName>();
  run.run.arguments = arguments;
  run.run.devices.push_back({0, "NVIDIA H100 80GB HBM3", "NVIDIA", 132, std::nullopt, 32, "9.0"});
  const auto op = [&](const std::string& name, int64_t start, const std::string& shapes, SliceIndex parent = kNone) {
    const SliceIndex slice = run.host(SliceKind::framework_op, name, start, 10, parent);
    arguments->of_source[run.run.timeline.slices.source[slice]] = inputs(shapes, types_of(kBf16, 2));
    return slice;
  };
  for (int64_t i = 0; i < 3; ++i) {
    const SliceIndex mm = op("aten::mm", 100 * i, "[[1000, 2000], [2000, 500]]");
    if (i == 2) continue;  // its kernel is not in the profile
    const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 100 * i + 1, 1, mm);
    run.kernel("gemm", 1000 * (i + 1), 400, launched_by(call));
  }
  op("aten::mm", 900, "[[1000, 2000], [2000, 600]]");
  const Table table = op_shapes_table(session_of(run));
  expect_well_formed(table);
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(text_at(table, 0, "shapes"), "[[1000, 2000], [2000, 500]]");
  EXPECT_EQ(text_at(table, 0, "types"), "[c10::BFloat16, c10::BFloat16]");
  EXPECT_EQ(integer_at(table, 0, "count"), 3);
  EXPECT_EQ(integer_at(table, 0, "on_device"), 2);
  EXPECT_EQ(integer_at(table, 0, "device_total_ns"), 800);
  EXPECT_EQ(integer_at(table, 0, "flops"), 2000000000);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "flops_per_s"), 2e9 * 2 / 800e-9);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "flops_pct"), 100 * (2e9 * 2 / 800e-9) / 989.4e12);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "bytes_per_s"), 7e6 * 2 / 800e-9);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "intensity"), 2e9 / 7e6);
  EXPECT_TRUE(absent_at(table, 1, "flops_per_s"));
  EXPECT_TRUE(absent_at(table, 1, "settings"));
}

TEST(OpShapes, OpsInsideOthersOfTheRowCountOnce) {
  TestRun run;
  const auto arguments = std::make_shared<ShapesByName>();
  run.run.arguments = arguments;
  const SliceIndex outer = run.host(SliceKind::framework_op, "aten::mul", 0, 100);
  const SliceIndex inner = run.host(SliceKind::framework_op, "aten::mul", 10, 50, outer);
  for (const SliceIndex op : {outer, inner}) {
    arguments->of_source[run.run.timeline.slices.source[op]] = inputs("[[8], [8]]", types_of("float", 2));
  }
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 20, 10, inner);
  run.kernel("mul", 200, 40, launched_by(call));
  const Table table = op_shapes_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(integer_at(table, 0, "count"), 2);
  EXPECT_EQ(integer_at(table, 0, "on_device"), 1);
  EXPECT_EQ(integer_at(table, 0, "device_total_ns"), 40);
  EXPECT_EQ(integer_at(table, 0, "device_self_ns"), 40);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "flops_per_s"), 8 / 40e-9);
}

TEST(OpShapes, CollectivesHaveTheirElements) {
  TestRun run;
  const auto arguments = std::make_shared<ShapesByName>();
  run.run.arguments = arguments;
  const SliceIndex op = run.host(SliceKind::framework_op, "record_param_comms", 0, 100);
  arguments->of_source[run.run.timeline.slices.source[op]] = {{"Collective name", "_allgather_base", false},
                                                              {"In msg nelems", "100", true},
                                                              {"Out msg nelems", "800", true},
                                                              {"dtype", "BFloat16", false}};
  const Table table = op_shapes_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(integer_at(table, 0, "bytes"), 1600);
  EXPECT_TRUE(absent_at(table, 0, "flops"));
  EXPECT_EQ(text_at(table, 0, "settings"), "_allgather_base, 100 elements in, 800 out, BFloat16");
}

TEST(OpShapes, WithoutShapesThereAreNoRows) {
  TestRun run;
  run.host(SliceKind::framework_op, "aten::mm", 0, 100);
  EXPECT_EQ(op_shapes_table(session_of(run)).row_count(), 0U);
  EXPECT_EQ(mfu_table(session_of(run)).row_count(), 0U);
}

/// Two iterations on an H100: a product of 2e9 FLOP and 7e6 bytes in each, inside of an op with the same cost, and in
/// the second one an addition after it.
TEST(Mfu, CountsTheInnermostOpsOfEachIteration) {
  TestRun run;
  const auto arguments = std::make_shared<ShapesByName>();
  run.run.arguments = arguments;
  run.run.devices.push_back({0, "NVIDIA H100 80GB HBM3", "NVIDIA", 132, std::nullopt, 32, "9.0"});
  const auto op = [&](const std::string& name, const std::string& shapes, int64_t start, SliceIndex parent) {
    const SliceIndex slice = run.host(SliceKind::framework_op, name, start, 100, parent);
    arguments->of_source[run.run.timeline.slices.source[slice]] = inputs(shapes, types_of(kBf16, 2));
    return slice;
  };
  const auto launch = [&](SliceIndex in, int64_t start, int64_t begin, int64_t duration) {
    const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", start, 1, in);
    run.kernel("kernel", begin, duration, launched_by(call));
  };
  const std::string shapes = "[[1000, 2000], [2000, 500]]";
  for (int64_t i = 0; i < 2; ++i) {
    const int64_t start = 10'000 * i;
    const SliceIndex mark = run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(i), start, 9000);
    const SliceIndex outer = op("aten::matmul", shapes, start + 100, mark);
    const SliceIndex inner = op("aten::mm", shapes, start + 100, outer);
    launch(inner, start + 110, start + 1000, 4000);
    op("aten::mm", shapes, start + 300, mark);  // it launched nothing: it was computed elsewhere, or not at all
    if (i == 1) launch(op("aten::add", "[[8], [8]]", start + 500, mark), start + 510, start + 6000, 1000);
  }
  launch(kNone, 19'500, 19'600, 400);  // in no op and no iteration
  const Session session = session_of(run);
  const Table devices = mfu_table(session);
  expect_well_formed(devices);
  ASSERT_EQ(devices.row_count(), 1U);
  EXPECT_TRUE(absent_at(devices, 0, "step"));
  EXPECT_EQ(integer_at(devices, 0, "start_ns"), 1000);
  EXPECT_EQ(integer_at(devices, 0, "duration_ns"), 19'000);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "flops"), 4e9 + 8);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "flops_per_s"), (4e9 + 8) / 19e-6);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "mfu_pct"), 100 * (4e9 / 989.4e12) / 19e-6);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "achievable_pct"), 100 * (4e9 / 794.5e12) / 19e-6);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "bytes"), 14e6 + 48);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "bandwidth_pct"), 100 * (14e6 + 48) / 19e-6 / 3.35e12);
  EXPECT_DOUBLE_EQ(real_at(devices, 0, "flops_known_pct"), 100 * 9000.0 / 9400);

  const Table steps = mfu_table(session, TableOptions().set("by", {"step"}));
  ASSERT_EQ(steps.row_count(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const double seconds = 9000e-9;
    EXPECT_EQ(integer_at(steps, i, "step"), static_cast<int64_t>(i));
    EXPECT_EQ(integer_at(steps, i, "start_ns"), 10'000 * static_cast<int64_t>(i));
    EXPECT_EQ(integer_at(steps, i, "duration_ns"), 9000);
    EXPECT_DOUBLE_EQ(real_at(steps, i, "flops"), 2e9 + (i == 1 ? 8 : 0));
    EXPECT_DOUBLE_EQ(real_at(steps, i, "mfu_pct"), 100 * (2e9 / 989.4e12) / seconds);
    EXPECT_DOUBLE_EQ(real_at(steps, i, "flops_known_pct"), 100.0);
  }
}

TEST(Mfu, IsAbsentWhereARateIsNotKnown) {
  for (const std::string type : {"float", kBf16}) {
    TestRun run;
    const auto arguments = std::make_shared<ShapesByName>();
    run.run.arguments = arguments;
    run.run.devices.push_back(
        {0, type == "float" ? "NVIDIA H100 80GB HBM3" : "a new device", "", 132, std::nullopt, 32, ""});
    const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", 0, 100);
    arguments->of_source[run.run.timeline.slices.source[op]] = inputs("[[8, 8], [8, 8]]", types_of(type, 2));
    run.kernel("kernel", 200, 50, launched_by(run.host(SliceKind::runtime_call, "cudaLaunchKernel", 10, 1, op)));
    const Table table = mfu_table(session_of(run));
    ASSERT_EQ(table.row_count(), 1U);
    EXPECT_TRUE(absent_at(table, 0, "mfu_pct"));
    EXPECT_TRUE(absent_at(table, 0, "achievable_pct"));
    EXPECT_DOUBLE_EQ(real_at(table, 0, "flops"), 1024);
  }
}

/// 2 x 8 x 8 x 8 FLOP in 50 ns of a span of 50 ns, by the peak that the kernels' names say: 67 TFLOP/s on the vector
/// units of an H100, 494.7 in TF32.
TEST(Mfu, Of32BitFloatsIsByTheNamesOfTheirKernels) {
  const std::string vector = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_ffma";
  const std::string tf32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32";
  const auto mfu_of = [](const std::vector<std::string>& kernels) {
    TestRun run;
    const auto arguments = std::make_shared<ShapesByName>();
    run.run.arguments = arguments;
    run.run.devices.push_back({0, "NVIDIA H100 80GB HBM3", "", 132, std::nullopt, 32, ""});
    int64_t now = 0;
    for (const std::string& kernel : kernels) {
      const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", now, 40);
      arguments->of_source[run.run.timeline.slices.source[op]] = inputs("[[8, 8], [8, 8]]", types_of("float", 2));
      TestOp options = launched_by(run.host(SliceKind::runtime_call, "cudaLaunchKernel", now + 1, 1, op));
      options.kernel_class = KernelClass::gemm;
      run.kernel(kernel, 1000 + now, 50, options);
      now += 50;
    }
    return mfu_table(session_of(run));
  };
  EXPECT_NEAR(real_at(mfu_of({vector}), 0, "mfu_pct"), 100 * (1024 / 67e12) / 50e-9, 1e-9);
  EXPECT_NEAR(real_at(mfu_of({tf32, tf32}), 0, "mfu_pct"), 100 * (1024 / 494.7e12) / 50e-9, 1e-9);
  EXPECT_TRUE(absent_at(mfu_of({vector, tf32}), 0, "mfu_pct"));  // ops of one shape, two ways
  EXPECT_TRUE(absent_at(mfu_of({"fmha_cutlassF_f32_aligned_64x64"}), 0, "mfu_pct"));
}

/// A graph that was captured once and replayed twice computes what its ops compute, twice.
TEST(Mfu, OpsOfACaptureCountOnceAReplay) {
  TestRun run;
  const auto arguments = std::make_shared<ShapesByName>();
  run.run.arguments = arguments;
  const SliceIndex op = run.host(SliceKind::framework_op, "aten::mm", 0, 100);
  arguments->of_source[run.run.timeline.slices.source[op]] = inputs("[[8, 8], [8, 8]]", types_of(kBf16, 2));
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 10, 1, op);
  CapturedWork work;
  for (uint32_t replay = 0; replay < 2; ++replay) {
    const SliceIndex launch = run.host(SliceKind::runtime_call, "cudaGraphLaunch", 200 + 100 * replay, 10);
    for (int64_t part = 0; part < 2; ++part) {  // two kernels of the one op
      work.ops.push_back({static_cast<OpIndex>(run.run.timeline.device_ops.size()), call, replay});
      run.kernel("kernel", 220 + 100 * replay + 20 * part, 10, launched_by(launch));
    }
  }
  run.run.captured.push_back(work);
  const Table table = mfu_table(session_of(run));
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "flops"), 2048);
  EXPECT_DOUBLE_EQ(real_at(table, 0, "flops_known_pct"), 100);
}

/// Laws: rows of a name have the counts of `ops` together, and the device time of ops themselves.
TEST(OpShapes, RowsOfANameAddUpToOps) {
  const std::vector<NamedKind> vocabulary = {{SliceKind::framework_op, "a"},
                                             {SliceKind::framework_op, "b"},
                                             {SliceKind::runtime_call, "l"},
                                             {SliceKind::annotation, "a"}};
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::nested);
    const auto arguments = std::make_shared<ShapesByName>();
    for (const uint64_t source : run.run.timeline.slices.source) {
      const std::string size = std::to_string(1 + source % 3);
      arguments->of_source[source] = inputs("[[" + size + "], [" + size + "]]", types_of("float", 2));
    }
    run.run.arguments = arguments;
    const Session session = session_of(run);
    const Table ops = ops_table(session);
    const Table shapes = op_shapes_table(session);
    std::map<std::string, std::pair<int64_t, int64_t>> sums;
    for (size_t row = 0; row < shapes.row_count(); ++row) {
      auto& [count, self] = sums[text_at(shapes, row, "name")];
      count += integer_at(shapes, row, "count");
      self += integer_at(shapes, row, "device_self_ns");
    }
    ASSERT_EQ(sums.size(), ops.row_count());
    for (size_t row = 0; row < ops.row_count(); ++row) {
      const auto& [count, self] = sums[text_at(ops, row, "name")];
      EXPECT_EQ(count, integer_at(ops, row, "count"));
      EXPECT_EQ(self, integer_at(ops, row, "device_self_ns"));
    }
  }
}

}  // namespace
}  // namespace cgpu
