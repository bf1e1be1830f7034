// Feeds arbitrary bytes as what an analysis keeps of runs: the first byte chooses the analysis. They are read or
// refused, and what was read is written and read again without a change.
#include <vector>

#include "whole_path.h"

namespace {

std::string kept(const cgpu::Partial& partial) {
  cgpu::MessageWriter message;
  partial.save(message);
  return message.take();
}

/// Reads it, and what it is written as.
template <typename Reader>
void check(const cgpu::Analysis& analysis, std::string_view content) {
  const auto first = analysis.fold(analysis, {});
  try {
    Reader reader(content, "fuzz");
    first->load(reader);
  } catch (const cgpu::Error&) {
    return;
  }
  const std::string once = kept(*first);
  const auto second = analysis.fold(analysis, {});
  cgpu::MessageReader again(once, "fuzz");
  second->load(again);
  cgpu::fuzz::require(kept(*second) == once, "what was kept is read as it was written");
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
  check<cgpu::MessageReader>(analysis, content);
  check<cgpu::PositionalReader>(analysis, content);
  return 0;
}
