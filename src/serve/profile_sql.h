// The tables of an open profile in SQL, for the page: one statement at a time, with limits on its time, on the rows of
// its answer, and on what it may hold in memory (limit_sql).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis/session_facts.h"
#include "sql/database.h"
#include "table/table.h"

namespace cgpu {

/// Any number of threads.
class ProfileSql {
 public:
  /// The session outlives this. `arguments`: held while a statement reads arguments of events. `kernel_rules`: as in
  /// OpenOptions.
  ProfileSql(const SessionFacts& facts, std::timed_mutex& arguments, std::string kernel_rules)
      : facts_(facts), arguments_(arguments), kernel_rules_(std::move(kernel_rules)) {}

  struct Result {
    Table table;
    bool is_cut = false;  // there are more rows
  };
  /// The first rows of one statement, which is known by `id` while it runs. Throws Error for what is no SQL or would
  /// write, and where the statement takes too long, needs too much memory, was stopped, or another one runs for long.
  Result run(const std::string& statement, const std::string& id, size_t most_rows, std::chrono::nanoseconds most_time);

  /// Ends a statement, which may be about to begin.
  void stop(const std::string& id);
  /// Ends the statement that runs, and begins no other.
  void stop_all();

 private:
  using Stopped = std::shared_ptr<std::atomic<bool>>;

  SqlDatabase& database();
  /// The flag that ends the statement that begins now.
  Stopped begin(const std::string& id);

  const SessionFacts& facts_;
  std::timed_mutex& arguments_;
  const std::string kernel_rules_;

  std::timed_mutex running_;  // held by the statement that runs; of the database
  std::optional<SqlDatabase> database_;

  std::mutex mutex_;  // of the rest
  std::string id_;    // of the statement that runs
  Stopped stopped_;
  std::string stopped_id_;  // that was stopped last
  bool has_ended_ = false;
};

}  // namespace cgpu
