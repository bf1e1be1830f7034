// An opened profile as the endpoints use it: the session, what follows from it, and its timeline as the viewer sees it.
// Read by any number of threads at once.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/session_facts.h"
#include "model/run.h"
#include "serve/argument_search.h"
#include "serve/measured_launches.h"
#include "serve/profile_sql.h"
#include "table/json_text_writer.h"
#include "tiles/timeline_view.h"

namespace cgpu {

class Profile {
 public:
  /// `threads`, `progress`: as in TimelineView. `kernel_rules`: as in OpenOptions.
  explicit Profile(Session session, unsigned threads = 0, const TimelineView::Progress& progress = nullptr,
                   std::string kernel_rules = "");

  const Session& session() const { return session_; }
  const SessionFacts& facts() const { return facts_; }
  const TimelineView& view() const { return view_; }

  /// What a kernel profiler measured, created on first use.
  const MeasuredLaunches& measured() const;

  /// Its tables in SQL.
  ProfileSql& sql() const { return sql_; }

  /// The arguments of an event, read from the file again. Throws Error, also where another reader holds them for too
  /// long.
  std::vector<Argument> arguments(size_t run, SliceIndex slice) const;
  /// The slices that have an argument with this value, see argument_search.h.
  std::shared_ptr<const ArgumentSearch::Slices> find_argument(const ArgumentQuery& query) const {
    return argument_search_.find(*this, query);
  }
  /// To be held while arguments are read in other ways: the source of a run serves one reader at a time.
  std::timed_mutex& arguments_mutex() const { return arguments_mutex_; }

 private:
  Session session_;
  SessionFacts facts_;
  TimelineView view_;
  mutable std::once_flag measured_once_;
  mutable std::optional<MeasuredLaunches> measured_;
  mutable std::timed_mutex arguments_mutex_;
  mutable ArgumentSearch argument_search_;
  mutable ProfileSql sql_;
};

/// What to call a session: the names of its inputs without their folders.
std::string title_of(const Session& session);

/// The short form of a name (short_name.h); null where that is the name itself.
void write_short_name(JsonTextWriter& json, std::string_view name);

}  // namespace cgpu
