#include "readers/trace_event/batch.h"

namespace cgpu::trace_event {

namespace {

template <typename T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// As `extend`, for rows that name a slice of their own batch.
template <typename T>
void extend_shifted(std::vector<T>& to, const std::vector<T>& from, uint32_t shift) {
  for (T row : from) {
    row.slice += shift;
    to.push_back(row);
  }
}

}  // namespace

void Batch::clear() {
  slices.clear();
  device_ops.clear();
  collectives.clear();
  transfers.clear();
  synchronizations.clear();
  external.clear();
  sequence.clear();
  flows.clear();
  arrows.clear();
  memory.clear();
  counters.clear();
  instants.clear();
  track_names.clear();
  parts.clear();
  cpu_profiles.clear();
  counts = {};
  losses = {};
  kineto_category = false;
}

void Batch::append(const Batch& other) {
  const auto shift = static_cast<uint32_t>(slices.size());
  extend(slices, other.slices);
  extend_shifted(device_ops, other.device_ops, shift);
  extend_shifted(collectives, other.collectives, shift);
  extend_shifted(transfers, other.transfers, shift);
  extend_shifted(synchronizations, other.synchronizations, shift);
  extend_shifted(external, other.external, shift);
  extend_shifted(sequence, other.sequence, shift);
  extend(flows, other.flows);
  for (ArrowRow row : other.arrows) {
    row.slices += shift;
    arrows.push_back(row);
  }
  extend(memory, other.memory);
  extend(counters, other.counters);
  extend(instants, other.instants);
  extend(track_names, other.track_names);
  for (Part part : other.parts) {
    if (part.kind == PartKind::cpu_profile) part.key += static_cast<uint32_t>(cpu_profiles.size());
    parts.push_back(part);
  }
  extend(cpu_profiles, other.cpu_profiles);
  counts += other.counts;
  for (size_t i = 0; i < kLosses; ++i) losses[i] += other.losses[i];
  kineto_category = kineto_category || other.kineto_category;
}

}  // namespace cgpu::trace_event
