// Costs of normalisations, lookups, reductions, experts and further kinds of convolution and attention, counted here by
// walking over the elements.
#include "analysis/op_shapes/op_costs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace cgpu {
namespace {

OpCost cost_of(const std::string& op, std::string_view shapes, std::string_view types, std::string_view values = "") {
  InputTexts texts;
  texts.shapes = shapes;
  texts.types = types;
  texts.values = values;
  return op_cost(op, RecordedInputs(texts));
}

/// Multiply-adds of a convolution of one dimension, by its definition.
int64_t walked_convolution(int64_t batch, int64_t channels, int64_t width, int64_t filters, int64_t kernel,
                           int64_t stride, int64_t padding, int64_t dilation, int64_t groups) {
  int64_t operations = 0;
  for (int64_t at = 0; at + dilation * (kernel - 1) < width + 2 * padding; at += stride) {
    for (int64_t tap = 0; tap < kernel; ++tap) operations += channels / groups;
  }
  return 2 * operations * batch * filters;
}

TEST(OpCosts, ConvolutionsOfGroupsStridesAndDilation) {
  for (const int64_t groups : {1, 2, 8}) {
    for (const int64_t dilation : {1, 3}) {
      for (const int64_t stride : {1, 2}) {
        const std::string shapes =
            "[[4, 8, 33], [16, " + std::to_string(8 / groups) + ", 5], [], [], [], [], [], [], []]";
        const std::string values =
            fmt::format(R"-(["", "", "", "[{}]", "(2)", "[{}]", "False", "[0]", "{}"])-", stride, dilation, groups);
        const OpCost cost = cost_of(
            "aten::convolution", shapes,
            R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
            values);
        EXPECT_EQ(cost.flops, walked_convolution(4, 8, 33, 16, 5, stride, 2, dilation, groups)) << values;
      }
    }
  }
}

TEST(OpCosts, TheGradientsOfAConvolutionCostAsMuchAsItself) {
  const int64_t forward = 2 * 8 * 16 * 4 * 9 * 10 * 10;
  const std::string types = R"(["float", "float", "float", "", "", "", "", "", "", "", ""])";
  const std::string shapes = "[[8, 4, 10, 10], [8, 16, 10, 10], [16, 4, 3, 3], [], [], [], [], [], [], [], []]";
  EXPECT_EQ(cost_of("aten::cudnn_convolution_backward", shapes, types,
                    R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1", "False", "False", "True", "[True, True]"])")
                .flops,
            2 * forward);
  EXPECT_EQ(cost_of("aten::cudnn_convolution_backward_weight", "[[], [8, 16, 10, 10], [8, 4, 10, 10], []]",
                    R"(["ScalarList", "float", "float", ""])", R"(["[16, 4, 3, 3]", "", "", ""])")
                .flops,
            forward);
}

TEST(OpCosts, ExpertsReadTheWeightsOfAtLeastTheirChoices) {
  int64_t flops = 0;
  for (int row = 0; row < 16 * 2; ++row) flops += 2 * (22016 * 4096) + 2 * (11008 * 4096);
  const OpCost cost =
      cost_of("vllm::rocm_aiter_fused_moe", "[[16, 4096], [64, 22016, 4096], [64, 4096, 11008], [16, 2]]",
              R"(["BFloat16", "BFloat16", "BFloat16", "Float"])");
  EXPECT_EQ(cost.flops, flops);
  EXPECT_EQ(cost.bytes, 2 * (2 * (int64_t{22016} * 4096 + int64_t{11008} * 4096) + 2 * 16 * 4096));
  EXPECT_EQ(cost.peak, "bf16");
  EXPECT_FALSE(cost_of("vllm::fused_moe", "[[16, 4096], [64, 22016, 4096], [64, 4096, 999], [16, 2]]",
                       R"(["BFloat16", "BFloat16", "BFloat16", "Float"])")
                   .flops);
}

TEST(OpCosts, SequencesOfOneLengthAreTheLeastOfAnyLengths) {
  const auto pairs = [](const std::vector<int64_t>& lengths) {
    int64_t sum = 0;
    for (const int64_t length : lengths) sum += length * length;
    return sum;
  };
  const OpCost cost = cost_of(
      "flash_attn::_flash_attn_varlen_forward",
      "[[300, 8, 64], [300, 8, 64], [300, 8, 64], [4], [4], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "c10::Half", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "", "", "100", "100", "0.", "0.1", "False"])");
  EXPECT_EQ(cost.flops, 8 * 2 * (64 + 64) * pairs({100, 100, 100}));
  EXPECT_LT(*cost.flops, 8 * 2 * (64 + 64) * pairs({50, 100, 150}));
}

TEST(OpCosts, NormalisationsReadAndWriteTheirTensors) {
  const int64_t x = 64 * 32 * 28 * 28;
  const OpCost forward = cost_of("aten::native_batch_norm", "[[64, 32, 28, 28], [32], [32], [32], [32], [], [], []]",
                                 R"(["c10::Half", "float", "float", "float", "float", "Scalar", "Scalar", "Scalar"])",
                                 R"(["", "", "", "", "", "True", "0.1", "1e-5"])");
  EXPECT_EQ(forward.bytes, 2 * 2 * x + 4 * 32 * 4);
  EXPECT_EQ(forward.read_again, 2 * x);
  const OpCost backward =
      cost_of("aten::native_batch_norm_backward",
              "[[64, 32, 28, 28], [64, 32, 28, 28], [32], [32], [32], [32], [32], [], [], []]",
              R"(["c10::Half", "c10::Half", "float", "float", "float", "float", "float", "", "", ""])");
  EXPECT_EQ(backward.bytes, 3 * 2 * x + 5 * 32 * 4);
  EXPECT_EQ(backward.read_again, 2 * 2 * x);
  const OpCost layer =
      cost_of("aten::native_layer_norm_backward", "[[8, 1024], [8, 1024], [], [8, 1], [8, 1], [1024], [1024], []]",
              R"(["float", "float", "ScalarList", "float", "float", "float", "float", ""])");
  EXPECT_EQ(layer.bytes, 4 * (3 * 8 * 1024 + 2 * 8 + 2 * 1024));
  EXPECT_FALSE(layer.read_again);
  const OpCost added = cost_of("_C::fused_add_rms_norm", "[[8, 64], [8, 64], [64], []]",
                               R"(["c10::Half", "c10::Half", "c10::Half", "Scalar"])");
  EXPECT_EQ(added.bytes, 2 * (4 * 8 * 64 + 64));
}

TEST(OpCosts, LookupsMoveTheRowsThatTheyTake) {
  EXPECT_EQ(
      cost_of("aten::index_select", "[[100, 7, 64], [], [5]]", R"(["float", "Scalar", "long int"])", R"(["", "0", ""])")
          .bytes,
      5 * 7 * 64 * 4 * 2 + 5 * 8);
  EXPECT_EQ(cost_of("aten::index_select", "[[100, 7, 64], [], [5]]", R"(["float", "Scalar", "long int"])",
                    R"(["", "-1", ""])")
                .bytes,
            5 * 7 * 100 * 4 * 2 + 5 * 8);
  EXPECT_EQ(
      cost_of("aten::gather", "[[100, 64], [], [100, 2]]", R"(["float", "Scalar", "long int"])", R"(["", "1", ""])")
          .bytes,
      200 * 4 * 2 + 200 * 8);
  EXPECT_EQ(cost_of("aten::_embedding_bag", "[[1000, 64], [50], [10]]", R"(["float", "long int", "long int"])").bytes,
            (50 + 10) * 64 * 4 + 60 * 8);
}

TEST(OpCosts, ReductionsReadAllAndWriteWhatIsLeft) {
  const auto sum = [](const char* dimensions) {
    return *cost_of("aten::sum", "[[10, 20, 30], [], [], []]", R"(["float", "ScalarList", "Scalar", ""])",
                    R"(["", ")" + std::string(dimensions) + R"(", "False", ""])")
                .bytes;
  };
  EXPECT_EQ(sum("[0, 2]"), 4 * (6000 + 20));
  EXPECT_EQ(sum("[-1]"), 4 * (6000 + 200));
  EXPECT_EQ(sum(""), 4 * (6000 + 1));
}

TEST(OpCosts, ProductsOf8BitNumbersByTheTypeOfTheirResult) {
  const std::string shapes = "[[16, 64], [64, 32], [], [], [], [], [], []]";
  const std::string types =
      R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar", "Scalar"])";
  EXPECT_EQ(cost_of("aten::_scaled_mm", shapes, types, R"(["", "", "", "", "", "", "15", "True"])").bytes,
            16 * 64 + 64 * 32 + 2 * 16 * 32);
  EXPECT_FALSE(cost_of("aten::_scaled_mm", shapes, types).bytes);
  EXPECT_EQ(cost_of("aten::_grouped_mm", "[[16, 64], [4, 64, 32], [4]]", R"(["c10::Half", "c10::Half", "int"])").flops,
            2 * 16 * 64 * 32);
}

}  // namespace
}  // namespace cgpu
