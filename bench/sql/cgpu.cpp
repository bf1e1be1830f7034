// sql_cgpu TRACE QUERIES.json: opens the trace and asks each of the queries several times; prints, as JSON, the seconds
// of opening, of each asking, and the rows of the answer.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sql/query.h"
#include "sql/run_tables.h"
#include "table/json.h"

using Clock = std::chrono::steady_clock;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  nlohmann::json answer;
  const auto start = Clock::now();
  cgpu::InputOptions input;
  input.inputs = {argv[1]};
  std::vector<cgpu::OpenedRun> runs;
  runs.push_back({cgpu::kMainSchema, std::make_unique<cgpu::RunTables>(cgpu::OpenedProfile(input))});
  cgpu::SqlDatabase database(std::move(runs), cgpu::KernelDictionary());
  answer["open_s"] = seconds_since(start);
  constexpr int kTimes = 3;
  const nlohmann::json queries = nlohmann::json::parse(std::ifstream(argv[2]));
  for (const auto& [name, query] : queries.items()) {
    for (int i = 0; i < kTimes; ++i) {
      const auto asked = Clock::now();
      cgpu::Query statement(database, query.get_ref<const std::string&>());
      const auto rows = statement.next(SIZE_MAX);
      answer["queries"][name]["s"].push_back(seconds_since(asked));
      answer["queries"][name]["rows"] = cgpu::render_json("sql", {}, {*rows});
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  answer["peak_mb"] = static_cast<double>(usage.ru_maxrss) / 1024;
  std::cout << answer << "\n";
}
