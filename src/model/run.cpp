#include "model/run.h"

#include <algorithm>

namespace cgpu {

EventCounts& EventCounts::operator+=(const EventCounts& other) {
  read += other.read;
  slices += other.slices;
  ends += other.ends;
  instants += other.instants;
  samples += other.samples;
  memory += other.memory;
  counters += other.counters;
  flows += other.flows;
  metadata += other.metadata;
  skipped += other.skipped;
  return *this;
}

SliceIndex slice_in_part(const Run& run, SliceIndex of_whole) {
  if (!run.part_of || of_whole == kNone) return of_whole;
  const std::vector<SliceIndex>& slices = run.part_of->slices;
  const auto at = std::lower_bound(slices.begin(), slices.end(), of_whole);
  return at == slices.end() || *at != of_whole ? kNone : static_cast<SliceIndex>(at - slices.begin());
}

Notes notes_of(const Run& run) {
  Notes notes = run.notes;
  if (run.arguments) {
    notes.add(
        "credentials_present", run.arguments->hidden(),
        "values that look like credentials are in arguments of events that have been looked at; they are shown as "
        "[hidden], but anybody with the file can read them");
  }
  return notes;
}

const char* text_of(RunClock::Method method) {
  switch (method) {
    case RunClock::Method::alone:
      return "alone";
    case RunClock::Method::reference:
      return "reference";
    case RunClock::Method::shared:
      return "shared";
    case RunClock::Method::aligned:
      return "aligned";
    case RunClock::Method::unchecked:
      return "unchecked";
    case RunClock::Method::unaligned:
      return "unaligned";
  }
  return "";
}

}  // namespace cgpu
