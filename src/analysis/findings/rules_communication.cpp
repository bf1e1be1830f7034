// Rules about communication of devices that computes nothing beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analysis/findings/rule_context.h"
#include "analysis/ranks/pipelines.h"
#include "analysis/session_clock.h"
#include "links/collective_waits.h"
#include "links/messages.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// By run the communication that does not pass work on from stage to stage.
std::vector<std::unordered_set<SliceIndex>> ops_of_other_collectives(const SessionFacts& facts) {
  std::vector<std::unordered_set<SliceIndex>> ops(facts.session().runs.size());
  for (const CollectiveSeries& series : facts.collectives()) {
    if (passes_work_on(series)) continue;
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) ops[member.run].insert(part.slice);
    }
  }
  return ops;
}

/// One instance of a series that takes by far the most of its time, which is no matter of bandwidth: half of those that
/// move as much or more take far less.
struct LongInstance {
  size_t of = 0;  // instances; 0 where there is none
  int64_t time = 0;
  int64_t usual = 0;   // at most, of half of the others
  int64_t bytes = -1;  // -1 where not recorded
  bool alike = true;   // whether all are equally large

  std::string text() const {
    return fmt::format("one of {} takes {}{}, half of {} at most {}", format_count(static_cast<int64_t>(of)),
                       format_ns(time), alike ? "" : " for " + format_bytes(bytes),
                       alike ? "the others" : "those as large or larger", format_ns(usual));
  }
};

/// On how fast an instance is its fastest rank decides; the others wait in it for that one.
LongInstance long_instance(const CollectiveSeries& series) {
  constexpr size_t kFewest = 3;
  constexpr int64_t kFarLonger = 5;  // times the median
  struct Instance {
    int64_t time = INT64_MAX;
    int64_t bytes = -1;
  };
  std::vector<Instance> instances(series.instances);
  for (const CollectiveMember& member : series.members) {
    for (const CollectivePart part : series.parts_of(member)) {
      Instance& instance = instances[part.instance];
      instance.time = std::min(instance.time, part.duration);
      instance.bytes = std::max(instance.bytes, part.bytes);
    }
  }
  std::erase_if(instances, [](const Instance& one) { return one.time == INT64_MAX; });
  if (instances.size() < kFewest) return {};
  const auto [least, most] = std::ranges::minmax(instances, {}, &Instance::bytes);
  if (least.bytes < 0 && most.bytes >= 0) return {};
  const Instance longest = *std::ranges::max_element(instances, {}, &Instance::time);
  std::vector<int64_t> as_large;
  int64_t all = 0;
  for (const Instance& one : instances) {
    all += one.time;
    if (one.bytes >= longest.bytes) as_large.push_back(one.time);
  }
  if (as_large.size() < kFewest) return {};
  std::ranges::sort(as_large);
  const int64_t median = as_large[as_large.size() / 2];
  if (longest.time < kFarLonger * median || 2 * (longest.time - median) < all) return {};
  return {instances.size(), longest.time, median, longest.bytes, least.bytes == most.bytes};
}

/// What `collectives` says of the one that takes most time, and of all: how fast they move data, and how much is
/// waiting.
struct Collectives {
  int64_t time = 0;
  std::optional<int64_t> wait;  // absent where ranks are missing that would say it
  bool have_rate = false;
  bool are_many_small = false;
  bool is_one_long = false;  // long_instance
  std::string text;
};

