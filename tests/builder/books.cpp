#include "books.h"

namespace cgpu::builder {

namespace {

constexpr std::string_view kCauseNames[kCauses] = {
    "synchronization",    "blocking_copy", "data_loading", "allocation",      "module_load",
    "garbage_collection", "lock",          "host_code",    "launch_overhead", "dependency",
    "profiler_overhead",  "unknown"};
constexpr int64_t kKernelWait = 30'000;  // ns, idle_streams

}  // namespace

std::string_view text_of(Cause cause) {
  return kCauseNames[static_cast<size_t>(cause)];
}

std::optional<Cause> cause_of(std::string_view text) {
  for (size_t i = 0; i < kCauses; ++i) {
    if (kCauseNames[i] == text) return static_cast<Cause>(i);
  }
  return std::nullopt;
}

void Books::busy_with(int thread, Cause cause, const Interval& when) {
  if (when.length() > 0) causes_[static_cast<size_t>(thread)].push_back({when, cause});
}

void Books::planted(Cause cause, int64_t duration) {
  IdleTotal& row = plan[static_cast<size_t>(cause)];
  ++row.count;
  row.total += duration;
  row.max = std::max(row.max, duration);
}

void Books::memory(int device, int64_t bytes, std::optional<int64_t> allocated, std::optional<int64_t> reserved) {
  MemoryTotal& row = memories[device];
  row.allocations += bytes > 0;
  // An absent value is less than any other.
  row.peak_allocated = std::max(row.peak_allocated, allocated);
  row.peak_reserved = std::max(row.peak_reserved, reserved);
}

void Books::transfer(const char* kind, const char* source, const char* destination, std::optional<int64_t> bytes,
                     int64_t duration) {
  Transfer& row = transfers[{kind, source, destination}];
  row.kind = kind;
  row.source = source;
  row.destination = destination;
  if (bytes) row.bytes = row.bytes.value_or(0) + *bytes;
  row.total += duration;
  ++row.count;
}

void Books::collective(const std::string& name, const std::string& group, const CollectiveTotal& one) {
  CollectiveTotal& row = collectives[{name, group}];
  row.count += one.count;
  row.bytes += one.bytes;
  row.total += one.total;
  row.shortest += one.shortest;
  row.wait += one.wait;
  row.ranks += row.ranks == 0;
}

void Books::settle(int64_t time) {
  std::sort(pending_.begin(), pending_.end(),
            [](const DeviceOp& a, const DeviceOp& b) { return a.when.start < b.when.start; });
  size_t n = 0;
  while (n < pending_.size() && pending_[n].when.start < time) enter(pending_[n++]);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(n));
  // A later gap begins where the device falls idle, so what ended before that has been used up.
  for (std::vector<Doing>& thread : causes_) {
    const auto old = [&](const Doing& doing) { return doing.when.end <= all.end; };
    thread.erase(std::remove_if(thread.begin(), thread.end(), old), thread.end());
  }
}

void Books::enter(const DeviceOp& op) {
  StreamTotal& stream = streams[op.stream];
  if (!first_start) first_start = op.when.start;
  if (all.end != INT64_MIN && op.when.start > all.end) gap({all.end, op.when.start}, op);

  if (stream.count > 0 && op.when.start > stream.last) {
    const int64_t length = op.when.start - stream.last;
    const bool host = op.launch && op.launch->call.start > stream.last;
    IdleTotal& wait = stream.waits[host ? "host_wait" : length < kKernelWait ? "kernel_wait" : "other"];
    ++wait.count;
    wait.total += length;
    wait.max = std::max(wait.max, length);
  }
  if (stream.count++ == 0) stream.first = op.when.start;
  stream.busy.add(op.when);
  stream.last = std::max(stream.last, op.when.end);

  all.add(op.when);
  if (op.kind == Kind::compute) compute.add(op.when);
  if (op.kind == Kind::communication) communication.add(op.when);
  if (op.kind == Kind::memory) memory_ops.add(op.when);
  if (op.kind != Kind::memory) compute_or_communication.add(op.when);

  ++op_types[static_cast<size_t>(op.type)];
  if (op.type == OpType::kernel) entry(kernels, op.name).add(op.when.length());
  if (!op.launch) {
    ++orphans;
    return;
  }
  if (op.launch->first) {
    LaunchTotal& launch = entry(launches, op.launch->name);
    const int64_t delay = std::max<int64_t>(0, op.when.start - op.launch->call.end);
    launch.cpu.add(op.launch->call.length());
    launch.delay += delay;
    launch.delay_max = std::max(launch.delay_max, delay);
  }
  count_step(op);
}

void Books::gap(const Interval& gap, const DeviceOp& waking) {
  std::array<int64_t, kCauses> part{};
  const auto give = [&](Cause cause, int64_t from, int64_t to) {
    part[static_cast<size_t>(cause)] += std::max<int64_t>(0, to - from);
  };
  if (!waking.launch) {
    give(Cause::unknown, gap.start, gap.end);
  } else {
    const Interval& call = waking.launch->call;
    // Before the call: what the thread was busy with; the rest is plain host code.
    const int64_t until = std::clamp(call.start, gap.start, gap.end);
    int64_t named = 0;
    for (const Doing& doing : causes_[static_cast<size_t>(waking.launch->thread)]) {
      const Interval cut{std::max(doing.when.start, gap.start), std::min(doing.when.end, until)};
      give(doing.cause, cut.start, cut.end);
      named += std::max<int64_t>(0, cut.length());
    }
    part[static_cast<size_t>(Cause::host_code)] += until - gap.start - named;
    // During the call.
    const int64_t returned = std::clamp(call.end, until, gap.end);
    give(waking.launch->blocking_copy ? Cause::blocking_copy : Cause::launch_overhead, until, returned);
    // After the call.
    const bool queued = call.end <= gap.start;
    const bool own_stream = streams[waking.stream].last == gap.start;
    const bool starting = (!queued || own_stream) && gap.end - returned < 30'000;
    give(starting ? Cause::launch_overhead : Cause::dependency, returned, gap.end);
  }
  for (size_t i = 0; i < kCauses; ++i) {
    if (part[i] == 0) continue;
    ++idle[i].count;
    idle[i].total += part[i];
    idle[i].max = std::max(idle[i].max, part[i]);
  }
  idle_total += gap.length();
}

void Books::count_step(const DeviceOp& op) {
  // The newest marks are the likely ones.
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (op.launch->call.start >= step->mark.end) return;
    if (op.launch->call.start < step->mark.start) continue;
    step->device_end = std::max(step->device_end, op.when.end);
    ++step->device_ops;
    return;
  }
}

}  // namespace cgpu::builder
