// cgpu's whole import: columns, interned names, nesting, links, kinds and classes of device ops: FILE THREADS.
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "links/complete.h"
#include "readers/reader.h"
#include "totals.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    cgpu::ReadOptions options;
    options.threads = static_cast<unsigned>(std::atoi(argv[2]));
    cgpu::Session session = cgpu::open_inputs({argv[1]}, options);
    const cgpu::KernelDictionary dictionary;
    Totals totals;
    for (cgpu::Run& run : session.runs) {
      cgpu::complete(run, dictionary);
      const cgpu::Slices& slices = run.timeline.slices;
      for (size_t i = 0; i < slices.size(); ++i) {
        const int64_t correlation = slices.correlation[i];
        totals += {1, slices.duration[i], correlation == cgpu::kNoCorrelation ? 0 : correlation};
      }
    }
    totals.print();
  } catch (const cgpu::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
