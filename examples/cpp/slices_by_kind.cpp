// slices_by_kind PROFILE: how many slices of each kind a profile has and how long they last together, from its single
// events, which come in batches: of a long profile 65,536 of them are there as a table at a time.
#include <cgpu/base/error.h>
#include <cgpu/session/opened_profile.h>

#include <iostream>
#include <map>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: slices_by_kind PROFILE\n";
    return 2;
  }
  try {
    const cgpu::OpenedProfile profile({.inputs = {argv[1]}});
    const auto [declared, next] = profile.read("slices");
    const size_t kind = declared.column("kind");
    const size_t duration = declared.column("duration_ns");

    struct Sum {
      int64_t slices = 0;
      int64_t total_ns = 0;
    };
    std::map<std::string, Sum> sums;
    while (const std::optional<cgpu::Table> batch = next()) {
      // The columns themselves, as Arrow has them: typed buffers, and codes in a dictionary for texts.
      const cgpu::ColumnValues& kinds = batch->values(kind);
      const cgpu::ColumnValues& durations = batch->values(duration);
      for (size_t row = 0; row < batch->row_count(); ++row) {
        Sum& sum = sums[std::string(kinds.text(row))];
        ++sum.slices;
        sum.total_ns += durations.integer(row);
      }
    }
    for (const auto& [name, sum] : sums) std::cout << name << '\t' << sum.slices << '\t' << sum.total_ns << '\n';
  } catch (const cgpu::Error& error) {
    std::cerr << "slices_by_kind: " << error.what() << "\n";
    return 2;
  }
}
