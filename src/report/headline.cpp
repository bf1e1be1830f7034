#include "report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/call_tree/host_work.h"
#include "base/ascii.h"
#include "model/lost_file.h"
#include "model/summed_processes.h"
#include "report/cells.h"
#include "report/facts.h"
#include "report/phrases.h"
#include "table/units.h"

namespace cgpu {

namespace {

class Headline {
 public:
  Headline(const Session& session, const Report& report, const Scope& scope)
      : session_(session), report_(report), scope_(scope) {}

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (std::string line : {identity(), has_devices() ? busy() : host(), steps(), ranks(), kernels(), functions(),
                             uneven_work(), mind()}) {
      if (!line.empty()) lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  const Table* find(std::string_view name) const { return report_.find(name); }
  bool has_devices() const { return find("gpu_time") != nullptr; }

  std::string fact(std::string_view key) const {
    const Table* info = find("info");
    if (!info) return "";
    for (const RowView row : info->rows()) {
      if (text_of(*info, row, "key") == key) return text_of(*info, row, "value");
    }
    return "";
  }

  /// What ran where and for how long.
  std::string identity() const {
    if (session_.runs.empty()) return "";
    if (find("launch_metrics") && slices() == 0) return measured();
    if (session_.runs[0].call_tree && slices() == 0) return sampled();
    if (session_.runs[0].op_graph && slices() == 0) return traced();
    if (find("memory") && slices() == 0) return allocated();
    const Run& first = session_.runs[0];
    std::string line;
    if (session_.runs.size() > 1) {
      line = fmt::format("{} ranks ({})", session_.runs.size(), fact("rank_list"));
    } else if (first.rank_known) {
      line = fmt::format("Rank {}", first.rank);
    } else {
      line = "A run";
    }
    if (first.world_size) {
      const bool one_of_them = session_.runs.size() > 1 || first.rank_known;
      line += one_of_them ? fmt::format(" of {}", *first.world_size) : " of " + counted(*first.world_size, "rank");
    }
    const Table* gpu_time = find("gpu_time");
    std::string devices = fact("device_names");
    if (devices.empty()) devices = scope_.device;
    line += gpu_time ? fmt::format(" on {} ({})", counted(static_cast<int64_t>(gpu_time->row_count()), scope_.device),
                                   devices == scope_.device ? "model not recorded" : devices)
                     : " without device work";
    return line + summed() + fmt::format(": {} recorded, {} slices.", format_ns(recorded()), format_count(slices()));
  }

  /// That the figures are sums over what was not one job.
  std::string summed() const {
    int64_t processes = 0;
    int64_t runs = 0;
    for (const Run& run : session_.runs) {
      processes += run.notes.count(kSummedProcesses);
      runs += run.notes.count(kSummedRuns);
    }
    if (runs > 0) return fmt::format(", the sum of {}", counted(runs, "run"));
    return processes > 0 ? fmt::format(", the sum of {}", counted(processes, "process", "processes")) : "";
  }

  /// What a profile of single launches has measured.
  std::string measured() const {
    const Table& launches = *find("launch_metrics");
    const std::string devices = fact("device_names");
    const auto count = static_cast<int64_t>(launches.row_count());
    std::string line = fmt::format("{} measured{} on {}", counted(count, "kernel launch", "kernel launches"),
                                   count == 1 ? "" : " one by one", devices.empty() ? "a " + scope_.device : devices);
    RowView longest = largest_of(launches, "duration_ns");
    if (!has_value(launches, longest, "duration_ns")) return line + ".";
    const std::string name = quoted_name(brief_kernel_name(text_of(launches, longest, "kernel")));
    const std::string most = format_ns(integer_of(launches, longest, "duration_ns"));
    if (count == 1) return line + fmt::format(": {} took {}.", name, most);
    return line + fmt::format(": {} of kernel time, the longest {} ({}).", format_ns(sum_of(launches, "duration_ns")),
                              most, name);
  }

  /// What a profile of call stacks alone is of.
  std::string sampled() const {
    int64_t profiles = 0;
    for (const Run& run : session_.runs) {
      if (run.call_tree) profiles += static_cast<int64_t>(run.call_tree->profiles.size());
    }
    std::string line = "A call tree";
    if (profiles > 0) line += " of " + counted(profiles, "thread");
    const std::string ranks = fact("ranks");
    if (ranks != "1") line += " of " + ranks + " ranks";
    line += summed();
    const CallTree& tree = *session_.runs[0].call_tree;
    if (!tree.main_metric) return line + ", without values.";
    const Metric& metric = tree.metrics[*tree.main_metric];
    Column column;
    column.type = ColumnType::real;
    column.unit = metric.unit;
    const double value = inclusive_value(tree, *tree.main_metric, 0);
    return line + fmt::format(": {} of {}{}.", format_cell(value, column), metric.name,
                              session_.runs.size() > 1 ? " in the first" : "");
  }

  /// What a memory snapshot is of.
  std::string allocated() const {
    const Table& memory = *find("memory");
    const auto devices = static_cast<int64_t>(memory.row_count());
    std::string line = fmt::format("The allocator of {}: {}", counted(devices, "device"),
                                   counted(sum_of(memory, "allocations"), "allocation"));
    const RowView most = largest_of(memory, "peak_allocated_bytes");
    if (!has_value(memory, most, "peak_allocated_bytes")) return line + ".";
    return line + fmt::format(", at most {} in use{}.", format_bytes(integer_of(memory, most, "peak_allocated_bytes")),
                              devices > 1 ? " on one" : "");
  }

  /// What a trace without times holds.
  std::string traced() const {
    size_t nodes = 0;
    for (const Run& run : session_.runs) nodes += run.op_graph ? run.op_graph->nodes.size() : 0;
    const auto ranks = static_cast<int64_t>(session_.runs.size());
    return fmt::format("An execution trace of {}{}, without a timeline.", counted(static_cast<int64_t>(nodes), "node"),
                       ranks > 1 ? " in " + counted(ranks, "rank") : "");
  }

  /// ns from the first start to the last end of the profile.
  int64_t recorded() const {
    const std::string text = fact("span_ns");
    int64_t span = 0;
    std::from_chars(text.data(), text.data() + text.size(), span);
    return span;
  }

  int64_t slices() const {
    int64_t sum = 0;
    for (const Run& run : session_.runs) sum += slice_count(run);
    return sum;
  }

  static constexpr const char* kExposedCommunication = "exposed communication";
  static constexpr const char* kExposedCopies = "exposed copies";

  /// What the devices' time went to, the largest part of it first.
  std::string busy() const {
    const Table& gpu_time = *find("gpu_time");
    const DeviceTime time = device_time(gpu_time);
    if (time.span == 0) return "";
    const bool several = gpu_time.row_count() > 1;
    const std::string who = fmt::format("The {}{}", scope_.device, several ? "s" : "");
    const std::string was = several ? "were" : "was";
    const std::string of = several ? "of their time together"
                                   : fmt::format("of the {} from its first op to its last", format_ns(time.span));
    const auto share = [&](int64_t part) { return share_text(part, time.span); };
    if (!scope_.unknown_utilization.empty()) {
      return fmt::format("{} {} busy for at least {} {}; {}.", who, was, share(time.busy), of,
                         unknown_rest(several, scope_.unknown_utilization));
    }

    const int64_t most = std::max({time.compute, time.exposed_comm, time.exposed_memory, time.idle});
    enum class Part : uint8_t { idle, compute, communication, copies };
    const Part largest = most == time.idle           ? Part::idle
                         : most == time.compute      ? Part::compute
                         : most == time.exposed_comm ? Part::communication
                                                     : Part::copies;
    std::vector<std::string> parts;
    switch (largest) {
      case Part::idle:
        parts = {fmt::format("{} {} idle {} {}{}", who, was, share(most), of, why_idle()), "busy " + share(time.busy)};
        break;
      case Part::compute:
        parts = {fmt::format("{} {} busy {} {}", who, was, share(time.busy), of)};
        break;
      case Part::communication:
      case Part::copies:
        parts = {fmt::format("{} spent {} {} on {}", who, share(most), of,
                             largest == Part::copies ? kExposedCopies : kExposedCommunication),
                 "compute took " + share(time.compute)};
        break;
    }
    if (largest != Part::communication && time.exposed_comm > 0) {
      parts.push_back(fmt::format("{} was {}", share(time.exposed_comm), kExposedCommunication));
    }
    if (largest != Part::copies && time.exposed_memory * 20 > time.span) {
      parts.push_back(fmt::format("{} was {}", share(time.exposed_memory), kExposedCopies));
    }
    if (largest != Part::idle) parts.push_back(time.idle == 0 ? "never idle" : "idle " + share(time.idle) + why_idle());
    return fmt::format("{}.", fmt::join(parts, "; "));
  }

  std::string why_idle() const {
    const Table* idle = find("idle");
    return idle ? ", of that " + largest_shares(idle_causes(*idle), sum_of(*idle, "total_ns"), 3) : "";
  }

  /// The host's time where there is no device.
  std::string host() const {
    const Table* ops = find("ops");
    if (!ops) return "";
    std::vector<NamedTime> own;
    for (const RowView row : ops->rows())
      own.push_back({text_of(*ops, row, "name"), integer_of(*ops, row, "cpu_self_ns")});
    const int64_t whole = sum_of(*ops, "cpu_self_ns");
    if (whole == 0) return "";
    return fmt::format("Framework ops took {} on the host; by own time: {}.", format_ns(whole),
                       largest_shares(own, whole, 3));
  }

  std::string steps() const {
    const Table* steps = find("steps");
    if (!steps) return "";
    const StepFacts facts = step_facts(*steps);
    const auto duration = [&](RowView row) { return format_ns(integer_of(*steps, row, "duration_ns")); };
    std::string line = counted(static_cast<int64_t>(facts.rows.size()), "step");
    line += facts.rows.size() == 1 ? " of " + duration(facts.rows[0])
                                   : fmt::format(" of {} (median; {} to {})", format_ns(facts.median),
                                                 duration(*facts.shortest), duration(*facts.longest));
    return line + ": " + largest_shares(facts.parts, facts.total, 4) + ".";
  }

  /// Which rank the others wait for, where one of them stands out.
  std::string ranks() const {
    const Table* table = find("stragglers");
    if (!table || table->row_count() < 2) return "";
    RowView first = largest_of(*table, "caused_ns");
    const int64_t caused = integer_of(*table, first, "caused_ns");
    const int64_t whole = sum_of(*table, "caused_ns");
    const auto members = static_cast<int64_t>(table->row_count());
    const bool stands_out = caused * members >= 2 * whole && 2 * caused >= whole;
    const bool matters = whole * 100 >= recorded() * members;
    if (!stands_out || !matters) return "";
    const std::string who = capitalized(place_of(*table, first, scope_));
    return fmt::format("{} comes late: of {} that ranks spent waiting in collectives for the last one, {} was for it.",
                       who, format_ns(whole), share_text(caused, whole));
  }

  std::string kernels() const {
    const Table* classes = find("kernel_classes");
    const Table* kernels = find("kernels");
    if (!classes || !kernels) return "";
    const int64_t whole = sum_of(*classes, "total_ns");
    if (whole == 0) return "";
    std::vector<NamedTime> shares;
    for (const RowView row : classes->rows()) {
      shares.push_back({text_of(*classes, row, "class"), integer_of(*classes, row, "total_ns")});
    }
    RowView top = largest_of(*kernels, "total_ns");
    return fmt::format("Device time by class: {}. Top kernel: {}, {}.", largest_shares(shares, whole, 3),
                       quoted_name(brief_kernel_name(text_of(*kernels, top, "name"))),
                       share_text(integer_of(*kernels, top, "total_ns"), whole));
  }

  /// Of sampled hosts, the functions of the program with what runtime and interpreter do for them.
  std::string functions() const {
    if (has_devices()) return "";
    WorkSums work;
    Column whole;
    whole.type = ColumnType::real;
    std::string metric;
    for (const Run& run : session_.runs) {
      if (!run.call_tree || !run.call_tree->main_metric) continue;
      const Metric& main = run.call_tree->metrics[*run.call_tree->main_metric];
      if (!counts_host_time(main)) return "";
      whole.unit = main.unit;
      metric = main.name;
      work.add(*run.call_tree, sampled_work_of(*run.call_tree), *run.call_tree->main_metric);
    }
    if (!(work.whole > 0)) return "";
    std::vector<std::string> parts;
    constexpr size_t kShown = 4;
    for (const std::string& name : work.hottest(&WorkSums::OfFunction::own)) {
      const WorkSums::OfFunction& sums = work.functions.at(name);
      if (parts.size() == kShown || sums.own < 0.01 * work.whole) break;
      std::string part = fmt::format("{} {}", quoted_name(name), share_text(sums.own, work.whole));
      if (sums.inclusive > 1.01 * sums.own) {
        part += fmt::format(" ({} with what it calls)", share_text(std::min(sums.inclusive, work.whole), work.whole));
      }
      parts.push_back(std::move(part));
    }
    if (parts.empty()) return "";
    return fmt::format("Hottest functions of {} of {}: {}.", format_cell(work.whole, whole), metric,
                       fmt::join(parts, ", "));
  }

  /// Whose share of the same work is the largest, where that is a finding.
  std::string uneven_work() const {
    const Table* findings = find("findings");
    if (!findings) return "";
    for (const RowView row : findings->rows()) {
      if (text_of(*findings, row, "rule") == "thread_imbalance") return text_of(*findings, row, "title") + ".";
    }
    return "";
  }

  /// What was lost, and what is so large that it changes how to read the rest.
  std::string mind() const {
    std::vector<std::string> parts;
    std::vector<std::string> codes;
    const auto add = [&](const std::string& code) {
      if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
    };
    int64_t orphans = 0;
    int64_t device_ops = 0;
    for (const Run& run : session_.runs) {
      for (const Note& note : run.notes.all()) {
        if (note.code == kLostFile) {
          parts.push_back(note.text);
        } else if (note.damage || note.code == "credentials_present") {
          add(note.code);
        }
      }
      if (session_.whole || run.notes.count("other_device") > 0) continue;  // its notes count orphans of the whole
      orphans += run.notes.count("orphan_device_op");
      device_ops += device_op_count(run);
    }
    if (!codes.empty()) parts.push_back(listed(codes));
    if (orphans * 20 > device_ops) {
      parts.push_back(
          fmt::format("{} of the device ops have no launch in the profile", share_text(orphans, device_ops)));
    }
    return parts.empty() ? "" : fmt::format("Caveats: {} (see the notes).", fmt::join(parts, "; "));
  }

  const Session& session_;
  const Report& report_;
  const Scope& scope_;
};

}  // namespace

std::vector<std::string> headline_of(const Session& session, const Report& report, const Scope& scope) {
  return Headline(session, report, scope).lines();
}

}  // namespace cgpu
