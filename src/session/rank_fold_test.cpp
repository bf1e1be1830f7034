// Ranks that are opened one after another give the tables of ranks that are all open, to the last bit.
#include "session/rank_fold.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/error.h"
#include "session/let_go.h"

namespace cgpu {
namespace {

/// A folder of traces, one a rank, that vanishes with the object.
class TraceFolder {
 public:
  TraceFolder() {
    std::string name = "/tmp/cgpu-ranks-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TraceFolder() { std::filesystem::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  void add(const std::string& file, const std::string& text) const { std::ofstream(path_ / file) << text; }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string event(const std::string& category, const std::string& name, int process, const std::string& thread,
                  int64_t start_us, int64_t duration_us, const std::string& arguments) {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )" + std::to_string(process) +
         R"(, "tid": )" + thread + R"(, "ts": )" + std::to_string(start_us) + R"(.250, "dur": )" +
         std::to_string(duration_us) + R"(.125, "args": {)" + arguments + "}},\n";
}

/// Steps of ops, launches, kernels, copies and an all-reduce, and a blocking host barrier that the ranks reach at
/// different times. The clock of a rank is off by `clock_us`.
std::string trace(int rank, int ranks, int64_t clock_us) {
  std::mt19937_64 random(static_cast<uint64_t>(rank) + 99);
  const auto up_to = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  std::string events;
  int64_t correlation = 1;
  for (int step = 0; step < 4; ++step) {
    const int64_t begin = clock_us + 1'000'000 + step * 20'000;
    events += event("user_annotation", "ProfilerStep#" + std::to_string(step), 100, "1", begin, 19'000, "");
    for (int op = 0; op < 12; ++op) {
      const int64_t at = begin + 100 + op * 900 + up_to(100);
      events +=
          event("cpu_op", op % 3 == 0 ? "aten::mm" : "aten::add_of_" + std::to_string(rank), 100, "1", at, 600, "");
      const std::string id = "\"correlation\": " + std::to_string(correlation++);
      events += event("cuda_runtime", op % 4 == 3 ? "cudaMemcpyAsync" : "cudaLaunchKernel", 100, "1", at + 10, 20, id);
      if (op % 4 == 3) {
        events += event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, "7", at + 60 + up_to(50), 100 + up_to(200),
                        id + R"(, "device": 0, "stream": 7, "bytes": )" + std::to_string(1 << (10 + op)));
      } else {
        events += event("kernel", op % 3 == 0 ? "void gemm<float>(float*)" : "elementwise_kernel", 0, "7",
                        at + 60 + up_to(50), 200 + up_to(300), id + R"(, "device": 0, "stream": 7)");
      }
    }
    const std::string id = "\"correlation\": " + std::to_string(correlation++);
    const int64_t barrier = begin + 11'500 + up_to(400) * rank;
    events +=
        event("cpu_op", "gloo:barrier", 100, "1", barrier, clock_us + 1'000'000 + step * 20'000 + 14'000 - barrier, "");
    events += event("cuda_runtime", "cudaLaunchKernel", 100, "1", begin + 14'100, 20, id);
    const int64_t met = begin + 14'500 + up_to(300);
    events += event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, "20", met, begin + 16'000 - met,
                    id + R"(, "device": 0, "stream": 20, "Collective name": "allreduce", "In msg nelems": 4096, )" +
                        R"("Out msg nelems": 4096, "Group size": )" + std::to_string(ranks) +
                        R"(, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0]")");
  }
  events.resize(events.size() - 2);
  return R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
         R"(, "world_size": )" + std::to_string(ranks) + R"(}, "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
"traceEvents": [)" +
         events + "]}";
}

/// Those that can be made while ranks are opened one after another.
std::vector<WantedTable> all_folded_tables() {
  std::vector<WantedTable> wanted;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.events == nullptr && !analysis.needs_all_timelines) wanted.push_back({&analysis});
  }
  return wanted;
}

OpenOptions opening(const TraceFolder& folder, unsigned threads = 0) {
  OpenOptions open;
  open.inputs = {folder.path()};
  open.threads = threads;
  return open;
}

void expect_the_same_tables(const TraceFolder& folder, unsigned threads) {
  const std::vector<WantedTable> wanted = all_folded_tables();
  const FoldedSession folded = fold_ranks(opening(folder, threads), {}, wanted);
  const Session session = open_session(opening(folder, threads));
  const SessionFacts facts(session);
  ASSERT_EQ(folded.session.runs.size(), session.runs.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(folded.tables[i], make_table(*wanted[i].analysis, facts)) << wanted[i].analysis->name;
  }
}

