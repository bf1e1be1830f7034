// The builder against a slow, independent reading of what it wrote.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/test_sanitized.h"
#include "build.h"
#include "kineto_writer.h"
#include "models.h"
#include "slow_oracle.h"

namespace cgpu::builder {
namespace {

using Json = nlohmann::ordered_json;

constexpr Cause kAllCauses[] = {
    Cause::synchronization,    Cause::blocking_copy, Cause::data_loading, Cause::allocation,      Cause::module_load,
    Cause::garbage_collection, Cause::lock,          Cause::host_code,    Cause::launch_overhead, Cause::dependency,
    Cause::profiler_overhead,  Cause::unknown};

Options small(Model model, Era era = Era::y2026, Vendor vendor = Vendor::nvidia) {
  Options options;
  options.model = model;
  options.era = era;
  options.vendor = vendor;
  options.steps = 5;  // the fourth does not synchronize
  options.layers = 2;
  return options;
}

struct Built {
  std::vector<std::string> texts;
  Json truth;
};

Built built(const Options& options) {
  std::vector<StringSink> sinks(static_cast<size_t>(options.ranks));
  std::vector<Sink*> pointers;
  for (StringSink& sink : sinks) pointers.push_back(&sink);
  Built result;
  result.truth = build(options, pointers);
  for (const StringSink& sink : sinks) result.texts.push_back(sink.text());
  return result;
}

/// Every part of the truth that a file shows is what the oracle sees in the file.
void expect_true(const Options& options) {
  const Built b = built(options);
  const Json seen = slow_truth(b.texts);
  ASSERT_EQ(b.truth["ranks"].size(), seen["ranks"].size());
  for (size_t rank = 0; rank < seen["ranks"].size(); ++rank) {
    for (const auto& [section, value] : seen["ranks"][rank].items()) {
      // Compared without regard to the order of members.
      const nlohmann::json told = b.truth["ranks"][rank][section];
      const nlohmann::json shown = value;
      EXPECT_EQ(told, shown) << section << " of rank " << rank << ": "
                             << nlohmann::json::diff(told, shown).dump(1).substr(0, 2000);
    }
  }
  EXPECT_EQ(nlohmann::json(b.truth["collectives"]), nlohmann::json(seen["collectives"]));
}

using Dialect = std::tuple<Model, Era, Vendor>;
class Dialects : public testing::TestWithParam<Dialect> {};

TEST_P(Dialects, TruthIsWhatTheFileShows) {
  const auto [model, era, vendor] = GetParam();
  expect_true(small(model, era, vendor));
}

TEST_P(Dialects, TruthHoldsWithEveryCausePlanted) {
  const auto [model, era, vendor] = GetParam();
  Options options = small(model, era, vendor);
  options.steps = 3;
  options.idle.assign(std::begin(kAllCauses), std::end(kAllCauses));
  expect_true(options);
}

std::string dialect_name(const testing::TestParamInfo<Dialect>& dialect) {
  const auto [model, era, vendor] = dialect.param;
  return std::string(text_of(model)) + "_" + std::string(text_of(era)) + "_" + std::string(text_of(vendor));
}

INSTANTIATE_TEST_SUITE_P(
    All, Dialects,
    testing::Combine(testing::Values(Model::plain, Model::cnn, Model::dlrm, Model::moe, Model::llm),
                     testing::Values(Era::y2021, Era::y2024, Era::y2026), testing::Values(Vendor::nvidia, Vendor::amd)),
    dialect_name);

TEST(Builder, TruthHoldsForManySeedsAndStreams) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Options options = small(seed % 2 ? Model::plain : Model::dlrm);
    options.seed = seed;
    options.streams = static_cast<int>(seed);
    options.steps = 3;
    options.orphans = static_cast<int>(seed % 3);
    expect_true(options);
  }
}

TEST(Builder, TruthHoldsOutOfOrder) {
  Options options = small(Model::moe);
  options.shuffle = true;
  options.idle = {Cause::dependency, Cause::data_loading};
  expect_true(options);
  EXPECT_NE(build_text(options), build_text(small(Model::moe)));
}

TEST(Builder, RanksShareCollectives) {
  for (const Era era : {Era::y2021, Era::y2026}) {
    Options options = small(Model::moe, era);
    options.ranks = 4;
    options.steps = 2;
    expect_true(options);
    const Json truth = built(options).truth;
    for (const Json& row : truth["collectives"]) {
      EXPECT_EQ(row["ranks"], era == Era::y2021 || row["name"] == "allreduce" ? 4 : 2) << row;
      EXPECT_GT(row["wait_ns"], 0) << row;
    }
  }
}

TEST(Builder, SameSeedSameBytes) {
  Options options = small(Model::cnn);
  options.ranks = 3;
  const Built a = built(options);
  const Built b = built(options);
  EXPECT_EQ(a.texts, b.texts);
  EXPECT_EQ(a.truth, b.truth);
  EXPECT_NE(a.texts[0], a.texts[1]);
  options.seed = 2;
  EXPECT_NE(built(options).texts, a.texts);
}

TEST(Builder, BytesAreTheSameOnEveryMachine) {
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : build_text(small(Model::llm))) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  EXPECT_EQ(hash, 16081110226079685813U) << "where the simulation was changed on purpose, write the new value here";
}

