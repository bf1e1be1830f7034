#include "gate/summarize.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "analysis/partial_bytes.h"
#include "base/compress.h"
#include "base/error.h"
#include "gate/collect_figures.h"
#include "session/let_go.h"
#include "session/summary_archive.h"

namespace cgpu {

namespace {

/// A table that is folded over the runs while they are open.
struct Folded {
  const Analysis* analysis;
  std::unique_ptr<Partial> partial;
};

bool is_small(const std::string& bytes) {
  return bytes.size() <= kMostTableBytes || compress_zstd(bytes).size() <= kMostTableBytes;
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

/// Folders say whose machine it was.
void keep_own_names(Session& session, Table& info) {
  if (info.empty()) return;
  std::vector<std::pair<std::string, std::string>> names;
  for (const Run& run : session.runs) names.emplace_back(run.file, own_name(run.file));
  for (const std::string& input : session.inputs) names.emplace_back(input, own_name(input));
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  info.map_text(info.column("value"), [&](std::string_view value) {
    std::string shown(value);
    for (const auto& [path, name] : names) {
      const size_t at = shown.find(path);
      if (at != std::string::npos && path != name) shown.replace(at, path.size(), name);
    }
    return shown;
  });
  for (Run& run : session.runs) run.file = own_name(run.file);
  for (std::string& input : session.inputs) input = own_name(input);
}

}  // namespace

Summary summarize(const OpenOptions& open, const Selection& selection, bool with_host) {
  if (summary_of(open, {})) throw Error(open.inputs.front(), "is a summary already");
  std::vector<WantedTable> wanted = FigureCollector::tables();
  const size_t of_figures = wanted.size();
  std::vector<Folded> folds;
  for (const Analysis& analysis : all_analyses()) {
    // Who waited for whom among ranks is known in the end only, when their partial results are gone.
    if (analysis.fold != nullptr && !analysis.asks_who_waited) {
      folds.push_back({&analysis, analysis.fold(analysis, {})});
    } else if (analysis.events == nullptr) {
      wanted.push_back({&analysis, {}, true});
    }
  }
  FigureCollector collector;
  FoldedSession folded = fold_ranks(open, selection, wanted, [&](const RunInSession& run) {
    collector.look(run);
    for (const Folded& each : folds) each.partial->update(run);
  });
  const bool has_timeline = std::any_of(folded.session.runs.begin(), folded.session.runs.end(),
                                        [](const Run& run) { return slice_count(run) > 0; });
  if (!has_timeline) throw Error(open.inputs.front(), "has no timeline, of which a summary is made");

  Summary summary;
  summary.numbers = std::move(folded.numbers);
  {
    ByteWriter figures;
    figures(collector.take(folded.session, folded.tables));
    summary.figures = figures.take();
  }
  const bool let_go = std::any_of(folded.session.runs.begin(), folded.session.runs.end(),
                                  [](const Run& run) { return run.let_go.has_value(); });
  const std::set<std::string> hosts = with_host ? std::set<std::string>() : hosts_of(folded.session);
  const auto keep = [&](Table table) {
    for (size_t column = 0; column < table.columns.size() && !table.empty(); ++column) {
      if (table.columns[column].type != ColumnType::text || hosts.empty()) continue;
      table.map_text(column, [&](std::string_view text) { return without(text, hosts); });
    }
    if (table.name == "info") keep_own_names(folded.session, table);
    ByteWriter bytes;
    write_table(bytes, table);
    if (is_small(bytes.bytes())) {
      summary.tables.push_back(std::move(table));
    } else {
      summary.left_out.push_back(table.name);
    }
  };
  {
    const SessionFacts facts(folded.session);
    const bool has_call_tree = std::any_of(folded.session.runs.begin(), folded.session.runs.end(),
                                           [](const Run& run) { return run.call_tree.has_value(); });
    for (const Folded& each : folds) {
      if (has_call_tree && each.analysis->subject == Subject::call_tree) {  // recorded trees are not in partial results
        keep(each.partial->finalize({facts, summary.numbers}));
        continue;
      }
      std::string bytes = partial_to_bytes(*each.analysis, {}, *each.partial);
      if (is_small(bytes)) {
        summary.partials[each.analysis->name] = std::move(bytes);
      } else {
        keep(each.partial->finalize({facts, summary.numbers}));
      }
    }
  }
  for (size_t i = of_figures; i < wanted.size(); ++i) {
    const bool was_made = !let_go || !wanted[i].analysis->needs_all_timelines;
    if (was_made) keep(std::move(folded.tables[i]));
  }
  for (Run& run : folded.session.runs) {
    if (!run.let_go) let_timeline_go(run);
    if (!with_host) run.host.clear();
  }
  summary.session = std::move(folded.session);
  return summary;
}

RunFigures figures_in(const Summary& summary, const std::string& name) {
  RunFigures figures;
  ByteReader bytes(summary.figures, name);
  bytes(figures);
  if (!bytes.at_end()) bytes.fail("holds more figures than it should");
  return figures;
}

}  // namespace cgpu
