// Feeds arbitrary bytes as what an analysis keeps of runs: the first byte chooses the analysis. They are read or
// refused, and what was read is written and read again without a change.
#include <vector>

#include "whole_path.h"

namespace {

std::string kept(const cgpu::Partial& partial) {
  cgpu::ByteWriter bytes;
  partial.save(bytes);
  return bytes.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<const cgpu::Analysis*> folded = [] {
    std::vector<const cgpu::Analysis*> all;
    for (const cgpu::Analysis& analysis : cgpu::all_analyses()) {
      if (analysis.fold != nullptr) all.push_back(&analysis);
    }
    return all;
  }();
  if (size == 0) return 0;
  const cgpu::Analysis& analysis = *folded[data[0] % folded.size()];
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto first = analysis.fold(analysis, {});
  try {
    cgpu::ByteReader bytes(content, "fuzz");
    first->load(bytes);
  } catch (const cgpu::Error&) {
    return 0;
  }
  const std::string once = kept(*first);
  const auto second = analysis.fold(analysis, {});
  cgpu::ByteReader again(once, "fuzz");
  second->load(again);
  cgpu::fuzz::require(again.at_end() && kept(*second) == once, "what was kept is read as it was written");
  return 0;
}
