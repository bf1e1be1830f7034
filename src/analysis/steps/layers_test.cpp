#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analysis/random_run.h"
#include "analysis/steps/layer_parts.h"
#include "analysis/steps/repeats.h"
#include "analysis/steps/run_layers.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"

namespace cgpu {
namespace {

Words words_of(const std::string& text, const std::string& heavy) {
  Words words;
  for (const char c : text) {
    words.word.push_back(static_cast<uint32_t>(c));
    words.weight.push_back(1);
    words.heavy.push_back(heavy.find(c) != std::string::npos);
    words.product.push_back(c >= 'p' && c <= 's');
    words.own_work.push_back(c == 'a' || c == 'x');  // attention of two kinds
    words.starts.push_back(false);
  }
  return words;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Repeats, TheShortestPeriodThatCoversNearlyAll) {
  const std::string layer = "nqkvsaomnuadg";
  const std::vector<Repeat> found = find_repeats(words_of("e" + repeated(layer, 12) + "hl", "q"), 0.05);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].period, layer.size());
  ASSERT_EQ(found[0].stretches.size(), 1u);
  EXPECT_EQ(found[0].stretches[0].begin, 1u);
  EXPECT_EQ(found[0].stretches[0].length, 12 * layer.size());
}

TEST(Repeats, BordersBreakThem) {
  Words words = words_of(repeated("abcdefghij", 12), "a");
  words.starts[60] = true;
  const std::vector<Repeat> found = find_repeats(words, 0.05);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].stretches.size(), 2u);
  EXPECT_EQ(found[0].stretches[0].length, 60u);
  EXPECT_EQ(found[0].stretches[1].begin, 60u);
}

TEST(Repeats, PassesThroughLayersAreNoLayers) {
  // The layers are 60 % of a pass.
  const std::string pass = "ABCDEFGHIJKLMNOPQRST" + repeated("nqkvsaomnu", 3);
  const std::vector<Repeat> found = find_repeats(words_of(repeated(pass, 12), "n"), 0.05);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].period, 10u);
  EXPECT_EQ(found[0].stretches.size(), 12u);
  // Without products in them they are what is done three times in a layer.
  const std::string layer = "ABCDEFGHIJKLMNOPQRST" + repeated("nabcdefghi", 3);
  EXPECT_EQ(find_repeats(words_of(repeated(layer, 12), "n"), 0.05)[0].period, 50u);
}

TEST(Repeats, ThreeLayersOfOneKindAndOneOfAnotherAreOnePeriod) {
  const std::string block = repeated("nqxomnpuq", 3) + "nqramsnpuq";
  const std::vector<Repeat> found = find_repeats(words_of("e" + repeated(block, 8) + "hl", "n"), 0.05);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].period, block.size());
  ASSERT_EQ(found[0].stretches.size(), 1u);
  EXPECT_EQ(found[0].stretches[0].length, 8 * block.size());
  // What surrounds the layers of a pass is no layer, whatever it computes.
  const std::string pass = repeated("nqxomnpuq", 3) + "nhlABCDEFG";
  EXPECT_EQ(find_repeats(words_of(repeated(pass, 8), "n"), 0.05)[0].period, 9u);
  // Nor is a second model.
  const std::string two_models = repeated("nqxomnpuq", 6) + repeated("nqramsnpuqv", 3);
  EXPECT_EQ(find_repeats(words_of(repeated(two_models, 8), "n"), 0.05)[0].period, 9u);
}

TEST(Repeats, OfOneStretchWhatRepeatsWithoutABreak) {
  const std::string iteration = repeated("abcdefghij", 10) + "z";
  Words words = words_of(repeated(iteration, 9), "a");
  EXPECT_EQ(find_repeats(words, 0.5)[0].period, 10u);
  words.in_one_stretch = true;
  const std::vector<Repeat> found = find_repeats(words, 0.5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].period, iteration.size());
  ASSERT_EQ(found[0].stretches.size(), 1u);
  EXPECT_EQ(found[0].stretches[0].length, 9 * iteration.size());
}

TEST(Repeats, NeedsAHeavyWordAndThreeCopies) {
  EXPECT_TRUE(find_repeats(words_of(repeated("abcdefghij", 12), ""), 0.05).empty());
  EXPECT_TRUE(find_repeats(words_of(repeated("abcdefghij", 2), "a"), 0.05).empty());
  EXPECT_TRUE(find_repeats(words_of("abcdefghijklmnop", "a"), 0.05).empty());
  EXPECT_TRUE(find_repeats(Words{}, 0.05).empty());
}

