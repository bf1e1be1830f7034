// Ranks of a fold (rank_fold.h) that are opened by another process: what the root asks (exchange.h), and what a worker
// answers. Of a rank comes back what is left of its run (summary_messages.h), the partial results of the tables
// (analysis/partial_bytes.h) and what a collector keeps: the root goes on with them as if it had opened the rank.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/ranks/exchange.h"
#include "session/ranks/rank_opener.h"

namespace cgpu {

std::string job_to_bytes(const OpenOptions& open, const RankPass& pass);
std::string task_to_bytes(const RankTask& task);

/// What became of a task.
struct RankAnswer {
  std::optional<ProcessedRank>
      seen;           // none where the run cannot be sent (a call tree, measured launches): the root opens it
  Partials partials;  // by wanted table
  std::string collected;
  std::vector<std::string> warnings;
  std::string error;  // that opening it has thrown
};
/// Throws Error for bytes that no worker has written; `pass` and `task` as they were sent.
RankAnswer answer_from_bytes(const std::string& bytes, const RankPass& pass, const RankTask& task);

/// Makes a collector by its name.
using MakeCollector = std::function<std::unique_ptr<RunCollector>(const std::string& name)>;

/// A process that opens ranks for the root.
class RankWorker {
 public:
  /// `exchange`: of this process.
  RankWorker(const std::string& job, Exchange& exchange, const MakeCollector& make_collector);
  RankWorker(const RankWorker&) = delete;
  RankWorker& operator=(const RankWorker&) = delete;

  /// What opening a rank throws is in the answer. Throws Error for other bytes than those of a task.
  std::string answer(const std::string& task);

 private:
  OpenOptions open_;
  RankPass pass_;
  std::unique_ptr<RunCollector> collector_;
  std::vector<std::string> warnings_;
  std::optional<RankOpener> opener_;
  std::string error_;  // why nothing can be opened
};

}  // namespace cgpu
