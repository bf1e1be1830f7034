#include "readers/hpctoolkit/xml/hpctoolkit_xml.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "base/error.h"
#include "readers/common/input.h"
#include "readers/hpctoolkit/metric_catalog.h"
#include "readers/hpctoolkit/sample_values.h"
#include "readers/hpctoolkit/source_folder.h"
#include "readers/hpctoolkit/xml/experiment.h"
#include "readers/hpctoolkit/xml/metric_db.h"

namespace cgpu::hpctoolkit_xml {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "experiment.xml";
constexpr size_t kHead = size_t{64} << 10;

bool is_experiment(std::string_view head) {
  return head.find("<!DOCTYPE HPCToolkitExperiment") != std::string_view::npos ||
         head.find("<HPCToolkitExperiment") != std::string_view::npos;
}

/// Where the values of a metric are.
struct Source {
  std::string name;       // as of metric_of_stored_name: "CPUTIME (usec)"
  std::string statistic;  // "" for the sum over threads, else "Mean", ...
  const SummaryMetric* summary = nullptr;
  MetricColumns columns = {};
};

/// "CPUTIME (usec):Sum (I)" is the sum of "CPUTIME (usec)".
std::pair<std::string, std::string> name_and_statistic(std::string_view stored) {
  for (const std::string_view ending : {" (I)", " (E)"}) {
    if (stored.ends_with(ending)) stored.remove_suffix(ending.size());
  }
  for (const std::string_view statistic : {"Sum", "Mean", "StdDev", "CfVar", "Min", "Max"}) {
    if (stored.size() > statistic.size() && stored.ends_with(statistic) &&
        stored[stored.size() - statistic.size() - 1] == ':') {
      stored.remove_suffix(statistic.size() + 1);
      return {std::string(stored), statistic == "Sum" ? "" : std::string(statistic)};
    }
  }
  return {std::string(stored), ""};
}

/// Which metrics there are. Exclusive ones repeat what the tree says: they are no metrics of their own.
std::vector<Source> sources_of(const Experiment& experiment) {
  std::vector<Source> sources;
  std::map<std::pair<std::string, std::string>, size_t> known;
  const auto source = [&](const std::string& stored) -> Source& {
    const auto key = name_and_statistic(stored);
    const auto [at, is_new] = known.try_emplace(key, sources.size());
    if (is_new) sources.push_back({key.first, key.second});
    return sources[at->second];
  };
  std::set<std::string> accumulated;  // hidden, from which statistics follow
  for (const SummaryMetric& metric : experiment.summary) {
    if (metric.finalize) accumulated.insert(metric.finalize->metrics.begin(), metric.finalize->metrics.end());
  }
  for (const SummaryMetric& metric : experiment.summary) {
    if (metric.type == ValueType::exclusive || metric.formula) continue;
    if (!metric.shown && accumulated.count(metric.id) > 0) continue;
    Source& of = source(metric.name);
    if (of.summary == nullptr) of.summary = &metric;
  }
  std::set<std::string> computed;  // by the viewer, from others
  for (const SummaryMetric& metric : experiment.summary) {
    if (metric.formula) computed.insert(name_and_statistic(metric.name).first);
  }
  for (const ThreadMetric& metric : experiment.threads) {
    if (computed.count(name_and_statistic(metric.name).first) > 0) continue;
    Source& of = source(metric.name);
    (metric.type == ValueType::exclusive ? of.columns.exclusive : of.columns.inclusive) = metric.column;
  }
  std::erase_if(sources, [](const Source& of) { return of.summary == nullptr && !of.columns.inclusive; });
  return sources;
}

Metric metric_of(const Source& source) {
  Metric metric = hpctoolkit::metric_of_stored_name(source.name);
  if (metric.about.empty() && source.summary != nullptr) metric.about = source.summary->description;
  if (source.summary != nullptr && !source.summary->shown) metric.visible = false;
  if (!source.statistic.empty()) {
    metric.name += ":" + source.statistic;
    metric.about = source.statistic + " over the threads" + (metric.about.empty() ? "" : ": " + metric.about);
    metric.stall_reason.clear();
    metric.additive = false;
  }
  return metric;
}

struct ThreadFiles {
  std::shared_ptr<std::vector<MetricDb>> tables = std::make_shared<std::vector<MetricDb>>();
  std::vector<CallProfile> profiles;
};

/// The tables in the folder, by rank and thread.
ThreadFiles open_tables(const fs::path& folder, Run& run) {
  std::vector<std::pair<CallProfile, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".metric-db") {
      found.emplace_back(profile_of_file(entry.path().filename().string()), entry.path().string());
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const auto key = [](const CallProfile& p) { return std::tuple(!p.rank, p.rank, p.device, p.thread); };
    return std::tuple(key(a.first), a.second) < std::tuple(key(b.first), b.second);
  });
  ThreadFiles files;
  int64_t unreadable = 0;
  for (auto& [profile, path] : found) {
    try {
      files.tables->emplace_back(path, run.notes);
      run.input_bytes += fs::file_size(path, error);
      files.profiles.push_back(std::move(profile));
    } catch (const Error&) {
      ++unreadable;
    }
  }
  if (unreadable > 0) {
    run.notes.add("damaged_input", unreadable,
                  "metric-db files cannot be read: the values of these threads are missing", true);
  }
  return files;
}

