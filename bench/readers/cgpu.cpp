// What every reader of the benchmark must answer, from cgpu: FILE [complete]. With `complete` the links are made too.
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "links/complete.h"
#include "readers/reader.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const bool complete = argc > 2 && std::strcmp(argv[2], "complete") == 0;
  try {
    cgpu::Session session = cgpu::open_inputs({argv[1]}, {});
    const cgpu::KernelDictionary dictionary;
    long long rows = 0;
    long long total = 0;
    for (cgpu::Run& run : session.runs) {
      if (complete) cgpu::complete(run, dictionary);
      for (const int64_t duration : run.timeline.slices.duration) total += duration;
      rows += static_cast<long long>(run.timeline.slices.size());
      if (!run.launch_metrics) continue;
      for (const cgpu::ProfiledLaunch& launch : run.launch_metrics->launches) total += launch.duration_ns.value_or(0);
      rows += static_cast<long long>(run.launch_metrics->launches.size());
    }
    std::printf("{\"rows\": %lld, \"total_ns\": %lld}\n", rows, total);
  } catch (const cgpu::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
