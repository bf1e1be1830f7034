// Feeds arbitrary bytes as a summary: as a file, and, since a checksum refuses nearly all of those, as what is inside
// of one. What is read is made tables of, and written and read again without a change.
#include "session/summary.h"
#include "whole_path.h"

namespace {

void make_tables(const cgpu::Summary& summary) {
  for (const cgpu::Analysis& analysis : cgpu::all_analyses()) {
    if (analysis.events != nullptr) continue;
    try {
      cgpu::fold_summary(cgpu::summary_from_bytes(cgpu::summary_to_bytes(summary), "fuzz"), "fuzz", {{&analysis}});
    } catch (const cgpu::Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    make_tables(cgpu::summary_from_bytes(bytes, "fuzz"));
  } catch (const cgpu::Error&) {
  }
  try {
    const cgpu::Summary inside = cgpu::summary_from_content(bytes, "fuzz");
    const std::string once = cgpu::summary_to_bytes(inside);
    cgpu::fuzz::require(cgpu::summary_to_bytes(cgpu::summary_from_bytes(once, "fuzz")) == once,
                        "a summary is read as it was written");
    make_tables(inside);
  } catch (const cgpu::Error&) {
  }
  return 0;
}