TEST(Repeats, SeveralSequences) {
  const std::string text = repeated("abcdefghij", 9) + "xyz" + repeated("ABCDEFGHIJK", 5);
  const std::vector<Repeat> found = find_repeats(words_of(text, "aA"), 0.05);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].period, 10u);
  EXPECT_EQ(found[1].period, 11u);
  EXPECT_EQ(found[1].stretches[0].begin, 93u);
}

TEST(LayerParts, Names) {
  EXPECT_EQ(part_of_module("Qwen3Attention_0"), "attention");
  EXPECT_EQ(part_of_module("post_attention_layernorm"), "normalization");
  EXPECT_EQ(part_of_module("BertIntermediate_3"), "MLP");
  EXPECT_EQ(part_of_module("Linear_7"), "");
  EXPECT_EQ(phase_of_annotation("step[EXTEND bs=15 toks=15360]"), "prefill");
  EXPECT_EQ(phase_of_annotation("execute_32_context_0(sq0)_generation_32(sq32)"), "decode");
  EXPECT_EQ(phase_of_annotation("execute_context_1(888_788544)_generation_0(0)"), "prefill");
  EXPECT_EQ(phase_of_annotation("execute_context_2(8)_generation_3(3)"), "mixed");
  EXPECT_EQ(phase_of_annotation("execute_model"), "");
  EXPECT_EQ(phase_of_annotation("ProfilerStep#3"), "");
}

struct LayerKernel {
  const char* name;
  KernelClass kernel_class;
};
const std::vector<LayerKernel>& decoder_layer() {
  static const std::vector<LayerKernel> kernels = {{"rms_norm", KernelClass::normalization},
                                                   {"gemm_qkv", KernelClass::gemm},
                                                   {"rotary", KernelClass::rope},
                                                   {"flash_fwd", KernelClass::attention},
                                                   {"gemm_o", KernelClass::gemm},
                                                   {"add_norm", KernelClass::normalization},
                                                   {"topk_softmax", KernelClass::moe_routing},
                                                   {"dispatch_kernel", KernelClass::expert_exchange},
                                                   {"grouped_gemm", KernelClass::moe_gemm},
                                                   {"combine_kernel", KernelClass::expert_exchange},
                                                   {"add", KernelClass::elementwise}};
  return kernels;
}

int64_t sum_of_layers(const Table& table, const std::string& column) {
  int64_t sum = 0;
  for (size_t row = 0; row < table.row_count(); ++row) sum += integer_at(table, row, column);
  return sum;
}

/// The device time of a part of a layer, 0 where it has no row.
int64_t time_of(const Table& table, int64_t layer, const std::string& part) {
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (at(table, row, "layer") == Cell(layer) && text_at(table, row, "part") == part) {
      return integer_at(table, row, "device_ns");
    }
  }
  return 0;
}

/// `steps` times: an embedding, `layers` layers, a last product. The first step lasts ten times as long.
TestRun model_run(int64_t steps, int64_t layers, bool marks) {
  TestRun run;
  int64_t time = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t gap = step == 0 ? 1000 : 100;
    const int64_t begin = time;
    std::vector<SliceIndex> calls;
    const auto add = [&](const LayerKernel& kernel, int64_t duration) {
      const SliceIndex call = run.host(kCall, "launch", time, 1);
      run.kernel(kernel.name, time, duration, {0, 7, OpKind::compute, kernel.kernel_class, call});
      time += gap;
    };
    add({"embed", KernelClass::embedding}, 3);
    for (int64_t layer = 0; layer < layers; ++layer) {
      for (const LayerKernel& kernel : decoder_layer()) add(kernel, 10 + layer);
    }
    add({"gemm_head", KernelClass::gemm}, 50);
    if (marks) run.host(SliceKind::annotation, "ProfilerStep#" + std::to_string(step), begin, time - begin);
  }
  return run;
}

