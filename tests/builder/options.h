// What to build.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu::builder {

enum class Model { plain, cnn, dlrm, moe, llm };
enum class Era { y2021, y2024, y2026 };
enum class Vendor { nvidia, amd };

/// Why the device is idle: the causes of docs/definitions/idle.md.
enum class Cause : uint8_t {
  synchronization,
  blocking_copy,
  data_loading,
  allocation,
  module_load,
  garbage_collection,
  lock,
  host_code,
  launch_overhead,
  dependency,
  profiler_overhead,
  unknown
};
inline constexpr size_t kCauses = static_cast<size_t>(Cause::unknown) + 1;
std::string_view text_of(Cause cause);
/// Nothing where `text` names no cause.
std::optional<Cause> cause_of(std::string_view text);

struct Options {
  uint64_t seed = 1;
  Model model = Model::cnn;
  Era era = Era::y2026;
  Vendor vendor = Vendor::nvidia;
  int steps = 4;
  int layers = 0;   // 0: what is usual for the model
  int streams = 2;  // besides the stream of the collectives
  int ranks = 1;
  int orphans = 2;  // device ops at the start whose launch calls lie before the recording
  bool shuffle = false;
  std::vector<Cause> idle;  // one gap of each a step, on top of those that the run has anyway

  int64_t bytes = 0;   // if not 0: `steps` (and `layers`, where 0) are chosen to reach this size of a rank's file
  int64_t events = 0;  // the same by number of events
};

}  // namespace cgpu::builder
