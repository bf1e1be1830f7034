// What groups of ranks are for, by the descriptions that frameworks give them.
#include "analysis/ranks/parallel_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace cgpu {
namespace {

TEST(ParallelGroups, DescriptionsOfFrameworksInWords) {
  for (const auto& [description, kind] : std::initializer_list<std::pair<const char*, const char*>>{
           {"tp", "tensor parallel"},
           {"mesh_tp", "tensor parallel"},
           {"TENSOR_MODEL_PARALLEL_GROUP", "tensor parallel"},
           {"TENSOR_PARALLEL", "tensor parallel"},
           {"PIPELINE_MODEL_PARALLEL_GROUP", "pipeline parallel"},
           {"mesh_pp", "pipeline parallel"},
           {"DATA_PARALLEL_GROUP_WITH_CP", "data and context parallel"},
           {"dp_cp", "data and context parallel"},
           {"mesh_dp_shard", "sharded data parallel"},
           {"expert_parallel", "expert parallel"},
           {"EXPERT_MODEL_PARALLEL_GROUP", "expert parallel"},
           {"mp", "model parallel"},
           {"MODEL_PARALLEL_GROUP", "model parallel"},
           {"embd", "embedding"},
           {"default_pg", "default"},
           {"default_group", "default"},
           {"EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP"},
           {"mesh_dim_0", "mesh_dim_0"},
           {"undefined", ""},
           {"", ""},
       }) {
    EXPECT_EQ(kind_of_group(description), kind) << description;
  }
}

TEST(ParallelGroups, InWords) {
  EXPECT_EQ(group_in_words("13", "tensor parallel"), "the tensor parallel group 13");
  EXPECT_EQ(group_in_words("13", "moe_dispatch"), "group 13 (moe_dispatch)");
  EXPECT_EQ(group_in_words("13", ""), "group 13");
}

TEST(ParallelGroups, OnlyStagesOfOnePipelineAreAPipeline) {
  for (const char* description : {"pp", "mesh_pp", "pipeline", "PIPELINE_MODEL_PARALLEL_GROUP", "pipeline_parallel"}) {
    EXPECT_TRUE(is_pipeline_group({"7", description, "", 4, {}})) << description;
  }
  for (const char* description : {"", "undefined", "mp", "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "default_pg"}) {
    EXPECT_FALSE(is_pipeline_group({"7", description, "", 4, {}})) << description;
  }
}

TEST(ParallelGroups, LabelsOfCollectivesAreNamesOrDescriptionsWithRanks) {
  Session session;
  session.runs.resize(2);
  session.runs[0].groups = {{"1", "mesh_tp", "nccl", 2, {0, 1}}, {"3", "undefined", "nccl", 2, {0, 4}}};
  session.runs[1].groups = {{"1", "another", "nccl", 2, {0, 1}}, {"2", "mesh_dp", "nccl", 2, {1, 5}}};
  const GroupKinds kinds(session);
  EXPECT_EQ(kinds.of("1"), "tensor parallel");
  EXPECT_EQ(kinds.of("2"), "data parallel");
  EXPECT_EQ(kinds.of("3"), "");
  EXPECT_EQ(kinds.of("4"), "");
  EXPECT_EQ(kinds.of("pp [0,4]"), "pipeline parallel");
  EXPECT_EQ(kinds.of("[0, 4]"), "");
}

TEST(ParallelGroups, ThePlaceOfARank) {
  cgpu::Run run;
  run.rank = 6;
  run.rank_known = true;
  run.world_size = 8;
  EXPECT_EQ(place_in({"7", "pp", "", 4, {0, 2, 4, 6}}, run), 3);
  EXPECT_EQ(place_in({"7", "pp", "", 4, {0, 1, 2, 3}}, run), std::nullopt);
  EXPECT_EQ(place_in({"7", "pp", "", 8, {}}, run), 6) << "a group of all ranks lists none";
  EXPECT_EQ(place_in({"7", "pp", "", 4, {}}, run), std::nullopt);
  EXPECT_EQ(place_in({"7", "pp", "", 2, {5, 6}, 0}, run), 0) << "as the profile says it";
  run.rank = 8;
  run.rank_known = false;
  run.claimed_rank = 4;
  EXPECT_EQ(place_in({"7", "pp", "", 4, {0, 2, 4, 6}}, run), 2) << "of the second profile of a rank";
  run.claimed_rank.reset();
  EXPECT_EQ(place_in({"7", "pp", "", 4, {0, 2, 4, 8}}, run), std::nullopt);
}

}  // namespace
}  // namespace cgpu
