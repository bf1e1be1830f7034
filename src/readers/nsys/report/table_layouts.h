// The tables of an export, as the messages of a report hold them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cgpu::nsys {

/// The tables that an event is a row of.
enum class EventTable : uint8_t {
  kernel,
  memcpy,
  memset,
  synchronization,
  cuda_event,
  graph_trace,
  runtime,
  overhead,
  profiler_overhead,
  os_runtime,
  cudnn,
  cublas,
  graph,
  graph_node,
  nvtx,
  scheduling,
  sample,
  diagnostic,
  process,
  count
};

/// Which field of the message of a row is a column; it is null where the field is absent.
struct ReportColumn {
  enum class Computed : uint8_t {
    no,
    row_number,
    call_chain,  // the number of the call among those with a call chain, from 1 on; 0 for one without
    depth        // of a frame, 0 is the innermost
  };
  std::string_view name;
  uint8_t field = 0;       // of the message
  uint8_t inner = 0;       // of the message in that field; 0: the value is the field itself
  uint8_t substitute = 0;  // beside it, where it is absent; 0: none
  Computed computed = Computed::no;
};

struct ReportTable {
  std::string_view name;
  std::span<const ReportColumn> columns;  // in the order of an export
};

/// As exports of nsys 2026 have it; `version` (as in "2025.1.1.110") decides between names that have changed.
const ReportTable& layout_of(EventTable table, std::string_view version);

/// Of what is no event: messages at the end of the report. (Texts have a block of their own.)
const ReportTable& threads_layout();
const ReportTable& gpus_layout();
const ReportTable& cuda_devices_layout();
/// The frames of samples: a row a frame of each event of EventTable::sample.
const ReportTable& frames_layout();

}  // namespace cgpu::nsys