Collectives collectives_of(RuleContext& context) {
  const Table& table = context.table("collectives");
  Collectives all;
  const RowView* most = nullptr;
  std::vector<RowView> rows;
  for (const RowView row : table.rows()) rows.push_back(row);
  const auto time_of = [&](const RowView& row) { return std::get<int64_t>(row[table.column("total_ns")]); };
  for (const RowView& row : rows) {
    all.time += time_of(row);
    const Cell wait = row[table.column("wait_ns")];
    if (const auto* ns = std::get_if<int64_t>(&wait)) all.wait = all.wait.value_or(0) + *ns;
    if (most == nullptr || time_of(row) > time_of(*most)) most = &row;
  }
  if (most == nullptr) return all;
  const auto count = std::get<int64_t>((*most)[table.column("count")]);
  const Cell group = (*most)[table.column("group")];
  LongInstance long_one;
  for (const CollectiveSeries& series : context.facts().collectives()) {
    const bool is_most =
        (*most)[table.column("name")] == Cell(series.name) && group == (series.group ? Cell(*series.group) : Cell());
    if (is_most) long_one = long_instance(series);
  }
  all.is_one_long = long_one.of > 0;
  all.text = "; most in " + std::get<std::string>((*most)[table.column("name")]);
  if (!all.is_one_long && group != Cell()) all.text += " of group " + std::get<std::string>(group);
  const auto ranks = std::get<int64_t>((*most)[table.column("ranks")]);
  const Cell bytes = (*most)[table.column("bytes")];
  const auto* sum = std::get_if<int64_t>(&bytes);
  if (sum != nullptr && count > 0) {
    constexpr int64_t kMany = 20;  // in a period
    const auto periods = static_cast<int64_t>(context.judged().periods.size());
    const double small = 2 * context.thresholds().large_message;  // as much latency as transfer
    all.are_many_small = count >= kMany * periods && static_cast<double>(*sum / count) < small;
  }
  if (all.is_one_long) {
    all.text += ": " + long_one.text();
  } else {
    all.text += fmt::format(": {} of {}{} on average", format_count(count),
                            sum != nullptr && count > 0 ? format_bytes(*sum / count) + " each, " : "",
                            format_ns(time_of(*most) / std::max<int64_t>(count * ranks, 1)));
  }
  const Cell algorithm = (*most)[table.column("algo_bandwidth")];
  const Cell bus = (*most)[table.column("bus_bandwidth")];
  if (const auto* rate = std::get_if<double>(&algorithm); rate != nullptr && !all.is_one_long) {
    all.have_rate = true;
    all.text += fmt::format(", at {}", format_rate(*rate, "GB/s"));
    const auto* on_link = std::get_if<double>(&bus);
    all.text +=
        on_link != nullptr && *on_link > 0 ? fmt::format(" ({} on the link)", format_rate(*on_link, "GB/s")) : "";
  }
  if (all.wait && all.time > 0) {
    all.text += fmt::format("; of all {}, {} is waiting for the last rank", format_ns(all.time),
                            format_percent(100 * static_cast<double>(*all.wait) / static_cast<double>(all.time)));
  } else if (context.session().runs.size() == 1) {
    all.text += "; how much of it is waiting for other ranks, only their profiles tell";
  }
  return all;
}

/// Communication of hosts, without waiting for other ranks.
struct HostCommunication {
  int64_t time = 0;  // of all calls
  std::string most;  // the call with the most of it
  std::string text;  // "; most in MPI_Waitall: 160 calls, 900 us each on average"
};

HostCommunication communication_of_hosts(const SessionFacts& facts) {
  struct Calls {
    int64_t count = 0;
    int64_t time = 0;
  };
  std::map<std::string, Calls> calls;
  const auto add = [&](std::string_view name, int64_t time) {
    Calls& of_name = calls[std::string(name)];
    ++of_name.count;
    of_name.time += time;
  };
  for (const Messages::Thread& thread : facts.messages().threads()) {
    const Timeline& t = facts.run(thread.run).timeline;
    for (size_t i = 0; i < thread.messages.waits.size(); ++i) {
      const MessageWait wait = thread.messages.waits[i];
      const std::span<const MessageSender> senders = thread.senders_of(i);
      const int64_t sent = senders.empty() ? wait.until : own_time(facts.run(thread.run), senders.back().start);
      add(t.name(wait.call), wait.end - std::max(wait.start, sent));
    }
  }
  const Session& session = facts.session();
  if (has_common_clock(session)) {
    for (const CollectiveSeries& series : facts.collectives_of_hosts()) {
      const OutOfCoreVector<Arrival> met = arrivals(session, series);
      for_each_wait(
          session, series, met, [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
            add(series.name,
                std::max<int64_t>(part.end() - std::max(part.start, own_time(session.runs[member.run], until)), 0));
          });
    }
  }
  HostCommunication all;
  const auto most = std::ranges::max_element(calls, {}, [](const auto& one) { return one.second.time; });
  if (most == calls.end()) return all;
  for (const auto& [name, of_name] : calls) all.time += of_name.time;
  all.most = most->first;
  all.text = fmt::format("; most in {}: {} calls, {} each on average", most->first, format_count(most->second.count),
                         format_ns(most->second.time / most->second.count));
  return all;
}

