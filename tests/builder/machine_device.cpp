// The device half of the machine: streams, launches, copies, collectives.
#include <fmt/format.h>

#include "machine.h"

namespace cgpu::builder {

namespace {

int multiprocessors(Era era, Vendor vendor) {
  if (vendor == Vendor::amd) return 304;
  return era == Era::y2021 ? 80 : era == Era::y2024 ? 132 : 148;
}

/// How a collective is called by the program, by the profiler's record, and in 2021 by its kernel.
struct CollectiveNames {
  std::string_view op, annotation, recorded, kernel;
};
CollectiveNames names_of(Collective collective) {
  switch (collective) {
    case Collective::all_gather:
      return {"c10d::_allgather_base_", "nccl:_all_gather_base", "_allgather_base", "allgather"};
    case Collective::reduce_scatter:
      return {"c10d::_reduce_scatter_base_", "nccl:_reduce_scatter_base", "_reduce_scatter_base", "reduce_scatter"};
    case Collective::all_to_all:
      return {"c10d::alltoall_base_", "nccl:all_to_all", "all_to_all", "send_recv"};
    default:
      return {"c10d::allreduce_", "nccl:all_reduce", "allreduce", "allreduce"};
  }
}

std::string list_of(const std::vector<int>& ranks) {
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

}  // namespace

Interval Machine::place(Stream& stream, int64_t earliest, int64_t duration) {
  int64_t start = std::max({earliest, stream.ready, stream.last_end, not_before_});
  // A stream takes a moment between two ops, but not always.
  if (start == stream.last_end && random_.chance(40)) start += random_.between(300, 1'500);
  start += ((stream.slot * tick_ - start) % grain_ + grain_) % grain_;
  stream.last_end = start + grains(duration);
  device_end_ = std::max(device_end_, stream.last_end);
  return {start, stream.last_end};
}

void Machine::wait(Stream& stream, const Stream& other) {
  call(api_.record_event, 900);
  call(api_.wait_event, 1'100);
  stream.ready = std::max(stream.ready, other.last_end + 1'000);
}

std::optional<int64_t> Machine::external_id() const {
  const auto& stack = threads_[static_cast<size_t>(thread_)].stack;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    if (written_kind(*frame) == HostKind::op) return waiting_[frame->waiting].id;
  }
  return std::nullopt;
}

void Machine::write_call(const ApiCall& api, const Interval& when, bool starts, std::string_view kernel) {
  ++correlation_;
  if (books_) books_->call(api.name, when.length());
  if (part_ != Part::device) return;
  const Thread& t = thread();
  const std::optional<int64_t> external = external_id();
  args_.clear();
  if (external && !old_) args_.add("External id", *external);
  if (amd_ && !kernel.empty()) args_.add("kernel", kernel);
  args_.add(amd_ ? "cid" : "cbid", api.number).add("correlation", correlation_);
  if (external && old_) args_.add("external id", *external).add("external ts", when.start / 1000);
  writer_.slice(old_ ? "Runtime" : api.category, api.name, t.row, when.start, when.length(), args_);
  // In 2024 a call that starts nothing carried the end of an arrow without a beginning.
  if (!starts && (options_.era != Era::y2024 || amd_)) return;
  writer_.flow(starts, correlation_, old_ ? "async" : "ac2g", old_ ? "launch" : "ac2g", t.arrow, when.start);
}

void Machine::put(const DeviceWork& work, const Interval& when, size_t stream_index,
                  const std::optional<Launch>& launch) {
  Stream& stream = streams_[stream_index];
  for (Frame& frame : thread().stack) {
    if (!launch || waiting_[frame.waiting].kind != HostKind::annotation) continue;
    auto reach = frame.on_device.begin();
    while (reach != frame.on_device.end() && reach->first != stream_index) ++reach;
    if (reach == frame.on_device.end()) reach = frame.on_device.insert(reach, {stream_index, when});
    reach->second.end = std::max(reach->second.end, when.end);
  }
  if (books_) {
    books_->device_op({when, work.name, work.type, work.kind, stream.id, launch});
    bool innermost = true;
    const auto& stack = thread().stack;
    for (auto frame = stack.rbegin(); launch && frame != stack.rend(); ++frame) {
      const std::string_view name = waiting_[frame->waiting].name;
      if (written_kind(*frame) == HostKind::op) {
        OpTotal& op = books_->op(name);
        op.device_total += when.length();
        op.device_self += innermost ? when.length() : 0;
        innermost = false;
      } else if (written_kind(*frame) == HostKind::annotation) {
        RangeTotal& range = books_->range(name);
        ++range.device_ops;
        range.device_total += when.length();
      }
    }
  }
  if (part_ != Part::device) return;
  const std::optional<int64_t> external = launch ? external_id() : std::nullopt;
  args_.clear();
  if (external && !old_) args_.add("External id", *external);
  if (work.type == OpType::kernel && !amd_) args_.add("queued", 0);
  args_.add("device", device_of(rank_));
  if (!amd_) args_.add("context", 1);
  args_.add("stream", stream.id).add("correlation", correlation_);
  if (external && old_) args_.add("external id", *external);
  args_.splice(work.args);
  writer_.slice(work.category, work.name, stream.row, when.start, when.length(), args_);
  if (launch) {
    writer_.flow(false, correlation_, old_ ? "async" : "ac2g", old_ ? "launch" : "ac2g", stream.row, when.start);
  }
}

const std::string& Machine::shape_of(const KernelSpec& kernel) {
  std::string& text = shapes_[&kernel];
  if (!text.empty()) return text;
  const std::string grid = fmt::format("[{}, 1, 1]", kernel.grid);
  const std::string block = fmt::format("[{}, 1, 1]", kernel.block);
  Members members;
  if (amd_) {
    members.add("kind", "Dispatch Kernel").raw("grid", grid).raw("block", block);
  } else {
    const double blocks = static_cast<double>(kernel.grid) / multiprocessors(options_.era, options_.vendor);
    members.add("registers per thread", kernel.registers).add("shared memory", kernel.shared);
    members.raw("blocks per SM", fmt::format("{:.6f}", blocks));
    members.raw("warps per SM", fmt::format("{:.6f}", blocks * kernel.block / 32));
    members.raw("grid", grid).raw("block", block);
    members.add("est. achieved occupancy %",
                std::min<int64_t>(100, static_cast<int64_t>(blocks * kernel.block * 100 / 2048)));
    if (options_.era == Era::y2026) members.add("priority", 0);
  }
  return text = members.text();
}

Interval Machine::launch(const KernelSpec& kernel, Stream& stream, int64_t earliest, int64_t call_ns) {
  const ApiCall api = launching_call(kernel.api, options_.era, options_.vendor);
  const Interval call = spend(call_ns > 0 ? call_ns : random_.between(3'000, 7'000));
  write_call(api, call, true, kernel.name);
  const int64_t arrives = call.start + random_.between(2'500, 6'000);
  const Interval when = place(stream, std::max(arrives, earliest), kernel.duration * random_.between(85, 115) / 100);
  put({OpType::kernel, Kind::compute, kernel.name, old_ ? "Kernel" : "kernel", shape_of(kernel)}, when,
      index_of(stream), launch_of(api, call));
  return when;
}

void Machine::launch_graph(const std::vector<const KernelSpec*>& kernels, Stream& stream) {
  const ApiCall& api = api_.graph;
  const Interval call = spend(random_.between(20'000, 60'000));
  write_call(api, call, true);
  Launch launch = launch_of(api, call);
  int64_t node = 0;
  for (const KernelSpec* kernel : kernels) {
    const Interval when = place(stream, call.start + 8'000, kernel->duration * random_.between(85, 115) / 100);
    std::string shape = shape_of(*kernel);
    if (options_.era == Era::y2026 && !amd_) shape += fmt::format(", \"graph id\": 1, \"graph node id\": {}", ++node);
    put({OpType::kernel, Kind::compute, kernel->name, "kernel", shape}, when, index_of(stream), launch);
    launch.first = false;
  }
}

void Machine::put_copy(Direction direction, bool pinned, int64_t bytes, Stream& stream, const Interval& when,
                       const Launch& launch) {
  const char* kind = direction == Direction::HtoD ? "HtoD" : direction == Direction::DtoH ? "DtoH" : "DtoD";
  const char* host = amd_ ? "Host" : pinned ? "Pinned" : "Pageable";
  const char* from = direction == Direction::HtoD ? host : "Device";
  const char* to = direction == Direction::DtoH ? host : "Device";
  const std::string_view name = intern(fmt::format("Memcpy {} ({} -> {})", kind, from, to));
  Members args;
  if (amd_) args.add("kind", kind);
  args.add("bytes", bytes);
  args.raw("memory bandwidth (GB/s)",
           fmt::format("{}", static_cast<double>(bytes) / static_cast<double>(when.length())));
  put({OpType::memcpy, Kind::memory, name, old_ ? "Memcpy" : "gpu_memcpy", args.text()}, when, index_of(stream),
      launch);
  if (books_) {
    const char* host_kind = amd_ ? "host" : pinned ? "pinned" : "pageable";
    books_->transfer(kind, direction == Direction::HtoD ? host_kind : "device",
                     direction == Direction::DtoH ? host_kind : "device", bytes, when.length());
  }
}

void Machine::copy(Direction direction, bool pinned, int64_t bytes, Stream& stream) {
  const ApiCall& api = api_.copy_async;
  const Interval call = spend(random_.between(4'000, 9'000));
  write_call(api, call, true);
  // About 24 GB/s over the bus, 1 TB/s within the device.
  const int64_t duration = 1'200 + bytes / (direction == Direction::DtoD ? 1000 : 24);
  // Pageable memory is staged by the call; a copy that ran before it returned would have held the thread.
  const bool staged = !pinned && direction != Direction::DtoD;
  const int64_t arrives = call.start + random_.between(2'500, 6'000);
  const Interval when = place(stream, staged ? std::max(arrives, call.end) : arrives, duration);
  put_copy(direction, pinned, bytes, stream, when, launch_of(api, call));
}

Interval Machine::copy_blocking(int64_t bytes, Stream& stream, int64_t earliest) {
  const ApiCall& api = api_.copy;
  Thread& t = thread();
  const std::optional<Cause> before = t.cause;
  const Interval when = place(stream, std::max(earliest, now_ + 5'000), 1'200 + bytes / 12);
  const Interval call{now_, when.end + ticks(random_.between(1'000, 3'000))};
  change_cause(t, Cause::blocking_copy);
  now_ = call.end;
  change_cause(t, before);
  now_ += tick_;
  write_call(api, call, true);
  Launch launch = launch_of(api, call);
  launch.blocking_copy = true;
  put_copy(Direction::HtoD, false, bytes, stream, when, launch);
  return when;
}

void Machine::set(int64_t bytes, Stream& stream) {
  const ApiCall& api = api_.set_async;
  const Interval call = spend(random_.between(3'000, 6'000));
  write_call(api, call, true);
  const Interval when = place(stream, call.start + random_.between(2'500, 6'000), 1'000 + bytes / 1200);
  Members args;
  if (amd_) {
    args.add("kind", "Device");  // and no bytes
  } else {
    args.add("bytes", bytes);
    args.raw("memory bandwidth (GB/s)",
             fmt::format("{}", static_cast<double>(bytes) / static_cast<double>(when.length())));
  }
  put({OpType::memset, Kind::memory, "Memset (Device)", old_ ? "Memset" : "gpu_memset", args.text()}, when,
      index_of(stream), launch_of(api, call));
  if (books_) {
    books_->transfer("Memset", "", "device", amd_ ? std::nullopt : std::optional(bytes), when.length());
  }
}

Interval Machine::orphan(const KernelSpec& kernel, Stream& stream, int64_t earliest) {
  ++correlation_;
  const Interval when = place(stream, earliest, kernel.duration);
  put({OpType::kernel, Kind::compute, kernel.name, old_ ? "Kernel" : "kernel", shape_of(kernel)}, when,
      index_of(stream), std::nullopt);
  return when;
}

void Machine::lost_launch() {
  write_call(launching_call(Api::runtime, options_.era, options_.vendor), spend(4'000), true, "lost_kernel()");
}

void Machine::collective(Collective collective, int64_t elements, size_t group) {
  const CollectiveNames names = names_of(collective);
  const Communicator& communicator = ranks_.groups()[group];
  const auto size = static_cast<int64_t>(communicator.ranks.size());
  const bool sums = collective == Collective::all_reduce;
  const int64_t in = elements * (collective == Collective::reduce_scatter ? size : 1);
  const int64_t out = elements * (collective == Collective::all_gather ? size : 1);
  const int64_t bytes = std::max(in, out) * (sums ? 4 : 2);

  Members args;
  args.add("Collective name", names.recorded).add("In msg nelems", in).add("Out msg nelems", out);
  args.add("Group size", size).add("dtype", sums ? "Float" : "BFloat16");
  args.add("In split size", "[]").add("Out split size", "[]").add("Process Group Name", communicator.name);
  args.add("Process Group Description", communicator.description);
  args.add("Process Group Ranks", list_of(communicator.ranks));
  HostSlice record{.name = "record_param_comms"};
  if (!old_) record.extra = args.text();

  open({.name = names.op});
  work(1'500);
  open(std::move(record));
  open({.kind = HostKind::annotation, .name = names.annotation});
  wait(collective_stream(), main_stream());
  const KernelSpec& kernel = collective_kernels_[static_cast<size_t>(collective)];
  const ApiCall api = launching_call(kernel.api, options_.era, options_.vendor);
  const Interval call = spend(random_.between(5'000, 9'000));
  write_call(api, call, true, kernel.name);

  // All ranks end together; how long the last one takes follows from the size and the instance.
  Stream& stream = collective_stream();
  const int64_t instance = collectives_run_[group]++;
  Random dice(mix(options_.seed + group, static_cast<uint64_t>(instance)));
  const int64_t shortest = grains((15'000 + bytes / 150) * dice.between(90, 110) / 100);
  Interval when = place(stream, call.start + random_.between(2'500, 6'000), shortest);
  const int64_t latest = ranks_.latest(group, when.start);
  when.end = latest + shortest;
  stream.last_end = when.end;
  device_end_ = std::max(device_end_, when.end);

  const std::string shape = shape_of(kernel) + (old_ ? "" : ", " + args.text());
  put({OpType::kernel, Kind::communication, kernel.name, old_ ? "Kernel" : "kernel", shape}, when, index_of(stream),
      launch_of(api, call));
  if (books_) {
    CollectiveTotal one;
    one.count = 1;
    one.bytes = old_ ? 0 : bytes;
    one.total = when.length();
    one.shortest = shortest;
    one.wait = latest - when.start;
    books_->collective(std::string(old_ ? names.kernel : names.recorded), old_ ? "" : communicator.name, one);
  }
  close();
  close();
  work(800);
  close();
}

}  // namespace cgpu::builder
