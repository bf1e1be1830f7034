#include "session/summaries/summary_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <memory>

#include "analysis/partial_bytes.h"
#include "analysis/ranks/parallel_groups.h"
#include "analysis/ranks/rank_waits.h"
#include "base/error.h"
#include "base/threads.h"
#include "links/clocks.h"
#include "links/profile_selection.h"
#include "readers/reader.h"
#include "session/selection/selection.h"

namespace cgpu {

namespace {

/// Records that together take more are read without all of their samples.
constexpr uint64_t kMostExactBytes = uint64_t{64} << 20;

/// The options that are not as they are anyhow.
bool is_default(const WantedTable& wanted) {
  const auto& given = wanted.options.all();
  return std::all_of(given.begin(), given.end(), [&](const auto& each) {
    const auto& options = wanted.analysis->options;
    const auto declared = std::find_if(options.begin(), options.end(),
                                       [&](const TableOption& option) { return option.name == each.first; });
    return declared != options.end() && each.second == std::vector<std::string>{declared->fallback};
  });
}

std::string name_of(const std::vector<std::string>& inputs) {
  return inputs.size() == 1 ? inputs.front() : fmt::format("{} and {} more", inputs.front(), inputs.size() - 1);
}

/// What ranks must know of each other is read again when it is asked for.
void forget_collectives(Run& run) {
  Timeline kept;
  kept.categories = std::move(run.timeline.categories);
  kept.tracks = std::move(run.timeline.tracks);
  run.timeline = std::move(kept);
}

/// What a group is for is asked of the first run that lists it; of a pipeline each run says its place.
void forget_known_groups(Run& run, std::set<std::string>& known) {
  std::erase_if(run.groups, [&](const ParallelGroup& group) {
    return !known.insert(group.name).second && !is_pipeline_group(group);
  });
  run.groups.shrink_to_fit();
}

/// The names of the folded tables, sorted.
std::vector<std::string> folded_tables() {
  std::vector<std::string> folded;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.fold != nullptr) folded.push_back(analysis.name);
  }
  std::sort(folded.begin(), folded.end());
  return folded;
}

/// Those of them that are not among these.
std::vector<std::string> without(const std::vector<std::string>& folded, std::vector<std::string> kept) {
  std::sort(kept.begin(), kept.end());
  std::vector<std::string> missing;
  std::set_difference(folded.begin(), folded.end(), kept.begin(), kept.end(), std::back_inserter(missing));
  return missing;
}

bool are_same(const HostCauses::Waits& a, const HostCauses::Waits& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.thread == y.thread && x.time == y.time; });
}

}  // namespace

SummarySession::SummarySession(Summary summary, const OpenOptions& open, const NumberList& ranks)
    : summary_(std::move(summary)), name_(name_of(open.inputs)), threads_(thread_count(open.threads)) {
  finished_ = summary_.finished();
  open_runs(open, ranks);
}

