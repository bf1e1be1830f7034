// What a user names: profiles or summaries, and the part of them that is wanted. Command line, server, bindings and
// tests begin with a source. It is opened as one session (open), or tables are made of it (table_engine.h). Nothing is
// printed here.
#pragma once

#include <memory>
#include <vector>

#include "model/run.h"
#include "readers/discover.h"
#include "session/open_options.h"
#include "session/selection/selection.h"

namespace cgpu {

class SummarySession;

class ProfileSource {
 public:
  /// Finds the profiles, or opens the summaries, that the inputs name. Throws Error for inputs that are not there, for
  /// damaged summaries, for summaries and profiles at once, and where another part of summaries than ranks is wanted,
  /// which they cannot give.
  explicit ProfileSource(OpenOptions options, Selection selection = {});

  const OpenOptions& options() const { return options_; }
  const Selection& selection() const { return selection_; }
  /// Null for profiles.
  const std::shared_ptr<const SummarySession>& summary() const { return summary_; }
  /// None for summaries.
  const std::vector<ProfilePath>& profiles() const { return profiles_; }
  /// Whether one of them is standard input, which cannot be read a second time.
  bool has_stdin() const;

  /// Opens the profiles together: completed (complete_run.h), on one clock (links/clocks.h), and cut down to the
  /// selected part (selection/selection.h: select). Timelines of ranks that are not selected are released
  /// (summaries/release.h) before the next is read: clocks need what stays. Throws Error.
  Session open() const;

  /// Reads the profiles, as a whole, and no more: enough to say what they are (`info`, `notes`). Throws Error.
  Session read() const;

 private:
  const OpenOptions options_;
  const Selection selection_;
  std::shared_ptr<const SummarySession> summary_;
  std::vector<ProfilePath> profiles_;
};

}  // namespace cgpu
