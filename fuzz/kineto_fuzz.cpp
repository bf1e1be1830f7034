// Feeds arbitrary bytes as a trace through the whole path: source, reader, links, every analysis, and the arguments of
// some events read again. Error is the only way out that is allowed besides success.
//
// The bytes lie in an anonymous file in memory, so that the path is the one a user's file takes. The laws that must
// hold whatever a file says are checked as well: events are accounted for, and no table has a ragged row.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "analysis/analysis.h"
#include "base/error.h"
#include "links/complete.h"
#include "readers/reader.h"

namespace {

/// An anonymous file that holds the bytes of one input.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("trace", 0)) { require(descriptor_ >= 0, "memfd_create"); }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(const uint8_t* data, size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      require(done > 0, "write");
      data += done;
      size -= static_cast<size_t>(done);
    }
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  static void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
  }

 private:
  int descriptor_;
};

void check_books(const cgpu::Run& run) {
  const cgpu::EventCounts& events = run.events;
  MemoryFile::require(events.read == events.slices + events.instants + events.memory + events.counters + events.flows +
                                         events.metadata + events.skipped,
                      "events read = events kept + events skipped");
  MemoryFile::require(events.slices == static_cast<int64_t>(run.timeline.slices.size()), "slices are counted");
}

void reread_arguments(const cgpu::Run& run) {
  if (!run.arguments) return;
  const auto& source = run.timeline.slices.source;
  const size_t stride = source.size() / 8 + 1;
  for (size_t i = 0; i < source.size(); i += stride) run.arguments->arguments(source[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cgpu::KernelDictionary dictionary;
  MemoryFile file;
  file.write(data, size);
  try {
    cgpu::ReadOptions options;
    options.threads = 1 + size % 2;
    cgpu::Session session = cgpu::open_inputs({file.path()}, options);
    for (cgpu::Run& run : session.runs) {
      check_books(run);
      cgpu::complete(run, dictionary);
      reread_arguments(run);
    }
    for (const cgpu::Analysis& analysis : cgpu::all_analyses()) {
      const cgpu::Table table = analysis.run(session, {});
      for (const cgpu::Row& row : table.rows) {
        MemoryFile::require(row.size() == table.columns.size(), "a row has a cell for every column");
      }
    }
  } catch (const cgpu::Error&) {
    // the input was refused, which is an answer
  }
  return 0;
}
