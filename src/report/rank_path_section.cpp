// The chain that bounds a job of several ranks, in words: who holds it, and with what.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/number_ranges.h"
#include "report/cells.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The time on the path of a rank, or of the ranks of a machine.
struct Holder {
  std::set<int64_t> ranks;
  std::map<std::string, int64_t> by_owner;
  int64_t time = 0;

  void add(int64_t rank, const std::string& owner, int64_t ns) {
    ranks.insert(rank);
    by_owner[owner] += ns;
    time += ns;
  }
};

template <typename Key>
typename std::map<Key, Holder>::const_iterator longest(const std::map<Key, Holder>& holders) {
  return std::max_element(holders.begin(), holders.end(),
                          [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
}

std::string shares_of(const std::map<std::string, int64_t>& by_owner, int64_t whole) {
  std::vector<NamedTime> times;
  for (const auto& [owner, time] : by_owner) times.push_back({as_words(owner), time});
  return largest_shares(std::move(times), whole, 3);
}

/// Differences below this share of what was measured are not worth a sentence.
constexpr double kTold = 0.01;
constexpr size_t kMostRanges = 6;

}  // namespace

Section describe_rank_path(Table table, const Scope&) {
  const RowView first = largest_of(table, "total_ns");
  const int64_t whole = integer_of(table, first, "path_ns");
  std::map<int64_t, Holder> ranks;
  std::map<std::string, Holder> hosts;
  std::map<std::string, int64_t> own;
  std::map<std::string, int64_t> transfers;
  int64_t of_transfers = 0;
  for (const RowView row : table.rows()) {
    const std::string owner = text_of(table, row, "owner");
    const int64_t time = integer_of(table, row, "total_ns");
    if (!has_value(table, row, "rank")) {
      transfers[owner] += time;
      of_transfers += time;
      continue;
    }
    own[owner] += time;
    const int64_t rank = integer_of(table, row, "rank");
    ranks[rank].add(rank, owner, time);
    if (has_value(table, row, "host")) hosts[text_of(table, row, "host")].add(rank, owner, time);
  }
  std::string summary = fmt::format("By its collectives the job takes {}", format_ns(whole));
  if (has_value(table, first, "iterations")) {
    summary += fmt::format(" for {}", counted(integer_of(table, first, "iterations"), "whole iteration"));
  }
  summary += ".";
  if (!ranks.empty()) {
    const auto rank = longest(ranks);
    const auto host = longest(hosts);
    const bool is_of_host = host != hosts.end() && host->second.ranks.size() > 1 && 2 * rank->second.time < whole &&
                            2 * host->second.time >= whole;
    const Holder& holder = is_of_host ? host->second : rank->second;
    const std::string share = share_text(holder.time, whole);
    if (is_of_host) {
      summary += fmt::format(" Ranks {} on {} bound it for {} of that by what they do of their own: {}.",
                             ranges_text({holder.ranks.begin(), holder.ranks.end()}, kMostRanges), host->first, share,
                             shares_of(holder.by_owner, whole));
    } else if (10 * holder.time >= whole) {
      summary += fmt::format(" Rank {} bounds it for {} of that by what it does of its own: {}.", rank->first, share,
                             shares_of(holder.by_owner, whole));
    } else {
      summary += fmt::format(" No rank bounds it for more than {} of that; what they do of their own: {}.", share,
                             shares_of(own, whole));
    }
  }
  if (of_transfers > 0) {
    summary += fmt::format(" Collectives, from when the last one has come, take {}: {}.",
                           share_text(of_transfers, whole), shares_of(transfers, whole));
  }
  const int64_t measured = integer_of(table, first, "measured_ns");
  const double missed = measured == 0 ? 0 : static_cast<double>(whole - measured) / static_cast<double>(measured);
  if (std::abs(missed) >= kTold) {
    summary += fmt::format(" Measured were {}, {:.1f}% {}.", format_ns(measured), 100 * std::abs(missed),
                           missed > 0 ? "less" : "more");
  }
  return section_of("The chain that bounds the job", summary, std::move(table),
                    {"owner", "rank", "device", "after", "collective", "group", "total_ns", "pct", "count", "entries"});
}

}  // namespace cgpu