class Values {
 public:
  Values(const Experiment& experiment, const ThreadFiles& files, Run& run)
      : experiment_(experiment), files_(*files.tables), tree_(*run.call_tree), notes_(run.notes) {}

  /// The sums over all threads: from the tables where there are any, else as experiment.xml prints them.
  void fill(const std::vector<Source>& sources, const std::vector<MetricIndex>& old) {
    for (MetricIndex m = 0; m < old.size(); ++m) {
      if (old[m] == hpctoolkit::kComputed) continue;
      const Source& source = sources[old[m]];
      if (source.columns.inclusive && !files_.empty()) {
        add_tables(tree_.metrics[m], *source.columns.inclusive);
      } else if (source.summary != nullptr) {
        add_printed(tree_.metrics[m], *source.summary);
      }
      if (source.columns.inclusive && !files_.empty() && source.summary != nullptr)
        compare(tree_.metrics[m], *source.summary);
    }
    report();
  }

 private:
  void add_tables(Metric& metric, uint64_t column) {
    std::vector<double> sums(tree_.nodes.size(), 0);
    for (const MetricDb& table : files_) {
      for (NodeIndex node = 0; node < sums.size(); ++node) {
        const auto value = table.at(experiment_.row[node], column);
        if (!value) continue;
        if (std::isfinite(*value)) {
          sums[node] += *value;
        } else {
          ++not_finite_;
        }
      }
    }
    for (NodeIndex node = 0; node < sums.size(); ++node) {
      if (sums[node] != 0) add(metric, node, sums[node]);
    }
  }

  void add_printed(Metric& metric, const SummaryMetric& summary) {
    constexpr double kSixDigits = 2e-5;  // of a sum of several numbers, each right to 5e-6
    metric.rounding = kSixDigits;
    if (summary.finalize) return add_finalized(metric, *summary.finalize);
    for (const NodeValue& value : printed_values(summary.id)) add(metric, value.node, value.value);
  }

  void add_finalized(Metric& metric, const FinalizeFormula& finalize) {
    std::vector<std::vector<double>> operands;
    for (const std::string& id : finalize.metrics) {
      operands.emplace_back(tree_.nodes.size(), kNoValue);
      for (const NodeValue& value : printed_values(id)) operands.back()[value.node] = value.value;
    }
    for (NodeIndex node = 0; node < tree_.nodes.size(); ++node) {
      const double value = finalize.formula.value([&](uint32_t operand) { return operands[operand][node]; });
      if (std::isfinite(value)) add(metric, node, value);
    }
  }

  /// By node, the first of several of one node.
  std::vector<NodeValue> printed_values(const std::string& id) const {
    const auto printed = experiment_.values.find(id);
    if (printed == experiment_.values.end()) return {};
    std::vector<NodeValue> values = printed->second;
    std::stable_sort(values.begin(), values.end(),
                     [](const NodeValue& a, const NodeValue& b) { return a.node < b.node; });
    const auto same = [](const NodeValue& a, const NodeValue& b) { return a.node == b.node; };
    values.erase(std::unique(values.begin(), values.end(), same), values.end());
    return values;
  }

  static void add(Metric& metric, NodeIndex node, double value) {
    metric.node.push_back(node);
    metric.value.push_back(value);
  }

  /// The sum of the tables against the one that hpcprof made.
  void compare(const Metric& metric, const SummaryMetric& summary) {
    const auto printed = experiment_.values.find(summary.id);
    if (printed == experiment_.values.end() || printed->second.empty() || printed->second.front().node != 0) return;
    const double whole = printed->second.front().value;
    const double sum = !metric.node.empty() && metric.node.front() == 0 ? metric.value.front() : 0;
    constexpr double kTolerance = 1e-5;
    if (std::abs(whole - sum) > kTolerance * std::abs(whole)) ++unequal_;
  }

