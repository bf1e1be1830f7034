// Arguments of Kineto events read again: in batches and one by one, near each other and far apart, whole and broken.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/test_file.h"
#include "base/test_sanitized.h"
#include "readers/reader.h"

namespace cgpu {
namespace {

using test::TestFile;
using Arguments = std::vector<std::string>;  // "key=value", with "!" behind JSON

struct Written {
  std::string text;  // of the arguments
  Arguments expected;
};

/// What an event may have as arguments.
Written random_arguments(std::mt19937& random, int event) {
  const std::string id = std::to_string(event);
  switch (random() % 8) {
    case 0:
      return {"", {}};
    case 1:
      return {R"(, "args": {})", {}};
    case 2:
      return {R"(, "args": {"id": )" + id + R"(, "on": true, "half": 0.5})",
              {"id=" + id + "!", "on=true!", "half=0.5!"}};
    case 3:  // looks like the beginning of an event
      return {R"(, "args": {"list": [{"a": 1}, {"ph": "X", "id": )" + id + "}]}",
              {R"(list=[{"a":1},{"ph":"X","id":)" + id + "}]!"}};
    case 4:  // and so does this text
      return {R"(, "args": {"text": "}, {\"ph\": \"X\"", "id": )" + id + "}",
              {R"(text=}, {"ph": "X")", "id=" + id + "!"}};
    case 5: {
      const size_t size = size_t{1} << random() % 21;  // up to a megabyte
      return {R"(, "args": {"id": ")" + id + R"(", "long": ")" + std::string(size, 'x') + "\"}",
              {"id=" + id, "long=" + std::string(size, 'x')}};
    }
    case 6:  // no JSON
      return {R"(, "args": {"id": inf})", {}};
    default:
      return {R"(, "args": {"dims": [[1, 2], []], "id": )" + id + "}", {"dims=[[1,2],[]]!", "id=" + id + "!"}};
  }
}

Arguments read_one(const cgpu::Run& run, SliceIndex slice) {
  Arguments found;
  for (const Argument& argument : run.arguments->arguments(run.timeline.slices.source[slice])) {
    found.push_back(argument.key + "=" + argument.value + (argument.json ? "!" : ""));
  }
  return found;
}

std::vector<Arguments> read_many(const cgpu::Run& run, const std::vector<SliceIndex>& slices) {
  std::vector<uint64_t> sources;
  for (const SliceIndex slice : slices) sources.push_back(run.timeline.slices.source[slice]);
  ArgumentBatch batch;
  run.arguments->read(sources, batch);
  std::vector<Arguments> found(batch.events());
  for (size_t i = 0; i < found.size(); ++i) {
    for (const ArgumentBatch::Value& value : batch.event(i)) {
      found[i].push_back(batch.key(value.key) + "=" + std::string(batch.text(value)) + (value.json ? "!" : ""));
    }
  }
  return found;
}

TEST(KinetoArguments, InBatchesAndOneByOne) {
  std::mt19937 random(7);
  std::vector<Arguments> expected;
  std::string events;
  for (int event = 0; event < (kSanitized ? 600 : 3000); ++event) {
    const Written written = random_arguments(random, event);
    expected.push_back(written.expected);
    events += (event > 0 ? ",\n" : "") +
              std::string(R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 2)") + R"(, "ts": )" +
              std::to_string(event) + R"(, "dur": 1)" + written.text + "}";
    if (random() % 3 == 0) events += std::string(random() % 9000, ' ');
  }
  const std::string text = R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
  for (const std::string& content : {text, test::gzip(text)}) {
    const TestFile file(content);
    const Session session = open_inputs({file.path()}, {2, "", {}});
    const cgpu::Run& run = session.runs.front();
    ASSERT_EQ(run.timeline.slices.size(), expected.size());
    for (const size_t every : {1, 2, 7, 100}) {
      std::vector<SliceIndex> slices;
      std::vector<Arguments> wanted;
      for (SliceIndex slice = 0; slice < expected.size(); slice += static_cast<SliceIndex>(1 + random() % every)) {
        slices.push_back(slice);
        wanted.push_back(expected[slice]);
        if (every == 7) slices.push_back(slice), wanted.push_back(expected[slice]);  // the same again
      }
      EXPECT_EQ(read_many(run, slices), wanted) << every;
    }
    for (SliceIndex slice = 0; slice < expected.size(); slice += 50) EXPECT_EQ(read_one(run, slice), expected[slice]);
  }
}

TEST(KinetoArguments, BrokenQuotesAndTheEndOfATornFile) {
  const std::string begin = R"({"ph": "X", "cat": "cpu_op", "name": ")";
  const auto rest = [](int id) {
    return R"(", "pid": 1, "tid": 2, "ts": )" + std::to_string(id) + R"(, "dur": 1, "args": {"id": )" +
           std::to_string(id) + "}}";
  };
  const TestFile file(R"({"traceEvents": [)" + begin + R"(a "quoted" name)" + rest(0) + ",\n" + begin + "good" +
                      rest(1) + ",\n" + begin + "odd \" quote" + rest(2) + ",\n" + begin + "last" + rest(3) + ",\n" +
                      begin);
  const Session session = open_inputs({file.path()}, {1, "", {}});
  const cgpu::Run& run = session.runs.front();
  ASSERT_EQ(run.timeline.slices.size(), 4U);
  std::vector<SliceIndex> all{0, 1, 2, 3};
  const std::vector<Arguments> expected{{"id=0!"}, {"id=1!"}, {"id=2!"}, {"id=3!"}};
  EXPECT_EQ(read_many(run, all), expected);
  for (const SliceIndex slice : all) EXPECT_EQ(read_one(run, slice), expected[slice]);
}

}  // namespace
}  // namespace cgpu
