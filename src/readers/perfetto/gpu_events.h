// Events of GPUs: render stages (kernels, copies, passes), samples of counters, and descriptions of the devices.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "readers/perfetto/arguments.h"
#include "readers/perfetto/assembler.h"
#include "readers/perfetto/sequence.h"

namespace cgpu::perfetto {

class GpuEvents {
 public:
  GpuEvents(Run& run, Assembler& into, ArgumentTexts& texts) : run_(run), into_(into), texts_(texts) {}

  /// A GpuRenderStageEvent message.
  void add_render_stage(std::string_view message, const PacketContext& packet);
  /// A GpuCounterEvent message.
  void add_counters(std::string_view message, const PacketContext& packet);
  /// A VulkanApiEvent message: a submission is a call.
  void add_vulkan_call(std::string_view message, const PacketContext& packet);
  /// A GpuInfo message.
  void add_info(std::string_view message);

  /// The counters that a GpuCounterDescriptor message names.
  static GpuCounters counters_of(std::string_view message, int64_t gpu, Assembler& into);
  /// Joins submissions and render stages that have a common number. Call before Assembler::finish.
  void finish();

 private:
  struct Stage;
  void add_specifications(std::string_view message);
  static StringId specification(const Sequence& sequence, uint64_t iid, const std::vector<StringId>& by_id,
                                uint64_t id);

  Run& run_;
  Assembler& into_;
  ArgumentTexts& texts_;
  std::vector<StringId> queues_;  // as early writers numbered them
  std::vector<StringId> stages_;
  GpuCounters counters_;
  std::vector<std::pair<uint64_t, SliceIndex>> submitted_;  // submission number and what ran for it
  std::unordered_map<uint64_t, SliceIndex> vulkan_calls_;
  KnownArguments arguments_;
};

}  // namespace cgpu::perfetto