TEST(Layers, EveryPartIsInTheList) {
  const auto has = [](std::string_view part) {
    return part.empty() || std::find(kLayerParts.begin(), kLayerParts.end(), part) != kLayerParts.end();
  };
  std::set<std::string_view> met;
  for (int number = 0; number <= static_cast<int>(KernelClass::unknown); ++number) {
    for (const char* name : {"kernel", "dispatch", "combine"}) {
      const auto kernel_class = static_cast<KernelClass>(number);
      met.insert(part_of_class(kernel_class, name));
      for (const std::string_view part :
           parts_of_sequence({{KernelClass::normalization, "norm"}, {kernel_class, name}})) {
        met.insert(part);
      }
    }
  }
  for (const char* module :
       {"LayerNorm", "router", "self_attn", "mixer", "MoE", "mlp", "embed", "lm_head", "conv1", "loss"}) {
    met.insert(part_of_module(module));
  }
  for (const std::string_view part : met) {
    EXPECT_TRUE(has(part)) << part;
    if (part.empty()) continue;
    EXPECT_EQ(kLayerParts.at(place_of_part(part)), part);
  }
  EXPECT_EQ(met.size(), kLayerParts.size() + 1);  // and ""
}

TEST(Layers, AreFoundInTheSequenceOfKernels) {
  TestRun run = model_run(1, 6, false);
  const Table table = layers_table(session_of(run));
  expect_well_formed(table);
  for (int64_t layer = 0; layer < 6; ++layer) {
    const int64_t each = 10 + layer;
    EXPECT_EQ(time_of(table, layer, "attention"), 4 * each) << layer;
    EXPECT_EQ(time_of(table, layer, "normalization"), 2 * each);
    EXPECT_EQ(time_of(table, layer, "MoE router"), each);
    EXPECT_EQ(time_of(table, layer, "dispatch"), each);
    EXPECT_EQ(time_of(table, layer, "expert GEMM"), each);
    EXPECT_EQ(time_of(table, layer, "combine"), each);
    EXPECT_EQ(time_of(table, layer, "MoE"), each);  // the addition at its end
  }
  EXPECT_EQ(text_at(table, 0, "found_by"), "sequence");
  EXPECT_EQ(sum_of_layers(table, "device_ns"), 3 + 50 + 11 * (10 + 11 + 12 + 13 + 14 + 15));
}

TEST(Layers, WarmUpIsLeftOutOfTheFiguresPerStep) {
  TestRun run = model_run(5, 4, true);
  const Table table = layers_table(session_of(run));
  const int64_t per_step = 3 + 50 + 11 * (10 + 11 + 12 + 13);
  const size_t warm_up = row_of(table, "part", "(warm-up)");
  EXPECT_EQ(integer_at(table, warm_up, "device_ns"), per_step);
  EXPECT_TRUE(absent_at(table, warm_up, "step_ns"));
  EXPECT_EQ(time_of(table, 1, "attention"), 4 * 4 * 11);
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (at(table, row, "layer") != Cell(int64_t{1}) || text_at(table, row, "part") != "attention") continue;
    EXPECT_EQ(real_at(table, row, "step_ns"), 44);
  }
  EXPECT_EQ(sum_of_layers(table, "device_ns"), 5 * per_step);
}

TEST(Layers, OfModules) {
  TestRun run;
  int64_t time = 0;
  const SliceIndex model = run.host(kFrame, "nn.Module: Model_0", 0, 1000);
  const auto launch = [&](SliceIndex in, KernelClass kernel_class, int64_t duration) {
    const SliceIndex call = run.host(kCall, "launch", time++, 1, in);
    run.kernel("k", time++, duration, {0, 7, OpKind::compute, kernel_class, call});
  };
  launch(run.host(kFrame, "nn.Module: Embedding_0", time, 10, model), KernelClass::indexing, 5);
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 4);  // numbers of objects need not begin at 0
    const SliceIndex block = run.host(kFrame, "nn.Module: Block_" + number, time, 100, model);
    const SliceIndex attention = run.host(kFrame, "nn.Module: SelfAttention_" + number, time, 40, block);
    launch(run.host(kFrame, "nn.Module: Linear_" + number, time, 10, attention), KernelClass::gemm, 100);
    launch(attention, KernelClass::softmax_loss, 20);
    launch(run.host(kFrame, "nn.Module: Thing_" + number, time, 10, block), KernelClass::gemm, 30);
    launch(block, KernelClass::elementwise, 7);
  }
  const Table table = layers_table(session_of(run));
  for (int64_t layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(time_of(table, layer, "attention"), 120) << layer;
    EXPECT_EQ(time_of(table, layer, "MLP"), 30);  // named by its contents
    EXPECT_EQ(time_of(table, layer, "other"), 7);
  }
  EXPECT_EQ(integer_at(table, row_of(table, "part", "embedding"), "device_ns"), 5);
  EXPECT_EQ(text_at(table, 0, "found_by"), "modules");
}

