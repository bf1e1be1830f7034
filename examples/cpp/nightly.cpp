// nightly BASELINE CANDIDATE OUT.cgpu: whether a run has become slower than another one, what changed, and which
// kernels grew most; keeps a summary of it. Ends with what `cgpu check` would end with.
#include <cgpu/base/error.h>
#include <cgpu/library/run_check.h>
#include <cgpu/library/run_comparison.h>
#include <cgpu/library/run_summary.h>
#include <cgpu/library/sql_runs.h>
#include <cgpu/table/text.h>

#include <fstream>
#include <iostream>
#include <string>

namespace {

constexpr const char* kGrown =
    "SELECT name, sum(total_ns) AS delta_ns FROM (SELECT name, total_ns FROM after.kernels UNION ALL "
    "SELECT name, -total_ns FROM before.kernels) GROUP BY name HAVING delta_ns > 0 ORDER BY delta_ns DESC";

void write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw cgpu::Error(path, "cannot be written");
}

int compare(const std::string& baseline, const std::string& candidate, const std::string& summary) {
  const cgpu::RunCheck check({baseline}, {candidate}, {.tolerance = "3%"});
  std::cout << check.headline() << '\n';
  const cgpu::OpenedProfile before({.inputs = {baseline}});
  const cgpu::OpenedProfile after({.inputs = {candidate}});
  std::cout << cgpu::RunComparison(before, after).words();
  const cgpu::SqlRuns sql({{"before", before}, {"after", after}});
  std::cout << cgpu::render_text(sql.query(kGrown, {.rows = 3, .timeout = "10s"}), {.width = 100});
  write(summary, cgpu::summary_of_run({.inputs = {candidate}}));
  return check.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: nightly BASELINE CANDIDATE OUT.cgpu\n";
    return 2;
  }
  try {
    return compare(argv[1], argv[2], argv[3]);
  } catch (const cgpu::Error& error) {
    std::cerr << "nightly: " << error.what() << "\n";
    return 2;
  }
}