void SummarySession::open_runs(const OpenOptions& open, const NumberList& ranks) {
  const size_t count = summary_.runs().size();
  std::vector<Run> runs(count);
  const std::vector<std::string> folded = folded_tables();
  std::vector<std::vector<std::string>> missing(count);
  std::vector<std::vector<std::string>> left_out(count);
  std::vector<std::vector<std::string>> reduced(count);
  std::set<std::string> known_groups;
  const size_t at_once = size_t{64} * threads_;  // so few that groups which all of them list are not kept of all
  for (size_t first = 0; first < count; first += at_once) {
    const size_t end = std::min(first + at_once, count);
    for_each_or_throw(threads_, end - first, [&](size_t place) {
      const size_t i = first + place;
      RunRecord record = summary_.reader_of(i, summary_.record(i)).run();
      forget_collectives(record.run);
      record.run.number = static_cast<uint32_t>(i);
      runs[i] = std::move(record.run);
      missing[i] = without(folded, std::move(record.kept));
      left_out[i] = std::move(record.left_out);
      reduced[i] = std::move(record.reduced);
    });
    if (!ranks.empty()) continue;  // the first run that lists a group may not be wanted
    for (size_t i = first; i < end; ++i) forget_known_groups(runs[i], known_groups);
  }
  const std::vector<std::string> inputs = count == 1 ? std::vector{runs.front().file} : open.inputs;
  session_ = join_runs(inputs, std::move(runs), {});
  if (!ranks.empty()) {
    align();  // by all of them
    keep_ranks(ranks);
  }
  uint64_t size = 0;
  for (Run& run : session_.runs) {
    const uint32_t number = run.number;
    numbers_.push_back(number);
    missing_.insert(missing[number].begin(), missing[number].end());
    size += summary_.runs()[number].size;
    reduced_.insert(reduced[number].begin(), reduced[number].end());
    left_out_.insert(left_out[number].begin(), left_out[number].end());
    if (run.call_tree) recorded_.insert(Subject::call_tree);
    if (run.launch_metrics) recorded_.insert(Subject::launches);
    if (run.op_graph) recorded_.insert(Subject::op_graph);
    if (count == 1) continue;
    run.call_tree.reset();  // the finished tables have their results
    run.launch_metrics.reset();
    run.op_graph.reset();
  }
  is_large_ = numbers_.size() > 1 && size > kMostExactBytes;
  facts_.emplace(session_, [this, is_aligned = !ranks.empty()] {
    std::vector<CollectiveSeries> collectives = is_aligned ? read_collectives().device : align();
    if (summary_.runs().size() > 1) add_notes();
    return collectives;
  });
}

SummarySession::Collectives SummarySession::read_collectives() const {
  CollectiveCollector device;
  CollectiveCollector host;
  Collectives all;
  const size_t at_once = size_t{4} * threads_;
  for (uint32_t first = 0; first < session_.runs.size(); first += static_cast<uint32_t>(at_once)) {
    std::vector<RunRecord> records(std::min(at_once, session_.runs.size() - first));
    for_each_or_throw(threads_, records.size(), [&](size_t i) {
      const uint32_t number = session_.runs[first + i].number;
      records[i] = summary_.reader_of(number, summary_.record(number)).run();
    });
    for (uint32_t i = 0; i < records.size(); ++i) {
      device.add_device_ops(first + i, records[i].run);
      host.add_host_calls(first + i, records[i].run.timeline);
      all.known_waits.push_back(std::move(records[i].waits));
    }
  }
  all.device = device.take();
  all.host = host.take();
  return all;
}

std::vector<CollectiveSeries> SummarySession::align() const {
  Collectives all = read_collectives();
  align_clocks(session_, all.device, all.host);
  if (session_.runs.size() > 1) {
    const std::vector<HostCauses::Waits> waits = rank_waits(session_, all.host);
    for (size_t run = 0; run < waits.size(); ++run) {
      if (!are_same(waits[run], all.known_waits[run])) unknown_waits_.insert(session_.runs[run].number);
    }
  }
  return std::move(all.device);
}

const SessionFacts& SummarySession::facts_of_all() const {
  facts_->collectives();
  return *facts_;
}

void SummarySession::keep_ranks(const NumberList& ranks) {
  const size_t all = session_.runs.size();
  for (const Run& run : session_.runs) {
    if (run.rank_known) continue;
    const std::vector<int64_t> inside = ranks_inside(run);
    const auto is_wanted = [&](int64_t rank) { return ranks.contains(rank); };
    if (std::any_of(inside.begin(), inside.end(), is_wanted) && !std::all_of(inside.begin(), inside.end(), is_wanted)) {
      throw Error(name_, fmt::format("keeps ranks {} as one, because {} had them in one file: give that profile",
                                     fmt::join(inside, ", "), run.file));
    }
  }
  select_ranks(session_, ranks);
  if (session_.runs.size() == all) return;
  for (const Table& table : finished_.tables) of_all_.push_back(table.name);
  finished_ = {};
}

