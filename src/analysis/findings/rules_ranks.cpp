// Rules about ranks: one that others wait for, and unequal work.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/findings/investigation.h"
#include "analysis/findings/thresholds.h"
#include "base/contains.h"
#include "links/collective_series.h"
#include "table/units.h"

namespace cgpu {

namespace {

struct RankTime {
  int64_t rank = 0;
  int64_t compute = 0;
};

std::vector<RankTime> compute_of_ranks(Investigation& run) {
  const Table& gpu_time = run.table("gpu_time");
  std::vector<RankTime> ranks;
  for (const RowView row : gpu_time.rows()) {
    const int64_t rank = std::get<int64_t>(row[gpu_time.column("rank")]);
    const int64_t compute = std::get<int64_t>(row[gpu_time.column("compute_ns")]);
    if (ranks.empty() || ranks.back().rank != rank) ranks.push_back({rank, 0});
    ranks.back().compute += compute;
  }
  return ranks;
}

int64_t median_compute(std::vector<RankTime> ranks) {
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
  std::nth_element(ranks.begin(), middle, ranks.end(),
                   [](const RankTime& a, const RankTime& b) { return a.compute < b.compute; });
  return middle->compute;
}

/// Whether ranks pass work on to each other, as the stages of a pipeline do.
bool is_pipeline(const SessionFacts& facts) {
  for (const CollectiveSeries& series : facts.collectives()) {
    for (const std::string_view name : {"send", "recv", "Send", "Recv"}) {
      if (contains(series.name, name)) return true;
    }
  }
  return false;
}

}  // namespace

void find_ranks(Investigation& run, std::vector<Finding>& findings) {
  if (!run.has_device_ops() || run.session().runs.size() < 2) return;
  const std::vector<RankTime> ranks = compute_of_ranks(run);
  if (ranks.size() < 2) return;
  const auto [least, most] = std::minmax_element(
      ranks.begin(), ranks.end(), [](const RankTime& a, const RankTime& b) { return a.compute < b.compute; });
  const bool unequal =
      static_cast<double>(most->compute) > thresholds::kUnequalWork * static_cast<double>(least->compute);
  int64_t sum = 0;
  for (const RankTime& rank : ranks) sum += rank.compute;
  const int64_t mean = sum / static_cast<int64_t>(ranks.size());
  const int64_t excess = most->compute - mean;  // what equal work would take from the rank with the most
  const auto steps_share = static_cast<double>(excess) / static_cast<double>(run.measured());

  // Stages of a pipeline wait for each other by design: there no rank is late, only one with more work than others.
  if (is_pipeline(run.facts())) {
    if (!unequal || steps_share < thresholds::kNoticeable) return;
    findings.push_back(
        {.rule = "stage_imbalance",
         .title = fmt::format("Stages of the pipeline have unequal work: rank {} computes {}, rank {} {}", most->rank,
                              format_ns(most->compute), least->rank, format_ns(least->compute)),
         .evidence = fmt::format("{} on average; equal stages would take {} from the longest", format_ns(mean),
                                 format_ns(excess)),
         .suggestion =
             "Move layers from the stages with the most work to those with the least (embedding and loss count too)",
         .command = "gpu_time",
         .confidence = Confidence::high,
         .rank = most->rank,
         // Sends and receives are not matched over ranks, so that no replay can say it.
         .gain = excess});
    return;
  }

  const Table& stragglers = run.table("stragglers");
  if (stragglers.empty()) return;
  const auto at = [&](size_t row, const char* column) {
    return std::get<int64_t>(stragglers.cell(row, stragglers.column(column)));
  };
  size_t late = 0;
  int64_t caused = 0;
  int64_t most_caused = -1;
  for (size_t row = 0; row < stragglers.row_count(); ++row) {
    caused += at(row, "caused_ns");
    if (at(row, "caused_ns") <= most_caused) continue;
    most_caused = at(row, "caused_ns");
    late = row;
  }
  const int64_t others = static_cast<int64_t>(stragglers.row_count()) - 1;
  if (others < 1 || caused == 0) return;
  const int64_t waited = most_caused / others;  // by each of the others, on average
  if (static_cast<double>(waited) < thresholds::kNoticeable * static_cast<double>(run.measured())) return;
  if (static_cast<double>(most_caused) < thresholds::kStraggler * static_cast<double>(caused)) return;
  const int64_t rank = at(late, "rank");
  const auto own = std::find_if(ranks.begin(), ranks.end(), [&](const RankTime& one) { return one.rank == rank; });
  const int64_t median = median_compute(ranks);
  const bool slow_kernels = own != ranks.end() && 2 * (own->compute - median) > waited;
  EdgeTimes::Question not_awaited;
  for (size_t number = 0; number < run.session().runs.size(); ++number) {
    if (run.session().runs[number].rank == rank) not_awaited.not_awaited = number;
  }
  findings.push_back(
      {.rule = "straggler",
       .title = fmt::format("The other ranks wait {} for rank {}, because {}", format_ns(waited), rank,
                            slow_kernels ? "its kernels take longer" : "its host is late"),
       .evidence = fmt::format(
           "it begins {} of {} collectives last and causes {} of all waiting in them; its devices compute {}, "
           "the median rank's {}",
           at(late, "last"), at(late, "count"),
           format_percent(100.0 * static_cast<double>(most_caused) / static_cast<double>(caused)),
           format_ns(own == ranks.end() ? 0 : own->compute), format_ns(median)),
       .suggestion = slow_kernels
                         ? "Compare the kernels of this rank with another's: clocks and temperature of its device, "
                           "more work than the others (uneven batches, experts)"
                         : "Look at what the host of this rank does: its input, other processes on its cores, its "
                           "garbage collection",
       .command = fmt::format("idle_hosts --rank {}", rank),
       .confidence = Confidence::high,
       .precedence = 1.1,  // what its host does is told too
       .rank = rank,
       .remedy = not_awaited});
}

}  // namespace cgpu
