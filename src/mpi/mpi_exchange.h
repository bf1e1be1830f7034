// Processes of an MPI job that share the work (session/ranks/exchange.h): process 0 is the root.
//
// Messages are of two processes: a kind and a size, then the bytes, in pieces. Who waits sleeps meanwhile, for a
// millisecond at most, as the machine's processors have other work: MPI's own waiting would keep one busy. MPI is only
// called by the thread that made the object. A process that cannot go on with a message (no memory) ends the job.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mpi/open_files.h"
#include "session/ranks/exchange.h"
#include "session/ranks/rank_worker.h"

namespace cgpu {

class MpiExchange final : public Exchange {
 public:
  /// Starts MPI; one object a process, once. All processes of the job make theirs.
  MpiExchange(int& argc, char**& argv);
  /// Ends it, when all processes do.
  ~MpiExchange() override;
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  int processes() const { return processes_; }
  bool is_root() const { return process_ == 0; }
  unsigned workers() const override { return is_root() ? static_cast<unsigned>(processes_ - 1) : 0; }
  unsigned processes_on_machine() const override { return static_cast<unsigned>(on_machine_); }
  unsigned threads() const override { return threads_; }
  void deal(const std::string& job, const std::function<std::optional<Task>()>& next,
            const std::function<void(uint32_t, const std::string&)>& answered) override;
  void set_open_file(const std::string& file) override { open_files_->set_open_file(file); }
  OpenFiles& open_files() { return *open_files_; }

  /// Of a worker: does what the root deals, until it is dismissed.
  void work(const MakeCollector& make_collector);
  /// Of the root, when it has nothing more to deal.
  void dismiss_workers() const;

 private:
  int process_ = 0;
  int processes_ = 1;
  int on_machine_ = 1;
  unsigned threads_ = 1;
  MPI_Comm machine_ = MPI_COMM_NULL;
  std::unique_ptr<OpenFiles> open_files_;
};

}  // namespace cgpu
