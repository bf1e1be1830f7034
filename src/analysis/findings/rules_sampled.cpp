// Rules about profiles of sampled call trees (HPCToolkit and others).
//
// How bad something is goes by its share of the sampled time (Thresholds::sampled_share and critical), of which only a
// part is the run's where the profile also knows how long the device was idle.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/copy_metrics.h"
#include "analysis/findings/copy_suggestions.h"
#include "analysis/findings/rule_context.h"
#include "analysis/steps/step_marks.h"
#include "kernels/communication_names.h"
#include "kernels/short_name.h"
#include "table/units.h"

namespace cgpu {

namespace {

std::string text_in(const Table& table, size_t row, const char* column) {
  const Cell cell = table.cell(row, table.column(column));
  return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
}

/// 0 where there is none.
double number_in(const Table& table, size_t row, const char* column) {
  const Cell cell = table.cell(row, table.column(column));
  return std::holds_alternative<double>(cell) ? std::get<double>(cell) : 0;
}

/// Waiting that HPCToolkit attributes to places of its own ("<omp barrier wait>").
void find_barriers(RuleContext& context, std::vector<Finding>& findings) {
  const Table& functions = context.table("functions");
  if (functions.empty()) return;
  for (const char* time : {"CPUTIME", "REALTIME"}) {
    const double whole = context.sum_of_metric(time);
    const auto column = std::find_if(functions.columns.begin(), functions.columns.end(), [&](const Column& one) {
      return one.name.starts_with(time) && one.name.ends_with(".exclusive");
    });
    if (whole <= 0 || column == functions.columns.end()) continue;
    for (size_t row = 0; row < functions.row_count(); ++row) {
      const std::string name = text_in(functions, row, "name");
      const double waited = number_in(functions, row, column->name.c_str());
      if (!name.starts_with("<omp") || name.find("wait") == std::string::npos) continue;
      if (!(waited >= context.thresholds().sampled_share * whole)) continue;
      findings.push_back(
          {.rule = "barrier_wait",
           .title = fmt::format("{} of the threads' time is spent in {}", format_percent(100 * waited / whole), name),
           .evidence = fmt::format("{} of {} s of {}", format_real(waited), format_real(whole), time),
           .suggestion =
               "Balance the work of the threads between barriers (schedule(dynamic) or guided), or need fewer "
               "barriers (nowait)",
           .command = "imbalance",
           .confidence = Confidence::high,
           .severity = context.sampled_severity(waited / whole)});
    }
    return;
  }
}

/// Copies of a database without a trace: HPCToolkit measures all operations of the devices and counts what they move.
void find_counted_copies(RuleContext& context, std::vector<Finding>& findings) {
  const double all = context.sum_of_metric("GPUOP");
  const double copying = context.sum_of_metric("GXCOPY");
  const double count = context.sum_of_metric("GXCOPY:COUNT");
  if (!(copying >= context.thresholds().sampled_share * all) || copying <= 0) return;
  std::map<CopyKind, int64_t> moved;
  for (const Run& one : context.session().runs) {
    if (!one.call_tree) continue;
    for (const auto& [kind, bytes] : copied_bytes(*one.call_tree)) moved[kind] += bytes;
  }
  double bytes = 0;
  CopyKind most = CopyKind::none;
  for (const auto& [kind, of_kind] : moved) {
    bytes += static_cast<double>(of_kind);
    if (most == CopyKind::none || of_kind > moved[most]) most = kind;
  }
  const bool are_small = count >= context.thresholds().many_copies && bytes < context.thresholds().small_copy * count;
  Finding finding{.rule = are_small ? "small_copies" : "exposed_copies",
                  .title = fmt::format("{} of the time of all operations on devices is copies{}",
                                       format_percent(100 * copying / all), are_small ? ", most of them small" : ""),
                  .evidence = fmt::format("{} of {}", format_ns(1e9 * copying), format_ns(1e9 * all)),
                  .suggestion = are_small ? kPackCopies : kCopyBesideKernels,
                  .command = "transfers",
                  .confidence = Confidence::low,  // other work may have hidden them
                  .severity = context.sampled_severity(copying / all)};
  if (count > 0) {
    finding.evidence += "; " + format_count(static_cast<int64_t>(count), "copy", "copies");
    if (bytes > 0) finding.evidence += fmt::format(" of {} each on average", format_bytes(bytes / count));
  }
  if (bytes > 0) {
    finding.evidence += fmt::format("; {} in all, most of it {}, at {}", format_bytes(bytes), text_of(most),
                                    format_rate(bytes / (1e9 * copying), "GB/s"));
  }
  finding.evidence += "; whether other work hid them, a database without a trace does not say";
  findings.push_back(std::move(finding));
}

struct StallAdvice {
  std::string_view reason;
  std::string_view advice;
};

constexpr std::array kStallAdvice = {
    StallAdvice{"execution_dependency",
                "Give each thread independent work to interleave (unroll, several accumulators), or the "
                "multiprocessors more warps to switch to"},
    StallAdvice{"memory_dependency",
                "Read less from global memory, or earlier: coalesced accesses, shared memory, more warps to switch to"},
    StallAdvice{"synchronization", "Wait less at barriers: fewer of them, equal work for the warps of a block"},
    StallAdvice{"instruction_fetch",
                "Keep loops in the instruction cache: less inlining and unrolling, fewer branches"},
    StallAdvice{"constant_memory", "Read constants that are the same for all threads of a warp"},
    StallAdvice{"memory_throttle", "Send fewer and wider requests to memory"},
    StallAdvice{"pipe_busy", "Use the busy unit less: fewer conversions and special functions, lower precision"},
};

std::string advice_for(std::string_view reason) {
  for (const StallAdvice& known : kStallAdvice) {
    if (known.reason == reason) return std::string(known.advice);
  }
  return "See what the code there waits for";
}

/// "loops.cu:16 in func2 of kernel main", of a row of stall_places.
std::string place_in(const Table& places, size_t row) {
  const std::string kernel = text_in(places, row, "kernel");
  const std::string function = text_in(places, row, "function");
  const std::string file = text_in(places, row, "file");
  const Cell line = places.cell(row, places.column("line"));
  std::string place = function == kernel || function.empty() ? "kernel " + kernel : function + " of kernel " + kernel;
  if (!file.empty() && std::holds_alternative<int64_t>(line)) {
    place = fmt::format("{}:{} in {}", file.substr(file.rfind('/') + 1), std::get<int64_t>(line), place);
  }
  return place;
}

/// Share of the time between first and last op that the devices were busy; 1 where no timeline says it.
double busy_share(RuleContext& context) {
  if (!context.has_device_ops()) return 1;
  const Table& gpu_time = context.table("gpu_time");
  double busy = 0;
  double span = 0;
  for (const RowView row : gpu_time.rows()) {
    busy += static_cast<double>(std::get<int64_t>(row[gpu_time.column("busy_ns")]));
    span += static_cast<double>(std::get<int64_t>(row[gpu_time.column("span_ns")]));
  }
  return span > 0 ? busy / span : 1;
}

/// One reason that is most of all waiting of instructions, and the line where it shows most.
void find_stalls(RuleContext& context, std::vector<Finding>& findings) {
  constexpr double kMost = 0.5;
  const Table& stalls = context.table("stalls");
  std::map<std::string, double> reasons;
  std::map<std::string, std::string> meanings;
  double all = 0;
  for (size_t row = 0; row < stalls.row_count(); ++row) {
    const std::string reason = text_in(stalls, row, "reason");
    all += number_in(stalls, row, "value");
    reasons[reason] += number_in(stalls, row, "value");
    meanings[reason] = text_in(stalls, row, "about");
  }
  const double sampled = std::max(context.sum_of_metric("GINS"), all);
  for (const auto& [reason, waited] : reasons) {
    // A warp that was not selected was ready: others had work.
    if (!(waited >= kMost * all) || waited <= 0 || reason == "not_selected") continue;
    const double busy = busy_share(context);
    const Table& places = context.table("stall_places");
    size_t most = 0;  // the table begins with what waited most
    while (most < places.row_count() && text_in(places, most, "reason") != reason) ++most;
    if (most == places.row_count()) continue;
    const std::string place = place_in(places, most);
    std::string evidence =
        fmt::format("{}; {} of all waiting of instructions", meanings[reason], format_percent(100 * waited / all));
    if (busy < 1) {
      evidence += fmt::format("; the devices are busy for {} of the time, so that this is {} of the run",
                              format_percent(100 * busy), format_percent(100 * busy * waited / sampled));
    }
    findings.push_back(
        {.rule = "instruction_stalls",
         .title = fmt::format("{} of the sampled time of GPU instructions is waiting of one kind, {}; {} of it at {}",
                              format_percent(100 * waited / sampled), reason,
                              format_percent(100 * number_in(places, most, "value") / waited), place),
         .evidence = std::move(evidence),
         .suggestion = advice_for(reason),
         .command = fmt::format("stall_places --where 'reason = {}'", reason),
         .confidence = Confidence::high,
         .severity = context.sampled_severity(busy * waited / sampled)});
  }
}

/// Names the user's function that costs most, with what works for it, and who calls it. Its name; "" where there is
/// none.
std::string name_hottest_function(RuleContext& context, Finding& finding) {
  constexpr double kSmall = 0.05;  // so little is not worth a beginning: the cost is spread out
  const WorkSums& work = context.work_sums();
  const std::vector<std::string> hottest = work.hottest(&WorkSums::OfFunction::own);
  if (hottest.empty() || !(work.functions.at(hottest[0]).own >= kSmall * work.whole)) return "";
  const WorkSums::OfFunction& most = work.functions.at(hottest[0]);
  finding.title = fmt::format("{} of {} is spent in {}", format_percent(100 * most.own / work.whole),
                              context.sampled_metric(), title_name(hottest[0]));
  std::vector<std::string> facts;
  const std::string helper = largest_name(most.helpers);
  if (!helper.empty() && most.helpers.at(helper) >= kSmall * work.whole) {
    facts.push_back(
        fmt::format("of it {} in {}", format_percent(100 * most.helpers.at(helper) / work.whole), title_name(helper)));
  }
  if (most.inclusive > 1.01 * most.own) {
    facts.push_back(
        fmt::format("{} with the functions that it calls", format_percent(100 * most.inclusive / work.whole)));
  }
  const CallTree& tree = *context.sampled_tree();
  std::vector<std::string> way = way_to(tree, context.sampled_work(), *tree.main_metric, hottest[0]);
  constexpr size_t kShown = 4;
  if (way.size() > kShown) way.erase(way.begin(), way.end() - kShown);
  for (std::string& frame : way) frame = title_name(frame);
  if (way.size() > 1) facts.push_back(fmt::format("most of it at {}", fmt::join(way, " > ")));
  for (size_t i = 1; i < hottest.size() && i < 3; ++i) {
    const double own = work.functions.at(hottest[i]).own;
    if (own >= kSmall * work.whole) {
      facts.push_back(fmt::format("then {} in {}", format_percent(100 * own / work.whole), title_name(hottest[i])));
    }
  }
  finding.evidence = fmt::format("{}", fmt::join(facts, "; "));
  return hottest[0];
}

/// The node of a row of hot_path.
std::optional<NodeIndex> node_in(const Table& path, size_t row) {
  const Cell id = path.cell(row, path.column("id"));
  if (is_absent(id)) return std::nullopt;
  return static_cast<NodeIndex>(std::get<int64_t>(id));
}

/// The mark of an iteration, which holds all that is done, and what engines of JavaScript call a time without work.
bool says_nothing(std::string_view name) {
  const std::string_view mark = kStepMark.substr(0, kStepMark.size() - 1);  // names come without numbers
  return name.starts_with(mark) || name == "(idle)" || name == "(program)";
}

/// Of what the percentages of a path are: a metric, or the time of the threads of a timeline.
std::string whole_of_path(const RuleContext& context) {
  if (context.sampled_tree() != nullptr) return context.sampled_metric();
  std::set<std::pair<size_t, TrackIndex>> threads;
  for (size_t run = 0; run < context.session().runs.size(); ++run) {
    const Timeline& t = context.session().runs[run].timeline;
    for (SliceIndex slice = 0; slice < t.slices.size() && threads.size() < 2; ++slice) {
      if (is_host(t.kind(slice))) threads.emplace(run, t.slices.track[slice]);
    }
  }
  return threads.size() > 1 ? "the time of all threads together" : "the time";
}

/// Nearly all of the main metric is of no region: of a profile that holds the regions that the program marks (Caliper).
std::optional<Finding> outside_of_regions(RuleContext& context) {
  constexpr double kNearlyAll = 0.8;
  const CallTree* tree = context.sampled_tree();
  if (tree == nullptr || tree->nodes.size() < 2) return std::nullopt;
  const bool is_marked = std::ranges::any_of(
      context.session().runs, [](const Run& run) { return recorded_format(run) == "caliper" && run.call_tree; });
  const double whole = inclusive_values(*tree, *tree->main_metric)[0];
  const double outside = exclusive_values(*tree, *tree->main_metric)[0];
  if (!is_marked || !(whole > 0) || !(outside >= kNearlyAll * whole)) return std::nullopt;
  return Finding{
      .rule = "hot_path",
      .title = fmt::format("{} of {} lies outside of all regions", format_percent(100 * outside / whole),
                           context.sampled_metric()),
      .evidence = format_count(static_cast<int64_t>(tree->nodes.size() - 1), "region", "regions") + " beside it",
      .suggestion =
          "Mark more of the program as regions, or sample its call stacks: what takes this time is "
          "not in the profile",
      .command = "hot_path",
      .confidence = Confidence::high};
}

/// Of a timeline without one place where half of the time goes: the function that takes most of it by itself. Whether
/// there is one.
bool name_costliest_by_itself(RuleContext& context, const std::string& whole_words, Finding& finding) {
  constexpr double kSmall = 0.05;
  const Table& functions = context.table("functions");
  const Table& path = context.table("hot_path");
  double whole = 0;  // of all ranks
  for (size_t row = 0; row < path.row_count(); ++row) {
    if (std::get<int64_t>(path.cell(row, path.column("depth"))) == 0) whole += number_in(path, row, "value");
  }
  const auto exclusive =
      std::ranges::find_if(functions.columns, [](const Column& one) { return one.name.ends_with(".exclusive"); });
  if (!(whole > 0) || exclusive == functions.columns.end()) return false;
  std::map<std::string, double> costs;
  for (size_t row = 0; row < functions.row_count(); ++row) {
    const std::string name = text_in(functions, row, "name");
    if (!says_nothing(name)) costs[name] += number_in(functions, row, exclusive->name.c_str());
  }
  std::vector<std::pair<std::string, double>> sorted(costs.begin(), costs.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  if (sorted.empty() || !(sorted[0].second >= kSmall * whole)) return false;
  const auto share = [&](size_t i) { return format_percent(100 * sorted[i].second / whole); };
  finding.title = fmt::format("{} of {} is spent in {} itself", share(0), whole_words, title_name(sorted[0].first));
  std::vector<std::string> facts;
  for (size_t i = 1; i < sorted.size() && i < 3; ++i) {
    if (sorted[i].second >= kSmall * whole)
      facts.push_back(fmt::format("then {} in {}", share(i), title_name(sorted[i].first)));
  }
  finding.evidence = fmt::format("{}", fmt::join(facts, "; "));
  return true;
}

constexpr std::string_view kNotJudged = "The time of this profile is not judged: it has no timeline of device work";

/// Where the cost of a profile lies that no rule judges, so that silence is not taken for praise.
Finding hot_path(RuleContext& context) {
  if (std::optional<Finding> outside = outside_of_regions(context)) return std::move(*outside);
  const std::string whole = whole_of_path(context);
  Finding finding{.rule = "hot_path",
                  .title = std::string(kNotJudged),
                  .evidence = "",
                  .suggestion = "See what the profile holds",
                  .command = "info",
                  .confidence = Confidence::high};
  const Table& path = context.table("hot_path");
  size_t end = 0;  // of the path of the first rank
  while (end + 1 < path.row_count() && std::get<int64_t>(path.cell(end + 1, path.column("depth"))) != 0) ++end;
  if (const std::string hottest = name_hottest_function(context, finding); !hottest.empty()) {
    // A loop or a line of the function says more.
    const std::optional<NodeIndex> place = end > 0 ? node_in(path, end) : std::nullopt;
    const std::optional<CallTree>& tree = context.session().runs.front().call_tree;
    if (place && tree && *place < tree->nodes.size() && is_inside_function(tree->nodes.kind[*place]) &&
        tree->name_of(tree->function_of(*place)) == hottest) {
      finding.evidence += fmt::format("{}hottest place: {} ({})", finding.evidence.empty() ? "" : "; ",
                                      text_in(path, end, "name"), format_percent(number_in(path, end, "pct")));
    }
    finding.suggestion = "Begin with this function, and with those that cost most by themselves";
    finding.command = "hot_path";
  } else if (end > 0 && !says_nothing(text_in(path, end, "name"))) {
    std::vector<std::string> way;
    for (size_t row = end < 3 ? 0 : end - 3; row <= end; ++row) way.push_back(title_name(text_in(path, row, "name")));
    finding.title =
        fmt::format("{} of {} is spent in {}", format_percent(number_in(path, end, "pct")), whole, way.back());
    finding.evidence = fmt::format("{}", fmt::join(way, " > "));
    finding.suggestion =
        communicates(text_in(path, end, "name"))
            ? "See whether the thread that computes waits for it: overlap communication with work, send fewer and larger "
              "messages; a rank that comes late holds up the others"
            : "Begin with the code on this path, and with the functions that cost most by themselves";
    finding.command = "hot_path";
  } else if (!path.empty()) {
    if (!name_costliest_by_itself(context, whole, finding)) {
      finding.title += end > 0
                           ? fmt::format("; {} of {} is in {}, which is no function",
                                         format_percent(number_in(path, end, "pct")), whole, text_in(path, end, "name"))
                           : fmt::format("; no function takes 5 % of {} by itself", whole);
    }
    finding.suggestion = "Begin with the functions that cost most by themselves";
    finding.command = "functions";
  }
  return finding;
}

}  // namespace

void find_sampled(RuleContext& context, std::vector<Finding>& findings) {
  const std::vector<Run>& runs = context.session().runs;
  const auto has_tree = [](const Run& one) { return one.call_tree.has_value(); };
  if (std::any_of(runs.begin(), runs.end(), has_tree)) {
    find_barriers(context, findings);
    if (!context.has_device_ops()) find_counted_copies(context, findings);
    find_stalls(context, findings);
  }
}

void find_hottest_function(RuleContext& context, std::vector<Finding>& findings) {
  const std::vector<Run>& runs = context.session().runs;
  const auto has_launches = [](const Run& one) { return one.launch_metrics.has_value(); };
  const bool judged = context.has_device_ops() || std::any_of(runs.begin(), runs.end(), has_launches);
  const bool speaks = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.gain || finding.severity != Severity::info;
  });
  if (judged || runs.empty()) return;
  Finding hottest = hot_path(context);
  // Beside findings that judge the profile it is no news that a place could not be named.
  const bool names_place = !hottest.title.starts_with(kNotJudged);
  if (!speaks || names_place) findings.push_back(std::move(hottest));
}

}  // namespace cgpu