  void report() {
    if (unequal_ > 0) {
      notes_.add("damaged_input", unequal_,
                 "metrics whose metric-db files do not add up to the sum in experiment.xml: files are missing, "
                 "or not of this database",
                 true);
    }
    if (not_finite_ > 0) {
      notes_.add("invalid_number", not_finite_, "values that are no finite number were left out", true);
    }
    const auto short_tables = std::count_if(files_.begin(), files_.end(), [&](const MetricDb& table) {
      return table.columns() > 0 && table.rows() < experiment_.last_row;
    });
    if (short_tables > 0) {
      notes_.add("damaged_input", short_tables, "metric-db files have no values for a part of the call tree", true);
    }
    const auto long_tables = std::count_if(files_.begin(), files_.end(),
                                           [&](const MetricDb& table) { return table.rows() > experiment_.last_row; });
    if (long_tables > 0) {
      notes_.add("damaged_input", long_tables,
                 "metric-db files have values for places that are not in experiment.xml; they are in those of their "
                 "callers",
                 true);
    }
  }

  const Experiment& experiment_;
  const std::vector<MetricDb>& files_;
  CallTree& tree_;
  Notes& notes_;
  int64_t not_finite_ = 0, unequal_ = 0;
};

void add_facts(Run& run, const Experiment& experiment, const ThreadFiles& files) {
  if (!experiment.title.empty()) run.metadata.emplace_back("title", experiment.title);
  run.metadata.emplace_back("nodes_in_xml", std::to_string(experiment.nodes));
  std::set<uint64_t> rows;
  for (const MetricDb& table : *files.tables) rows.insert(table.rows());
  if (rows.size() == 1) run.metadata.emplace_back("rows_per_profile", std::to_string(*rows.begin()));
  std::set<int64_t> ranks;
  for (const CallProfile& profile : files.profiles) {
    if (profile.rank) ranks.insert(*profile.rank);
  }
  if (!ranks.empty()) run.world_size = static_cast<int64_t>(ranks.size());
}

bool has_trace_files(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".hpctrace") return true;
  }
  return false;
}

}  // namespace

bool is_database(const Input& input) {
  if (!input.is_folder) return is_experiment(input.head);
  std::error_code error;
  const fs::path file = fs::path(input.path) / kFile;
  if (!fs::is_regular_file(file, error)) return false;
  try {
    std::string head(kHead, '\0');
    head.resize(open_text(file.string())->read_at(0, head.data(), head.size()));
    return is_experiment(head);
  } catch (const Error&) {
    return false;
  }
}

Run read_database(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "hpctoolkit-xml");
  const fs::path folder = hpctoolkit::folder_of(input);
  const std::string name = input.is_folder ? (folder / kFile).string() : input.path;
  const std::shared_ptr<TextSource> text = input.is_folder ? open_text(name) : input.source;
  Experiment experiment = read_experiment(*text, name, run.notes);
  run.format_version = experiment.version;
  run.input_bytes = text->stored_bytes();
  run.text_bytes = text->text_position();

  const uint64_t xml_bytes = run.input_bytes;
  const ThreadFiles files = input.path == "-" ? ThreadFiles() : open_tables(folder, run);
  run.text_bytes += run.input_bytes - xml_bytes;
  const std::vector<Source> sources = sources_of(experiment);
  run.call_tree = std::move(experiment.tree);
  CallTree& tree = *run.call_tree;
  for (const Source& source : sources) tree.metrics.push_back(metric_of(source));
  const std::vector<MetricIndex> old = hpctoolkit::arrange_metrics(tree.metrics);
  Values(experiment, files, run).fill(sources, old);
  hpctoolkit::choose_main_metric(tree);
  hpctoolkit::find_sample_values(tree);
  if (input.path != "-") run.sources = hpctoolkit::source_folder(folder.string(), tree);
  add_facts(run, experiment, files);

  if (!files.profiles.empty()) {
    std::vector<MetricColumns> columns;
    for (const MetricIndex index : old) {
      columns.push_back(index == hpctoolkit::kComputed ? MetricColumns() : sources[index].columns);
    }
    tree.profiles = files.profiles;
    tree.profile_values = profile_values(files.tables, experiment.row, std::move(columns));
  } else if (!experiment.threads.empty()) {
    run.notes.add(
        "missing_profiles", 1,
        "no metric-db files lie beside experiment.xml: only sums over all threads are known, with six digits");
  }
  if (!tree.main_metric) run.notes.add("no_values", 1, "nothing was measured: no place has a value");
  if (has_trace_files(folder)) {
    run.notes.add("skipped_file", 1, "traces (.hpctrace) are not read: there is no timeline");
  }
  return run;
}

}  // namespace cgpu::hpctoolkit_xml
