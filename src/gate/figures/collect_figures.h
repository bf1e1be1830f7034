// The figures of a run (figures.h) out of profiles: of each rank while it is open, and of what is known of all of them
// together afterwards (session/table_engine.h).
//
// O(n log n) in the slices of a rank, about 24 bytes a device op meanwhile; recorded shapes are read from the arguments
// of the profile, as for table op_shapes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gate/figures/figures.h"
#include "session/profile_source.h"
#include "session/ranks/run_collector.h"
#include "session/summaries/summary_session.h"
#include "session/wanted_table.h"

namespace cgpu {

/// How many ops, kernels, layers and modules are kept of a rank: those that take most.
inline constexpr size_t kMostNames = 200;
/// How many call paths: of a profile as many as people compare, of a summary few.
inline constexpr size_t kMostCallPaths = 20'000;
inline constexpr size_t kMostKeptCallPaths = 200;

/// How many of the first iterations are warm-up: those that take longer than the later ones ever vary to, half of all
/// at most. `wall_ns` in order of time.
size_t warm_up_iterations(const std::vector<int64_t>& wall_ns);

class FigureCollector final : public RunCollector {
 public:
  /// `metric`: of the call trees, as people type it; "" for the main one.
  explicit FigureCollector(std::string metric = "") : metric_(std::move(metric)) {}
  /// The one of that name (name()); null for the name of another kind of collector.
  static std::unique_ptr<FigureCollector> of_name(const std::string& name);

  /// The tables that take() wants made beside.
  static std::vector<WantedTable> tables();
  void collect(const RunInSession& run) override;
  std::string name() const override { return kName + metric_; }
  std::string take_bytes(uint32_t number) override;
  void put_bytes(uint32_t number, const std::string& bytes) override;
  /// Of one of them, as a summary keeps it. `tables` as made for tables(), of this run alone.
  RunFigures take_run(uint32_t number, const std::vector<Table>& tables);
  /// Of all ranks that were seen. `tables` as made for tables(), in their order.
  RunFigures take(const Session& session, const std::vector<Table>& tables);

 private:
  static constexpr const char* kName = "figures ";

  std::string metric_;
  std::map<uint32_t, RunFigures> ranks_;  // by number of the run
};

/// The figures in a summary. Throws Error for damaged ones.
RunFigures figures_in(const SummarySession& kept);

/// Of profiles that are open together, with the main metric of their call trees.
RunFigures figures_of(const SessionFacts& facts);

/// Of which profiles, and which metric of their call trees.
struct WantedFigures {
  bool without_timeline = false;  // also of profiles that have a call tree alone
  std::string metric = "";        // as people type it; "" for the main one
};

/// Those of a profile, of the profiles of its ranks, or of a summary, and its table `info` where that
/// is wanted. Throws Error, also for a call tree that is compared and has no such metric.
RunFigures collect_figures(const ProfileSource& source, const WantedFigures& wanted = {}, Table* info = nullptr);

}  // namespace cgpu