TEST(Builder, PlantedGapsHaveThePlantedLength) {
  // These causes never occur unless they are planted.
  const Cause only_planted[] = {
      Cause::blocking_copy, Cause::allocation,        Cause::module_load, Cause::garbage_collection,
      Cause::lock,          Cause::profiler_overhead, Cause::unknown};
  for (const Model model : {Model::plain, Model::llm}) {
    Options options = small(model);
    options.idle.assign(std::begin(kAllCauses), std::end(kAllCauses));
    const Json rank = built(options).truth["ranks"][0];
    const auto total = [&](const char* section, Cause cause) {
      return rank.at(section).at(std::string(text_of(cause))).at("total_ns").get<int64_t>();
    };
    for (const Cause cause : only_planted) EXPECT_EQ(total("idle", cause), total("planted", cause)) << text_of(cause);
    for (const Cause cause : kAllCauses) {
      EXPECT_GE(total("idle", cause), total("planted", cause)) << text_of(cause);
      EXPECT_EQ(rank.at("planted").at(std::string(text_of(cause))).at("count"), options.steps) << text_of(cause);
    }
  }
}

TEST(Builder, PartsAddUp) {
  for (const Model model : {Model::cnn, Model::dlrm, Model::moe, Model::llm}) {
    Options options = small(model);
    options.idle = {Cause::lock, Cause::synchronization};
    const Json truth = built(options).truth;
    for (const Json& rank : truth.at("ranks")) {
      const Json& t = rank["gpu_time"];
      const int64_t parts = t["compute_ns"].get<int64_t>() + t["exposed_comm_ns"].get<int64_t>() +
                            t["exposed_memory_ns"].get<int64_t>() + t["idle_ns"].get<int64_t>();
      EXPECT_EQ(parts, t["span_ns"]);
      int64_t idle = 0;
      for (const auto& [cause, row] : rank["idle"].items()) idle += row["total_ns"].get<int64_t>();
      EXPECT_EQ(idle, t["idle_ns"]);
    }
  }
}

TEST(Builder, ReachesTheSizeAskedFor) {
  const auto bytes = [](Options options) {
    CountingSink sink;
    build(fit(options), {&sink});
    return static_cast<double>(sink.bytes());
  };
  Options options;
  options.bytes = 50'000'000;
  EXPECT_NEAR(bytes(options), 5e7, 5e6);
  options.bytes = 1'000'000;
  EXPECT_NEAR(bytes(options), 1e6, 1e5);
  options = Options{};
  options.model = Model::llm;
  options.events = 100'000;
  CountingSink sink;
  EXPECT_NEAR(build(fit(options), {&sink})["ranks"][0]["events"]["read"].get<double>(), 1e5, 1e4);
}

TEST(Builder, NeedsNoMoreMemoryForALargerFile) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer keeps freed memory";
  const auto peak_kilobytes = [](int steps) {
    const pid_t child = fork();
    if (child == 0) {
      Options options;
      options.steps = steps;
      CountingSink sink;
      build(options, {&sink});
      _exit(0);
    }
    rusage usage{};
    int status = 0;
    EXPECT_EQ(wait4(child, &status, 0, &usage), child);
    EXPECT_EQ(status, 0);
    return usage.ru_maxrss;
  };
  const auto small_peak = peak_kilobytes(8);           // 6 MB
  EXPECT_LT(peak_kilobytes(160) - small_peak, 4'000);  // 110 MB
}

TEST(Builder, AFailingFileIsReported) {
  class Full : public Sink {
    void write(std::string_view) override { throw std::runtime_error("disk full"); }
  };
  Options options = small(Model::cnn);
  options.ranks = 2;
  StringSink good;
  Full bad;
  try {
    build(options, {&good, &bad});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "disk full");
  }
}

TEST(KinetoWriter, WritesWhatItIsTold) {
  StringSink sink;
  KinetoWriter writer(sink);
  writer.begin(Members().add("schemaVersion", 1));
  writer.slice("cpu_op", "a \"quoted\"\n\\name", {"1", "2"}, 1'234'005, 1'001, Members().add("External id", 7));
  writer.flow(true, 3, "ac2g", "ac2g", {"1", "2"}, 5);
  writer.event({{"dur", "NaN"}, {"name", "\"late\""}, {"ph", "\"X\""}});
  writer.raw("{\"ph\": \"X\"");
  writer.end(Members().add("traceName", "x"));
  EXPECT_EQ(
      sink.text(),
      "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n"
      "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a \\\"quoted\\\"\\u000a\\\\name\", \"pid\": 1, "
      "\"tid\": 2,\n"
      "    \"ts\": 1234.005, \"dur\": 1.001,\n    \"args\": {\n      \"External id\": 7\n    }\n  },\n"
      "  {\n    \"ph\": \"s\", \"id\": 3, \"pid\": 1, \"tid\": 2, \"ts\": 0.005,\n    \"cat\": \"ac2g\", \"name\": "
      "\"ac2g\"\n  },\n"
      "  {\"dur\": NaN, \"name\": \"late\", \"ph\": \"X\"},\n  {\"ph\": \"X\"\n  ],\n  \"traceName\": \"x\"\n}\n");
  EXPECT_EQ(writer.counts().slices, 1);
  EXPECT_EQ(writer.counts().flows, 1);
}

TEST(KinetoWriter, ShufflesWithoutLoss) {
  StringSink sink;
  KinetoWriter writer(sink, TimeStyle::whole_microseconds);
  writer.shuffle(16, 5);
  writer.begin_array();
  for (int64_t i = 0; i < 100; ++i) writer.instant("", "i", {"0", "0"}, i * 1000, "t", {});
  writer.end_array();
  std::vector<int64_t> times;
  for (const nlohmann::json& event : nlohmann::json::parse(sink.text())) times.push_back(event["ts"]);
  EXPECT_EQ(times.size(), 100U);
  EXPECT_FALSE(std::is_sorted(times.begin(), times.end()));
  std::sort(times.begin(), times.end());
  for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], static_cast<int64_t>(i));
}

}  // namespace
}  // namespace cgpu::builder
