// What a fuzz target does with an input that lies in a file: the whole path of a user's file, from the door of the
// readers through links and every analysis to the arguments of some events read again. Error is the only way out that
// is allowed besides success; the laws that must hold whatever a file says are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "analysis/analysis.h"
#include "base/error.h"
#include "comparison/tables/comparison_table.h"
#include "links/complete.h"
#include "links/waits.h"
#include "readers/reader.h"

namespace cgpu::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline void check_books(const Run& run) {
  const EventCounts& events = run.events;
  require(events.read == events.slices + events.ends + events.instants + events.samples + events.memory +
                             events.counters + events.flows + events.metadata + events.skipped,
          "events read = events kept + events skipped");
  require(events.slices == static_cast<int64_t>(run.timeline.slices.size()), "slices are counted");
}

inline void reread_arguments(const Run& run) {
  if (!run.arguments) return;
  const auto& source = run.timeline.slices.source;
  const size_t stride = source.size() / 8 + 1;
  for (size_t i = 0; i < source.size(); i += stride) {
    try {
      run.arguments->arguments(source[i]);
    } catch (const Error&) {
      // a damaged row may be found once and not again
    }
  }
}

inline void check_waits(const Timeline& timeline) {
  const Waits waits(timeline);
  for (const Wait& wait : waits.all()) {
    if (wait.end != Wait::End::op || wait.held != kNone) continue;
    const int64_t end = timeline.slices.end(wait.op);
    require(end > timeline.slices.start[wait.slice] && end <= timeline.slices.end(wait.slice),
            "an op ends within the wait that it ended");
  }
}

inline void run_whole_path(const std::string& path, const ReadOptions& options) {
  static const KernelDictionary dictionary;
  try {
    Session session = open_inputs({path}, options);
    for (Run& run : session.runs) {
      check_books(run);
      complete(run, dictionary);
      check_waits(run.timeline);
      reread_arguments(run);
    }
    const SessionFacts facts(session);
    for (const Analysis& analysis : all_analyses()) {
      const Table table = make_table(analysis, facts);
      for (size_t column = 0; column < table.columns.size(); ++column) {
        require(table.values(column).size() == table.row_count(), "a row has a cell for every column");
      }
    }
    const Comparison comparison(facts, facts);
    for (const Cause& cause : comparison.causes()) {
      require(cause.time.a == cause.time.b, "compared with itself nothing changed");
    }
    for (const ComparisonTable& declared : comparison_tables()) make_table(declared, comparison);
  } catch (const Error&) {
    // the input was refused, which is an answer
  }
}

}  // namespace cgpu::fuzz
