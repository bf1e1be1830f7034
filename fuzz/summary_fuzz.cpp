// Feeds arbitrary bytes as a summary: as a file, and, since a checksum refuses nearly all of those, as what is inside
// of one: a run, with those of others, and finished tables. What is read is made tables of, and written and read again
// without a change.
#include "session/summaries/summary.h"
#include "session/summaries/summary_messages.h"
#include "session/summaries/summary_session.h"
#include "whole_path.h"

namespace {

void make_tables(const cgpu::Summary& summary) {
  cgpu::OpenOptions open;
  open.inputs = {"fuzz"};
  open.threads = 1;
  const cgpu::SummarySession kept(summary, open);
  for (const cgpu::Analysis& analysis : cgpu::all_analyses()) {
    if (analysis.events != nullptr) continue;
    try {
      kept.tables({{&analysis}});
    } catch (const cgpu::Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    make_tables(cgpu::summary_from_bytes(bytes, "fuzz"));
  } catch (const cgpu::Error&) {
  }
  try {
    std::vector<cgpu::RunRecord> inside;
    inside.push_back(cgpu::run_of_part(bytes, "fuzz"));
    const std::string once = cgpu::run_part(inside.front());
    cgpu::fuzz::require(cgpu::run_part(cgpu::run_of_part(once, "fuzz")) == once, "a run is read as it was written");
    make_tables(cgpu::summary_from_bytes(cgpu::summary_to_bytes(inside, {}), "fuzz"));
    inside.push_back(cgpu::run_of_part(once, "fuzz"));
    inside.back().run.file += " of another rank";
    inside.back().run.rank_known = false;
    make_tables(cgpu::summary_from_bytes(cgpu::summary_to_bytes(inside, {}), "fuzz"));
  } catch (const cgpu::Error&) {
  }
  try {
    cgpu::MessageReader reader(bytes, "fuzz");
    const cgpu::Table table = cgpu::read_table(reader);
    cgpu::MessageWriter once;
    cgpu::write_table(once, table);
    cgpu::MessageReader again(once.bytes(), "fuzz");
    cgpu::fuzz::require(cgpu::read_table(again) == table, "a table is read as it was written");
  } catch (const cgpu::Error&) {
  }
  try {
    cgpu::PositionalReader reader(bytes, "fuzz");
    cgpu::read_table(reader);
  } catch (const cgpu::Error&) {
  }
  try {
    cgpu::PositionalReader reader(bytes, "fuzz");
    cgpu::read_run(reader);
  } catch (const cgpu::Error&) {
  }
  return 0;
}
