#include "model/argument_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <stdexcept>

#include "model/test_arguments.h"
#include "model/timeline.h"

namespace cgpu {
namespace {

/// Event `source` has source % 4 arguments that tell its number; every 1000th has one that no other has.
class Numbered : public test::MadeArguments {
 public:
  explicit Numbered(bool parallel) : parallel_(parallel) {}
  std::vector<Argument> of(uint64_t source) override {
    if (source == kBroken) throw std::runtime_error("broken");
    std::vector<Argument> arguments;
    for (uint64_t i = 0; i < source % 4; ++i) {
      arguments.push_back({"key " + std::to_string(i), std::to_string(source + i), i % 2 == 0});
    }
    if (source % 1000 == 0) arguments.push_back({"rare " + std::to_string(source), "x", false});
    return arguments;
  }
  bool is_parallel() const override { return parallel_; }
  bool ascending() const { return ascending_; }

  static constexpr uint64_t kBroken = 1'000'000'000;

 private:
  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    ascending_ = ascending_ && std::is_sorted(sources.begin(), sources.end());
    MadeArguments::read_events(sources, batch);
  }

  bool parallel_;
  std::atomic<bool> ascending_ = true;
};

TEST(ArgumentReader, WhatHasNoSourceHasNoArguments) {
  Numbered numbered(false);
  const std::vector<uint64_t> sources{kNoSource, 2, kNoSource, 1};
  std::vector<size_t> counts;
  ArgumentReader(&numbered).for_each(
      sources, [&](size_t, std::span<const ArgumentView> arguments) { counts.push_back(arguments.size()); });
  EXPECT_EQ(counts, (std::vector<size_t>{0, 2, 0, 1}));
  EXPECT_TRUE(numbered.arguments(kNoSource).empty());
  EXPECT_EQ(numbered.arguments(1).size(), 1U);
}

TEST(ArgumentReader, GivesOnlyTheKeysThatAreWanted) {
  Numbered numbered(true);
  std::vector<uint64_t> sources(10'000);
  for (size_t i = 0; i < sources.size(); ++i) sources[i] = i;
  ArgumentReader reader(&numbered, 2, {"key 1", "rare 3000"});
  const uint32_t wanted = reader.number_of("key 1");
  size_t rare = 0;
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    size_t expected = i % 4 >= 2 ? 1 : 0;
    for (const ArgumentView& argument : arguments) {
      if (argument.number == wanted) {
        EXPECT_EQ(argument.value, std::to_string(i + 1));
      } else {
        EXPECT_EQ(argument.key, "rare 3000");
        ++rare;
        ++expected;
      }
    }
    EXPECT_EQ(arguments.size(), expected);
  });
  EXPECT_EQ(rare, 1U);
}

TEST(ArgumentReader, GivesThoseOfEachEventInAnyOrder) {
  std::mt19937 random(1);
  for (const size_t events : {0, 1, 5'000, 100'000}) {
    std::vector<uint64_t> sources(events);
    for (uint64_t& source : sources) source = random() % 50'000;
    for (const bool parallel : {false, true}) {
      Numbered numbered(parallel);
      ArgumentReader reader(&numbered, 3);
      const uint32_t second = reader.number_of("key 1");
      std::vector<std::string> key_of;
      size_t next = 0;
      reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
        ASSERT_EQ(i, next++);
        const std::vector<Argument> expected = numbered.of(sources[i]);
        ASSERT_EQ(arguments.size(), expected.size());
        for (size_t a = 0; a < expected.size(); ++a) {
          ASSERT_EQ(arguments[a].key, expected[a].key);
          ASSERT_EQ(arguments[a].value, expected[a].value);
          ASSERT_EQ(arguments[a].json, expected[a].json);
          ASSERT_EQ(arguments[a].number == second, expected[a].key == "key 1");
          key_of.resize(std::max<size_t>(key_of.size(), arguments[a].number + 1));
          std::string& key = key_of[arguments[a].number];
          if (key.empty()) key = arguments[a].key;
          ASSERT_EQ(key, arguments[a].key) << "one number, two keys";
        }
      });
      EXPECT_EQ(next, events);
      EXPECT_TRUE(numbered.ascending());
    }
  }
}

TEST(ArgumentReader, WithoutASourceNothingHasArguments) {
  ArgumentReader reader(nullptr);
  size_t seen = 0;
  reader.for_each(std::vector<uint64_t>{3, 1, 2}, [&](size_t i, std::span<const ArgumentView> arguments) {
    EXPECT_EQ(i, seen++);
    EXPECT_TRUE(arguments.empty());
  });
  EXPECT_EQ(seen, 3U);
}

TEST(ArgumentReader, PassesOnWhatGoesWrong) {
  for (const size_t broken : {0, 90'000}) {
    std::vector<uint64_t> sources(100'000, 1);
    sources[broken] = Numbered::kBroken;
    Numbered numbered(true);
    ArgumentReader reader(&numbered, 4);
    EXPECT_THROW(reader.for_each(sources, [](size_t, std::span<const ArgumentView>) {}), std::runtime_error);
  }
}

TEST(ArgumentBatch, HidesCredentials) {
  ArgumentBatch batch;
  batch.begin_event();
  batch.add("password", "12", true);
  batch.add("note", "hf_abcdefghijklmnopqrstuvwxyz", false);
  batch.add("note", "plain", false);
  batch.begin_event();
  batch.begin_event();
  batch.add("password", "34", true);
  ASSERT_EQ(batch.events(), 3U);
  std::vector<std::string> texts;
  for (size_t event = 0; event < batch.events(); ++event) {
    for (const ArgumentBatch::Value& value : batch.event(event)) {
      texts.push_back(batch.key(value.key) + "=" + std::string(batch.text(value)) + (value.json ? "!" : ""));
    }
    texts.emplace_back("|");
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"password=[hidden]", "note=[hidden]", "note=plain", "|", "|",
                                             "password=[hidden]", "|"}));
  batch.clear();
  EXPECT_EQ(batch.events(), 0U);
  EXPECT_EQ(batch.keys(), 2U);
}

TEST(ArgumentBatch, AValueIsLookedThroughWhateverCameBefore) {
  ArgumentBatch batch;
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < 300; ++number) {  // more than are kept
      batch.begin_event();
      batch.add("command", "train --layers=" + std::to_string(number), false);
      batch.add("command", "login --password=x" + std::to_string(number), false);
    }
  }
  ASSERT_EQ(batch.events(), 900U);
  for (size_t event = 0; event < batch.events(); ++event) {
    EXPECT_EQ(batch.text(batch.event(event)[0]), "train --layers=" + std::to_string(event % 300));
    EXPECT_EQ(batch.text(batch.event(event)[1]), "login --password=[hidden]");
  }
  EXPECT_EQ(batch.hidden(), 900);
}

}  // namespace
}  // namespace cgpu