constexpr const char* kHideMessages =
    "Let the hosts compute or launch device work while their messages are under way (start them earlier, wait for them "
    "later), send less or fewer and larger messages, pass device memory to MPI itself, or use a faster path between "
    "the nodes";

/// Whether the path says little of what ops waited for: too many of them have no launch in the profile, or the devices
/// wait too long for what is not in it.
bool lacks_dependencies(RuleContext& context) {
  if (context.hides_launches()) return true;
  return context.idle_share_of(removed({IdleCause::dependency, IdleCause::unknown}).removed) >
         context.thresholds().orphans;
}

}  // namespace

void find_communication(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  const PathShare& path = context.path(BoundBy::communication);
  const double noticeable = context.thresholds().noticeable;
  // The waits of the stages of a pipeline are reported as its bubble.
  const bool stages_wait = context.session().runs.size() > 1 && is_pipeline(context.facts());
  // A path that knows little of what ops waited for does not lead through what they waited for.
  const bool by_books =
      context.path_share(BoundBy::communication) < noticeable && !stages_wait && lacks_dependencies(context);
  // What hosts wait for without knowing whom may be messages that take long.
  const int64_t unknown = context.path(IdleCause::other_rank).total;
  const int64_t exposed = by_books ? context.books().exposed_communication() : path.total + unknown;
  if (static_cast<double>(exposed) < noticeable * static_cast<double>(context.measured())) return;
  EdgeTimes::Scenario at_once =
      unknown > 0 ? removed({BoundBy::communication, IdleCause::other_rank}) : removed({BoundBy::communication});
  if (stages_wait) {
    at_once = {};
    at_once.op_factor = [ops = ops_of_other_collectives(context.facts().whole())](size_t number, SliceIndex op) {
      return ops[number].contains(op) ? 0.0 : 1.0;
    };
  }
  const Collectives moved = collectives_of(context);
  const HostCommunication of_hosts = communication_of_hosts(context.facts());
  if (!by_books && of_hosts.time > moved.time) {
    findings.push_back({.rule = "exposed_communication",
                        .title = fmt::format("{} the run waits for communication of the hosts, most in {}",
                                             kShareOfTime, of_hosts.most),
                        .evidence = context.per_step(exposed) + " on the critical path" + of_hosts.text,
                        .suggestion = kHideMessages,
                        .command = "idle_hosts",
                        .confidence = Confidence::medium,
                        .time = path.longest,
                        .remedy = at_once});
    return;
  }
  const bool ranks_are_in_time = moved.wait && 2 * *moved.wait < moved.time;
  const char* reason = !ranks_are_in_time  ? ""
                       : moved.is_one_long ? ": mostly in one collective, not for late ranks"
                       : moved.have_rate   ? ": for the transfers, not for late ranks"
                                           : "";
  const std::string share =
      by_books ? format_percent(100.0 * static_cast<double>(exposed) / static_cast<double>(context.measured())) +
                     " of the time a device only communicates"
               : std::string(kShareOfTime) + " the run waits for exposed communication";
  findings.push_back(
      {.rule = "exposed_communication",
       .title = share + reason,
       .evidence = context.per_step(exposed) +
                   (by_books ? "; what waited for it is not recorded" : " on the critical path") + moved.text,
       .suggestion =
           (moved.is_one_long
                ? std::string("Look what is different in the long one: it sets something up, or waits for "
                              "something outside the profile. ")
                : std::string()) +
           (moved.are_many_small ? std::string("Send fewer and larger messages (larger gradient buckets, several "
                                               "tensors in one call). ")
                                 : std::string()) +
           "Overlap it with computation (gradient buckets, prefetch of sharded parameters, a stream of its own), "
           "send less (larger accumulation, lower precision), or use a faster path between the devices",
       .command = "collectives",
       .confidence = by_books ? Confidence::low : Confidence::medium,
       .shown_by_little = by_books,
       .time = path.longest,
       .remedy = at_once,
       .gain = by_books ? std::optional(std::min(exposed, context.books().most_recoverable(at_once))) : std::nullopt});
}

}  // namespace cgpu
