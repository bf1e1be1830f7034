#include "model/run.h"

namespace cgpu {

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  read += other.read;
  slices += other.slices;
  instants += other.instants;
  memory += other.memory;
  counters += other.counters;
  flows += other.flows;
  metadata += other.metadata;
  skipped += other.skipped;
  return *this;
}

}  // namespace cgpu
