// Processes that share the work on one job. One of them, the root, has the job: it deals tasks to the others, its
// workers, who answer them; it may do tasks itself meanwhile. Jobs, tasks and answers are bytes (rank_worker.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace cgpu {

/// As one of the processes sees it.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Processes that do tasks for this one: all others where it is the root, else none.
  virtual unsigned workers() const = 0;
  /// Processes that share the machine of this one, itself among them.
  virtual unsigned processes_on_machine() const = 0;
  /// Threads to work with, where the user does not say how many.
  virtual unsigned threads() const = 0;

  struct Task {
    uint32_t id = 0;
    std::string file;  // that it is about, for messages
    std::string bytes;
  };
  /// Of the root: sends `job` to the workers, then a task to each that has none, until `next` has no more and all are
  /// answered. Calls next() and answered(id, bytes) on the caller's thread; they must not throw.
  virtual void deal(const std::string& job, const std::function<std::optional<Task>()>& next,
                    const std::function<void(uint32_t, const std::string&)>& answered) = 0;

  /// Records which file this process has open, "" for none: the message about a process that died names it.
  virtual void set_open_file(const std::string& file) = 0;
};

/// Marks a file as open during the lifetime of this object: while it is read, and while tables are made, which may read
/// more of it. `exchange` may be null.
class OpenFile {
 public:
  OpenFile(Exchange* exchange, const std::string& file) : exchange_(exchange) {
    if (exchange_ != nullptr) exchange_->set_open_file(file);
  }
  ~OpenFile() {
    if (exchange_ != nullptr) exchange_->set_open_file("");
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

 private:
  Exchange* exchange_;
};

}  // namespace cgpu