TEST(Layers, ThatTakeTurnsAreApart) {
  TestRun run;
  int64_t time = 0;
  const auto add = [&](const char* name, KernelClass kernel_class) {
    run.kernel(name, time, 10, {0, 7, OpKind::compute, kernel_class, kNone});
    time += 10;
  };
  for (int layer = 0; layer < 9; ++layer) {
    add("norm", KernelClass::normalization);
    add("gemm", KernelClass::gemm);
    add("attention", KernelClass::attention);
    if (layer % 2 == 1) add("reduce", KernelClass::reduction);
    add("norm", KernelClass::normalization);
    add("gemm", KernelClass::gemm);
    add("gelu", KernelClass::activation);
  }
  const Table table = layers_table(session_of(run));
  for (int64_t layer = 0; layer < 9; ++layer) {
    EXPECT_EQ(time_of(table, layer, "attention"), layer % 2 == 1 ? 30 : 20) << layer;
    EXPECT_EQ(time_of(table, layer, "MLP"), 20) << layer;
  }
  EXPECT_EQ(sum_of_layers(table, "device_ns"), time);
}

/// Three layers with linear attention and one with full attention, eight times, in two steps.
TEST(Layers, OfAHybridModelAreOnePassThroughAll) {
  TestRun run;
  int64_t time = 0;
  const auto add = [&](KernelClass kernel_class) {
    run.kernel(std::string(text_of(kernel_class)), time, 10, {0, 7, OpKind::compute, kernel_class, kNone});
    time += 10;
  };
  constexpr int64_t kLayers = 32;
  constexpr int kSteps = 2;
  for (int step = 0; step < kSteps; ++step) {
    add(KernelClass::embedding);
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      const bool full = layer % 4 == 3;
      add(KernelClass::normalization);
      add(KernelClass::gemm);
      if (!full) add(KernelClass::convolution);
      if (full) add(KernelClass::rope);
      add(full ? KernelClass::attention : KernelClass::state_space);
      if (!full) add(KernelClass::normalization);
      add(KernelClass::gemm);
      add(KernelClass::normalization);
      add(KernelClass::gemm);
      add(KernelClass::activation);
      add(KernelClass::gemm);
    }
    add(KernelClass::normalization);
    add(KernelClass::gemm);
  }
  const Session session = session_of(run);
  const Table table = layers_table(session);
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const bool full = layer % 4 == 3;
    EXPECT_GT(time_of(table, layer, full ? "attention" : "state space"), 0) << layer;
    EXPECT_EQ(time_of(table, layer, full ? "state space" : "attention"), 0) << layer;
    EXPECT_EQ(time_of(table, layer, "MLP"), 30 * kSteps) << layer;
  }
  EXPECT_EQ(sum_of_layers(table, "device_ns"), time);
  const SessionFacts facts(session);
  EXPECT_EQ(layer_of_ops({facts, 0}).count, kLayers);
}

TEST(Layers, ALoopOverMatrixProductsIsNone) {
  TestRun run;
  for (int64_t i = 0; i < 100; ++i) {
    const KernelClass kernel_class = i % 10 == 0 ? KernelClass::gemm : KernelClass::elementwise;
    run.kernel("k", 10 * i, 10, {0, 7, OpKind::compute, kernel_class, kNone});
  }
  EXPECT_TRUE(layers_table(session_of(run)).empty());
}

TEST(Layers, NothingRepeats) {
  TestRun run = model_run(1, 1, false);
  EXPECT_TRUE(layers_table(session_of(run)).empty());
}

TEST(Layers, ConserveDeviceTime) {
  const std::vector<NamedKind> vocabulary = {{kFrame, "nn.Module: A_0"},
                                             {kFrame, "nn.Module: A_1"},
                                             {kFrame, "nn.Module: B_1"},
                                             {SliceKind::annotation, "ProfilerStep#1"},
                                             {kCall, "l"},
                                             {SliceKind::annotation, "step[DECODE bs=3]"}};
  size_t with_rows = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed, vocabulary, HostShape::nested);
    int64_t all = 0;
    for_each_device_op(run.run.timeline, [&](OpIndex, SliceIndex op) { all += run.run.timeline.slices.duration[op]; });
    const Table table = layers_table(session_of(run));
    if (table.empty()) continue;
    ++with_rows;
    EXPECT_EQ(sum_of_layers(table, "device_ns"), all);
  }
  EXPECT_GT(with_rows, 20u);
}

}  // namespace
}  // namespace cgpu
