#include "model/unknown_utilization.h"

namespace cgpu {

std::string why_utilization_is_unknown(const Run& run) {
  for (const Note& note : run.notes.all()) {
    if (note.code == kUnknownUtilization) return note.text;
  }
  return "";
}

std::string why_utilization_is_unknown(const Session& session) {
  for (const Run& run : session.runs) {
    if (std::string why = why_utilization_is_unknown(run); !why.empty()) return why;
  }
  return "";
}

}  // namespace cgpu