void SummarySession::add_notes() const {
  Notes& notes = session_.runs.front().notes;
  const std::vector<std::string>& damaged = summary_.damaged();
  if (!damaged.empty()) {
    notes.add("damaged_input", static_cast<int64_t>(damaged.size()),
              "summaries that are damaged were left out (first: " + damaged.front() + ")", true);
  }
  notes.add("repeated_input", static_cast<int64_t>(summary_.repeated()),
            "summaries of runs that were given again count once");
  const auto unknown_waits = std::count_if(numbers_.begin(), numbers_.end(),
                                           [&](uint32_t number) { return unknown_waits_.count(number) > 0; });
  notes.add("unknown_waits", unknown_waits,
            "ranks waited for others inside of blocking host calls, which their summaries did not know when they were "
            "made: in tables idle and idle_hosts that time counts as what their own threads did, not as other_rank; "
            "open the profiles together for that");
  if (is_large_) {
    notes.add("approximate_median", static_cast<int64_t>(session_.runs.size()),
              "ranks are too many to keep all durations: median_ns of tables over several ranks is within 1 %");
  } else if (!reduced_.empty()) {
    notes.add("approximate_median", static_cast<int64_t>(reduced_.size()),
              fmt::format("tables whose median_ns is within 1 %, because a rank has too many durations to keep all: {}",
                          fmt::join(reduced_, ", ")));
  }
  if (is_made_of_tables(find_analysis("findings"))) {
    notes.add("rules_not_judged", static_cast<int64_t>(session_.runs.size()),
              "ranks have no timeline here: of the rules of findings only straggler, slow_link and "
              "stage_imbalance were judged; `cgpu diagnose PROFILE` judges the others of the profile of a rank");
  }
  std::vector<std::string> not_merged;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.events == nullptr && !has_table(analysis)) not_merged.push_back(analysis.name);
  }
  if (!not_merged.empty()) {
    notes.add("not_merged", static_cast<int64_t>(not_merged.size()),
              fmt::format("tables that cannot be made of several summaries: {}; open the profiles of the ranks that "
                          "they are wanted of",
                          fmt::join(not_merged, ", ")));
  }
}

const Table* SummarySession::finished_table(const std::string& name) const {
  const auto found = std::find_if(finished_.tables.begin(), finished_.tables.end(),
                                  [&](const Table& table) { return table.name == name; });
  return found == finished_.tables.end() ? nullptr : &*found;
}

bool SummarySession::is_folded(const Analysis& analysis) const {
  // A recorded call tree is in no record, whatever one says.
  if (analysis.subject == Subject::call_tree && recorded_.count(Subject::call_tree) != 0) return false;
  return analysis.fold != nullptr && missing_.count(analysis.name) == 0;
}

bool SummarySession::is_made_of_runs(const Analysis& analysis) const {
  if (analysis.made_of == MadeOf::records) return true;
  const bool is_of_body = analysis.subject == Subject::call_tree || analysis.subject == Subject::launches ||
                          analysis.subject == Subject::op_graph;
  return analysis.whole != nullptr && is_of_body && recorded_.count(analysis.subject) == 0;  // without rows
}

bool SummarySession::is_made_of_tables(const Analysis& analysis) const {
  if (!analysis.without_timelines || session_.runs.size() < 2 || finished_table(analysis.name) != nullptr) return false;
  const std::vector<std::string>& of = analysis.without_timelines->tables;
  return std::all_of(of.begin(), of.end(), [&](const std::string& name) { return has_table(find_analysis(name)); });
}

bool SummarySession::has_table(const Analysis& analysis) const {
  return finished_table(analysis.name) != nullptr || is_folded(analysis) || is_made_of_runs(analysis) ||
         is_made_of_tables(analysis);
}

bool SummarySession::has_rows(const Analysis& analysis) const {
  const Table* finished = finished_table(analysis.name);
  return finished != nullptr ? !finished->empty() : has_table(analysis);
}

std::string SummarySession::profile_to_open() const {
  const std::vector<Run>& runs = session_.runs;
  if (runs.size() == 1) return fmt::format("give the profile that it was made of, {}", runs.front().file);
  const Table stragglers = make_table(find_analysis("stragglers"), facts_of_all());
  const int64_t rank = stragglers.empty() ? runs.front().rank : stragglers.values(stragglers.column("rank")).integer(0);
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& one) { return one.rank == rank; });
  return fmt::format("give the profile of a rank, like {} of rank {}{}", run->file, run->rank,
                     stragglers.empty() ? "" : ", which the others waited for most");
}

