#include "gate/summarize.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial_bytes.h"
#include "analysis/ranks/rank_waits.h"
#include "base/compress.h"
#include "base/error.h"
#include "gate/figures/collect_figures.h"
#include "links/clocks.h"
#include "session/summaries/release.h"
#include "session/summaries/summary.h"
#include "session/summaries/summary_messages.h"
#include "session/table_engine.h"

namespace cgpu {

namespace {

/// Whether it is, compressed. Of what is long, the beginning alone can be too much.
bool is_small(std::string_view bytes) {
  constexpr size_t kBeginning = 16 * kMostTableBytes;
  if (bytes.size() <= kMostTableBytes) return true;
  if (bytes.size() > kBeginning && compress_zstd(bytes.substr(0, kBeginning)).size() > kMostTableBytes) return false;
  return compress_zstd(bytes).size() <= kMostTableBytes;
}

std::string own_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return std::filesystem::path(path).filename().string();
}

/// Takes the names of these machines out of a text.
std::string without(std::string_view text, const std::set<std::string>& hosts) {
  std::string shown(text);
  for (const std::string& host : hosts) {
    for (size_t at = shown.find(host); at != std::string::npos; at = shown.find(host, at))
      shown.replace(at, host.size(), "");
  }
  return shown;
}

/// Which names stand for machines: those of the runs, and what facts about hosts say.
std::set<std::string> hosts_of(const Session& session) {
  std::set<std::string> hosts;
  for (const Run& run : session.runs) {
    hosts.insert(run.host);
    for (const auto& [key, value] : run.metadata) {
      if (key.find("host") != std::string::npos) hosts.insert(value);
    }
  }
  hosts.erase("");
  return hosts;
}

/// Under which name a profile is kept. Folders say whose machine it was; the last of them stays where it tells profiles
/// apart.
std::map<std::string, std::string> kept_names(const Session& session) {
  std::map<std::string, int> uses;
  for (const Run& run : session.runs) ++uses[own_name(run.file)];
  std::map<std::string, std::string> names;
  for (const Run& run : session.runs) {
    const std::string folder = own_name(std::filesystem::path(run.file).parent_path().string());
    const std::string name = own_name(run.file);
    const auto names_rank = [](std::string text) {
      std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
      return text.find("rank") != std::string::npos;
    };
    const bool tells = uses[name] > 1 || (!names_rank(name) && names_rank(folder));
    names[run.file] = tells && !folder.empty() ? folder + "/" + name : name;
  }
  for (const std::string& input : session.inputs) names.try_emplace(input, own_name(input));
  return names;
}

void keep_names(Table& info, const std::map<std::string, std::string>& names) {
  if (info.empty()) return;
  std::vector<std::pair<std::string, std::string>> longest_first(names.begin(), names.end());
  std::ranges::stable_sort(longest_first, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  info.map_text(info.column("value"), [&](std::string_view value) {
    std::string shown(value);
    for (const auto& [path, name] : longest_first) {
      const size_t at = shown.find(path);
      if (at != std::string::npos && path != name) shown.replace(at, path.size(), name);
    }
    return shown;
  });
}

/// Stands for a machine whose name is not kept: two ranks of one machine have the same.
std::string machine_number(const std::string& host) {
  return host.empty() ? "" : fmt::format("machine-{:08x}", XXH3_64bits(host.data(), host.size()) >> 32);
}

/// A run as it was recorded, whatever other runs were opened with it, without what says whose it was.
Run as_recorded(Run run, const std::map<std::string, std::string>& names, const std::set<std::string>& hosts,
                bool with_host) {
  undo_alignment(run);
  if (run.claimed_rank) {
    run.rank = *run.claimed_rank;
    run.rank_known = true;
  }
  run.notes.erase("duplicate_rank");
  run.notes.erase("missing_rank");
  run.file = names.at(run.file);
  if (with_host) return run;
  run.host = machine_number(run.host);
  for (auto& [key, value] : run.metadata) value = without(value, hosts);
  Notes notes;
  for (const Note& note : run.notes.all()) notes.add(note.code, note.count, without(note.text, hosts), note.damage);
  run.notes = std::move(notes);
  return run;
}

/// What the runs keep of a folded table, in their order: partial results as far as they are small, if need be with no
/// more than histograms of samples. Returns the table where one of them does not keep all, and puts that of each run
/// alone into `of_runs`, if given.
std::optional<Table> keep_partials(const Analysis& analysis, Partial& partial, const ProcessedRanks& seen,
                                   std::vector<RunRecord>& records, std::vector<Table>* of_runs) {
  const RunIndex index{*seen.facts, seen.numbers};
  const auto fold = [&] { return analysis.fold(analysis, {}); };
  bool all_kept = true;
  std::vector<std::string> kept;
  for (size_t run = 0; run < records.size(); ++run) {
    const std::unique_ptr<Partial> alone = partial.take_run(seen.numbers[run]);
    kept.push_back(partial_to_bytes(analysis, {}, *alone));
    // Recorded trees are not in partial results.
    const bool is_of_tree = analysis.subject == Subject::call_tree && seen.session->runs[run].call_tree.has_value();
    const auto keep = [&](std::string bytes) {
      records[run].partials[analysis.name] = std::move(bytes);
      records[run].kept.push_back(analysis.name);
    };
    if (!is_of_tree && is_small(kept.back())) {
      keep(kept.back());
    } else {
      all_kept = false;
      std::string reduced = is_of_tree ? "" : partial_to_bytes(analysis, {}, *alone, true);
      if (!reduced.empty() && reduced.size() < kept.back().size() && is_small(reduced)) {
        keep(std::move(reduced));
        records[run].reduced.push_back(analysis.name);
      } else {
        records[run].left_out.push_back(analysis.name);
      }
    }
    if (of_runs != nullptr) {
      const auto by_itself = fold();
      by_itself->append_run(index, run, std::move(*alone));
      of_runs->push_back(by_itself->finalize({*seen.facts, {}}));
    }
  }
  if (all_kept) return std::nullopt;
  const auto together = fold();
  for (size_t run = 0; run < records.size(); ++run) {
    together->append_run(index, run,
                         std::move(*partial_from_bytes(analysis, {}, kept[run], seen.session->runs[run].file)));
  }
  return together->finalize(index);
}

}  // namespace

SummaryFile summarize(const ProfileSource& source, bool with_host) {
  const std::string& input = source.options().inputs.front();
  if (source.summary()) throw Error(input, "is a summary already: `cgpu merge` puts several together");
  std::vector<WantedTable> wanted;
  for (const Analysis& analysis : all_analyses()) {
    if (analysis.events != nullptr) continue;
    wanted.push_back({&analysis, {}, 0});
    for (const TableOptions& options : analysis.also_kept) wanted.push_back({&analysis, options, 0});
  }
  FigureCollector collector;
  ProcessedRanks seen = process_ranks(source, wanted, &collector);
  const Session& session = *seen.session;
  const bool has_any = std::any_of(session.runs.begin(), session.runs.end(),
                                   [](const Run& run) { return slice_count(run) > 0 || run.call_tree; });
  if (!has_any) throw Error(input, "has no timeline and no call tree to summarize");

  const std::set<std::string> hosts = with_host ? std::set<std::string>() : hosts_of(session);
  const std::map<std::string, std::string> names = kept_names(session);
  FinishedTables finished;
  const auto finish = [&](Table table) {
    for (size_t column = 0; column < table.columns.size() && !table.empty(); ++column) {
      if (table.columns[column].type != ColumnType::text || hosts.empty()) continue;
      table.map_text(column, [&](std::string_view text) { return without(text, hosts); });
    }
    if (table.name == "info") keep_names(table, names);
    MessageWriter message;
    write_table(message, table);
    if (is_small(message.bytes())) {
      finished.tables.push_back(std::move(table));
    } else {
      finished.left_out.push_back(table.name);
    }
  };
  std::vector<RunRecord> records(session.runs.size());
  const std::vector<WantedTable> of_figures = FigureCollector::tables();
  std::vector<std::vector<Table>> figure_tables(of_figures.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Analysis& analysis = *wanted[i].analysis;
    if (seen.partials[i]) {
      const auto figure = std::find_if(of_figures.begin(), of_figures.end(),
                                       [&](const WantedTable& one) { return one.analysis == &analysis; });
      std::vector<Table>* tables =
          figure == of_figures.end() ? nullptr : &figure_tables[static_cast<size_t>(figure - of_figures.begin())];
      if (auto table = keep_partials(analysis, *seen.partials[i], seen, records, tables)) finish(std::move(*table));
      continue;
    }
    const bool is_made_of_runs = analysis.made_of == MadeOf::records && session.runs.size() > 1;
    const bool is_made = analysis.made_of != MadeOf::all_timelines || !seen.has_released_timelines();
    if (!is_made || is_made_of_runs) continue;
    Table table = seen.table_of_whole(wanted[i]);
    table.name = finished_name(analysis.name, wanted[i].options);
    finish(std::move(table));
  }
  std::vector<HostCauses::Waits> waits = rank_waits(session);
  seen.facts.reset();
  for (size_t i = 0; i < records.size(); ++i) {
    std::vector<Table> tables;
    for (std::vector<Table>& of_runs : figure_tables) tables.push_back(std::move(of_runs[i]));
    MessageWriter figures;
    figures(collector.take_run(seen.numbers[i], tables));
    records[i].figures = figures.take();
    records[i].waits = std::move(waits[i]);
    Run& run = seen.session->runs[i];
    if (!run.released_totals) release_timeline(run);
    records[i].run = as_recorded(std::move(run), names, hosts, with_host);
  }
  return {summary_to_bytes(records, finished), std::move(finished.left_out)};
}

}  // namespace cgpu