TEST(RankFold, EqualsTheTablesOfRanksThatAreAllOpen) {
  TraceFolder folder;
  for (int rank = 0; rank < 5; ++rank) {
    folder.add("part_" + std::to_string(9 - rank) + ".json", trace(rank, 5, rank * 777));
  }
  for (const unsigned threads : {1U, 2U, 4U}) expect_the_same_tables(folder, threads);
}

TEST(RankFold, RanksThatNoFileNamesAndRanksThatAreTwice) {
  TraceFolder folder;
  int file = 0;
  for (const int rank : {0, 1, 1, 3}) folder.add("x" + std::to_string(file++) + ".json", trace(rank, 4, rank * 50));
  folder.add("notes.txt", "not a profile");
  expect_the_same_tables(folder, 2);
}

TEST(RankFold, LetsTimelinesGoAndKeepsWhatRanksMustKnow) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace(rank, 3, 0));
  const FoldedSession folded = fold_ranks(opening(folder), {}, all_folded_tables());
  for (const cgpu::Run& run : folded.session.runs) {
    ASSERT_TRUE(run.let_go);
    EXPECT_EQ(run.let_go->slices, 4 * (1 + 12 * 3 + 3));
    EXPECT_EQ(run.timeline.slices.size(), 4u * 2);  // an all-reduce and a barrier a step
  }
}

TEST(RankFold, TablesThatNeedAllTimelinesKeepThemOpenUnlessTheyAreOptional) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace(rank, 3, rank * 90));
  const Analysis& path = find_analysis("critical_path");
  const FoldedSession open = fold_ranks(opening(folder), {}, {{&path}});
  EXPECT_FALSE(open.session.runs[0].let_go);
  EXPECT_FALSE(open.tables[0].empty());
  EXPECT_EQ(open.tables[0], make_table(path, SessionFacts(open.session)));
  const FoldedSession folded = fold_ranks(opening(folder), {}, {{.analysis = &path, .if_open = true}});
  EXPECT_TRUE(folded.session.runs[0].let_go);
  EXPECT_TRUE(folded.tables[0].empty());

  double bytes = 0;
  for (const std::string& input : opening(folder).inputs) {
    for (const auto& file : std::filesystem::directory_iterator(input)) bytes += static_cast<double>(file.file_size());
  }
  for (const double missing : {0.0, 1.0}) {
    const WantedTable small{.analysis = &path, .if_open = true, .open_bytes = bytes - missing};
    const FoldedSession maybe = fold_ranks(opening(folder), {}, {small});
    EXPECT_EQ(maybe.session.runs[0].let_go.has_value(), missing > 0);
    EXPECT_EQ(maybe.tables[0].empty(), missing > 0);
  }
}

TEST(RankFold, IdleTimeSpentWaitingForOtherRanksIsFound) {
  TraceFolder folder;
  for (int rank = 0; rank < 3; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace(rank, 3, 0));
  const FoldedSession folded = fold_ranks(opening(folder), {}, {{&find_analysis("idle")}});
  const Table& idle = folded.tables[0];
  int64_t waited = 0;
  for (const RowView row : idle.rows()) {
    if (idle.values(idle.column("cause")).text(row.index()) == "other_rank") {
      waited += idle.values(idle.column("total_ns")).integer(row.index());
    }
  }
  EXPECT_GT(waited, 0);
}

TEST(RankFold, APartIsTakenWithAllRanksOpen) {
  TraceFolder folder;
  for (int rank = 0; rank < 2; ++rank) folder.add("rank" + std::to_string(rank) + ".json", trace(rank, 2, 0));
  Selection selection;
  selection.steps = {1, 2};
  const FoldedSession folded = fold_ranks(opening(folder), selection, {{&find_analysis("steps")}});
  EXPECT_FALSE(folded.session.runs[0].let_go);
  EXPECT_GE(folded.tables[0].row_count(), 4u);
}

TEST(RankFold, AFileThatCannotBeReadIsAnErrorUnlessItWasFound) {
  TraceFolder folder;
  folder.add("a.json", trace(0, 2, 0));
  folder.add("b.json", "no profile");
  OpenOptions open;
  open.inputs = {folder.path() + "/a.json", folder.path() + "/b.json"};
  EXPECT_THROW(fold_ranks(open, {}, all_folded_tables()), Error);
  EXPECT_EQ(fold_ranks(opening(folder), {}, all_folded_tables()).session.runs.size(), 1u);
}

}  // namespace
}  // namespace cgpu
