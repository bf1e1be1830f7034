// A part of a run of several ranks is the same through the command line and through the library, whether ranks are open
// together or one after another.
#include "session/selection/selection.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "analysis/analysis.h"
#include "base/test_file.h"
#include "cli/cli.h"
#include "session/opened_profile.h"
#include "session/ranks/test_ranks.h"
#include "session/table_engine.h"
#include "table/json.h"

namespace cgpu {
namespace {

constexpr int kRanks = 3;

/// A part of the job, as a user would say it.
InputOptions random_part(std::mt19937_64& random, const std::string& folder) {
  const auto chance = [&](unsigned of) { return random() % of == 0; };
  InputOptions part;
  part.inputs = {folder};
  if (chance(2)) part.rank = std::to_string(random() % kRanks);
  if (part.rank.empty() && chance(2)) part.rank = chance(2) ? "0,2" : "1-2";
  if (chance(3)) part.device = "0";
  if (chance(3)) part.step = chance(2) ? "1" : "1-2";
  if (chance(2)) part.from = std::to_string(random() % 30) + "ms";
  if (chance(2)) part.to = std::to_string(30 + random() % 50) + "ms";
  return part;
}

std::vector<std::string> words_of(const InputOptions& part) {
  std::vector<std::string> words = part.inputs;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--rank", part.rank);
  add("--device", part.device);
  add("--step", part.step);
  add("--from", part.from);
  add("--to", part.to);
  return words;
}

/// The table as JSON from the command line.
std::string from_command_line(const InputOptions& part, const std::string& table) {
  const test::TestFile file("", ".json");
  std::vector<std::string> words = words_of(part);
  words.insert(words.begin(), {"cgpu", "table"});
  words.insert(words.begin() + 3, table);
  words.insert(words.end(), {"-o", file.path()});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  EXPECT_EQ(run_command_line(static_cast<int>(arguments.size()), arguments.data()), 0);
  std::ostringstream text;
  text << std::ifstream(file.path()).rdbuf();
  return text.str();
}

TEST(Selection, IsTheSameThroughTheLibraryAndTheCommandLine) {
  const test::TraceFolder folder;
  for (int rank = 0; rank < kRanks; ++rank) {
    folder.add("trace_" + std::to_string(9 - rank) + ".json", test::trace_of_rank(rank, kRanks, rank * 777));
  }
  std::mt19937_64 random(17);
  for (int round = 0; round < 6; ++round) {
    const InputOptions part = random_part(random, folder.path());
    const Selection selection = part.selection();
    Session session = ProfileSource(part.open()).open();
    select(session, selection);
    const SessionFacts facts(session);
    const OpenedProfile profile(part);
    OpenOptions little = part.open();
    little.memory = 1;
    std::string said;
    for (const std::string& word : words_of(part)) said += word + " ";
    for (const char* name : {"steps", "idle", "collectives", "clocks", "notes", "slices"}) {
      const Analysis& analysis = find_analysis(name);
      const std::string expected = from_command_line(part, name);
      EXPECT_EQ(render_json("table", part.inputs, {make_table(analysis, facts)}), expected) << said << name;
      EXPECT_EQ(render_json("table", part.inputs, {profile.table(name)}), expected) << said << name;
      const MadeTables folded = make_tables(ProfileSource(little, selection), {{&analysis}});
      EXPECT_EQ(render_json("table", part.inputs, folded.tables), expected) << said << name;
    }
  }
}

}  // namespace
}  // namespace cgpu
