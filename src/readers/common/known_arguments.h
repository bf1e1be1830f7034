// The arguments of events that have a place in the model, by their keys: those of PyTorch's profiler, XLA's, and those
// of cgpu's own exports, in traces as JSON and as protocol buffers.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace cgpu::known_arguments {

enum Arg : uint8_t {
  correlation,
  external_id,
  stream,
  device,
  bytes,
  size,
  direction,
  memory_bytes,
  device_type,
  device_id,
  memory_address,
  memory_track,
  total_allocated,
  total_reserved,
  sequence_number,
  forward_thread,
  collective_name,
  dtype,
  elements_in,
  elements_out,
  group_size,
  group_name,
  group_ranks,
  collective_sequence,
  source_rank,
  destination_rank,
  transfers,
  copy_kind,
  source_memory,
  destination_memory,
  awaits,
  awaits_device,
  awaits_stream,
  // From here on: of traces as JSON alone.
  name_argument,
  step,
  step_number,
  xla_correlation,
  awaited_stream,
  event_record,
  none
};
inline constexpr Arg kFirstOfJson = name_argument;

inline constexpr std::pair<std::string_view, Arg> kKeys[] = {
    {"correlation", correlation},
    {"correlation_id", xla_correlation},
    {"External id", external_id},
    {"external id", external_id},
    {"stream", stream},
    {"device", device},
    {"bytes", bytes},
    {"size", size},
    {"direction", direction},
    {"Bytes", memory_bytes},
    {"Device Type", device_type},
    {"Device Id", device_id},
    {"Addr", memory_address},
    {"Track", memory_track},
    {"Total Allocated", total_allocated},
    {"Total Reserved", total_reserved},
    {"Sequence number", sequence_number},
    {"Fwd thread id", forward_thread},
    {"Collective name", collective_name},
    {"dtype", dtype},
    {"In msg nelems", elements_in},
    {"Out msg nelems", elements_out},
    {"Group size", group_size},
    {"Process Group Name", group_name},
    {"Process Group Ranks", group_ranks},
    {"Seq", collective_sequence},
    {"Src Rank", source_rank},
    {"Dst Rank", destination_rank},
    {"name", name_argument},
    {"step", step},
    {"step_num", step_number},
    {"wait_on_stream", awaited_stream},
    {"wait_on_cuda_event_record_corr_id", event_record},
    // of cgpu's own exports
    {"transfers", transfers},
    {"copy_kind", copy_kind},
    {"source_memory", source_memory},
    {"destination_memory", destination_memory},
    {"awaits", awaits},
    {"awaits_device", awaits_device},
    {"awaits_stream", awaits_stream},
};

}  // namespace cgpu::known_arguments
