// An opened profile as the endpoints use it: the session, its timeline as the viewer sees it, and what several
// endpoints look up. Read by any number of threads at once.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/run.h"
#include "serve/json_text_writer.h"
#include "tiles/timeline_view.h"

namespace cgpu {

class Profile {
 public:
  /// `threads`: 0 for as many as the machine has.
  explicit Profile(Session session, unsigned threads = 0);

  const Session& session() const { return session_; }
  const TimelineView& view() const { return view_; }

  /// The device ops that a call launched, in the order of their starts. The first question costs a pass over the ops
  /// of the run.
  std::vector<SliceIndex> launched_by(size_t run, SliceIndex call) const;

  /// The arguments of an event, read from the file again. Throws Error, also where somebody else is at them for long.
  std::vector<Argument> arguments(size_t run, SliceIndex slice) const;
  /// Whoever reads arguments by other ways holds this meanwhile: the source of a run serves one at a time.
  std::timed_mutex& arguments_mutex() const { return arguments_mutex_; }

 private:
  struct LaunchedOps {
    std::once_flag once;
    std::vector<std::pair<SliceIndex, SliceIndex>> by_call;  // call, op; sorted by call, then start of the op
  };

  Session session_;
  TimelineView view_;
  mutable std::vector<LaunchedOps> launched_;
  mutable std::timed_mutex arguments_mutex_;
};

/// What to call a session: the names of its inputs without their folders.
std::string title_of(const Session& session);

/// {"track", "slice", "lane", "name", "start", "duration"}
void write_placed(JsonTextWriter& json, const Profile& profile, const Placed& placed);

/// A name as lists show it: cut where it is longer than 1,024 bytes.
std::string shown_name(std::string_view name);

}  // namespace cgpu
