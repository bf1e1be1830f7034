// A table of one row an event, made from a trace in one of several ways: FILE open|csv|arrow|top. Prints one line of
// JSON.
//
// open only opens the trace; csv writes the table `slices` whole, to /dev/null; arrow reads it as a stream of Arrow
// record batches and lets each go; top takes the ten longest slices. rows: that came out. open_s, table_s: seconds for
// opening the trace and for the table after that. peak_mb: the most memory that the process had resident.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string_view>

#include "analysis/analysis.h"
#include "analysis/events/choose_rows.h"
#include "analysis/session_facts.h"
#include "base/error.h"
#include "session/profile_source.h"
#include "table/arrow.h"
#include "table/csv.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

size_t as_csv(const cgpu::Analysis& slices, const cgpu::EventTable& events) {
  std::ofstream out("/dev/null");
  cgpu::ChosenRows rows(slices, events, {});
  cgpu::CsvWriter csv(out);
  size_t count = 0;
  while (const std::optional<cgpu::Table> batch = rows.next()) {
    csv.add(*batch);
    count += batch->row_count();
  }
  return count;
}

size_t as_arrow(const cgpu::Analysis& slices, const cgpu::EventTable& events) {
  cgpu::ChosenRows rows(slices, events, {});
  ArrowArrayStream stream;
  cgpu::export_batches(
      rows.declared(), [&] { return rows.next(); }, stream);
  size_t count = 0;
  for (ArrowArray batch; stream.get_next(&stream, &batch) == 0 && batch.release != nullptr;) {
    count += static_cast<size_t>(batch.length);
    batch.release(&batch);
  }
  stream.release(&stream);
  return count;
}

void measure(const char* trace, std::string_view way) {
  const auto begin = Clock::now();
  cgpu::OpenOptions open;
  open.inputs = {trace};
  const cgpu::Session session = cgpu::ProfileSource(open).open();
  const double opening = seconds_since(begin);
  const auto opened = Clock::now();
  const cgpu::SessionFacts facts(session);
  const cgpu::Analysis& slices = cgpu::find_analysis("slices");
  const std::unique_ptr<cgpu::EventTable> events = slices.events(slices, facts, {});
  size_t rows = 0;
  if (way == "csv") rows = as_csv(slices, *events);
  if (way == "arrow") rows = as_arrow(slices, *events);
  if (way == "top") rows = cgpu::chosen_rows(slices, *events, {{}, "duration_ns", 10}).row_count();
  const double making = seconds_since(opened);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print(R"({{"rows": {}, "open_s": {:.3f}, "table_s": {:.3f}, "peak_mb": {:.1f}}})"
             "\n",
             rows, opening, making, static_cast<double>(used.ru_maxrss) * 1024 / 1e6);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: {} FILE open|csv|arrow|top\n", words[0]);
    return 2;
  }
  try {
    measure(words[1], words[2]);
  } catch (const cgpu::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