void SummarySession::refuse(const Analysis& analysis) const {
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), analysis.name) != names.end();
  };
  const char* why = ", because that needs the timeline";
  if (is_in(of_all_)) {
    why = " of some of its ranks, only of all of them together";
  } else if (is_in(finished_.left_out) || left_out_.count(analysis.name) != 0) {
    why = " (it was too large, or of a recorded call tree)";
  } else if (missing_.count(analysis.name) != 0) {
    why = ", because the version of cgpu that made it did not have it";
  }
  throw Error(name_, fmt::format("is a summary, which has no table {}{}: {}", analysis.name, why, profile_to_open()));
}

std::vector<Table> SummarySession::tables(const std::vector<WantedTable>& asked) const {
  std::vector<WantedTable> wanted = asked;
  for (const WantedTable& each : asked) {
    if (is_made_of_tables(*each.analysis)) add_sources(*each.analysis, wanted);
  }
  std::vector<Table> tables(wanted.size());
  std::vector<std::unique_ptr<Partial>> partials(wanted.size());
  std::vector<std::pair<const Analysis*, Partial*>> folds;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Analysis& analysis = *wanted[i].analysis;
    check_options(analysis.name, analysis.options, wanted[i].options);
    if (!has_table(analysis)) {
      if (!wanted[i].most_open_bytes) refuse(analysis);
      tables[i] = analysis.empty_table();
      continue;
    }
    const Table* const finished = finished_table(analysis.name);
    const bool is_nothing =
        finished != nullptr ? finished->empty()
                            : analysis.made_of != MadeOf::records && is_made_of_runs(analysis);  // whatever the options
    if (!is_nothing && !is_default(wanted[i])) {
      if (const Table* const kept = finished_table(finished_name(analysis.name, wanted[i].options))) {
        tables[i] = *kept;
        tables[i].name = analysis.name;
        continue;
      }
      if (wanted[i].most_open_bytes) {
        tables[i] = analysis.empty_table();
        continue;
      }
      throw Error(name_, fmt::format("is a summary, in which table {} is as it comes without options: give the profile "
                                     "for others",
                                     analysis.name));
    }
    if (finished != nullptr) {
      tables[i] = *finished;
    } else if (is_folded(analysis)) {
      partials[i] = analysis.fold(analysis, {});
      folds.emplace_back(&analysis, partials[i].get());
      if (asks_of_other_ranks(analysis)) facts_of_all();
    } else if (!is_made_of_tables(analysis)) {
      tables[i] = make_table(analysis, facts_of_all());
    }
  }
  if (!folds.empty()) fold(folds);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (partials[i]) tables[i] = partials[i]->finalize({*facts_, numbers_});
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const Analysis& analysis = *asked[i].analysis;
    if (is_made_of_tables(analysis)) tables[i] = *made_of_sources(analysis, facts_of_all(), wanted, tables);
  }
  tables.resize(asked.size());
  return tables;
}

void SummarySession::fold(const std::vector<std::pair<const Analysis*, Partial*>>& folds) const {
  const RunIndex index{*facts_, numbers_};
  const size_t at_once = size_t{4} * threads_;
  for (size_t first = 0; first < numbers_.size(); first += at_once) {
    const size_t count = std::min(at_once, numbers_.size() - first);
    std::vector<std::vector<std::unique_ptr<Partial>>> decoded(count);
    for_each_or_throw(threads_, count, [&](size_t i) {
      const uint32_t number = numbers_[first + i];
      const std::string& name = summary_.source_of(number);
      const std::string bytes = summary_.record(number);
      const std::map<std::string, std::string> kept = summary_.reader_of(number, bytes).partials();
      for (const auto& [analysis, partial] : folds) {
        const auto found = kept.find(analysis->name);
        if (found == kept.end()) throw Error(name, "is damaged: it holds nothing of table " + analysis->name);
        decoded[i].push_back(partial_from_bytes(*analysis, {}, found->second, name, is_large_));
      }
    });
    for (size_t i = 0; i < count; ++i) {
      for (size_t table = 0; table < folds.size(); ++table) {
        folds[table].second->append_run(index, first + i, std::move(*decoded[i][table]));
      }
    }
  }
}

}  // namespace cgpu
