#include "model/run.h"

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

Notes notes_of(const Run& run) {
  Notes notes = run.notes;
  if (run.arguments) {
    notes.add(
        "credentials_present", run.arguments->hidden(),
        "values that look like credentials stand in arguments of events that have been looked at; they are shown as "
        "[hidden], but whoever gets the file can read them");
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
