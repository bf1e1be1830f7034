#include "machine.h"

#include <fmt/format.h>

namespace cgpu::builder {

namespace {

constexpr int64_t kMegabyte = 1 << 20;

}  // namespace

int64_t base_time(Era era) {
  return era == Era::y2021 ? 0 : era == Era::y2024 ? 1'711'964'646'000'000'000 : 1'767'189'312'000'000'000;
}
int64_t start_of_run(Era era) {
  return era == Era::y2021   ? 1'623'212'388'426'000'000
         : era == Era::y2024 ? 4'458'676'388'068'751
                             : 1'365'627'862'757'064;
}
int process_of(int rank) {
  return 4711 + 17 * rank;
}
int device_of(int rank) {
  return rank % 8;
}

ApiNames api_names(Vendor vendor) {
  if (vendor == Vendor::amd) {
    return {{"hipMalloc", 271},
            {"hipModuleLoadData", 293},
            {"hipGetDevicePropertiesR0600", 164},
            {"hipEventRecord", 126},
            {"hipStreamWaitEvent", 415},
            {"hipMemcpyWithStream", 352},
            {"hipMemcpyAsync", 318},
            {"hipMemsetAsync", 357},
            {"hipDeviceSynchronize", 88},
            {"hipStreamSynchronize", 413},
            {"hipGraphLaunch", 217}};
  }
  return {{"cudaMalloc", 20},
          {"cuModuleLoadDataEx", 43, "cuda_driver"},
          {"cudaStreamIsCapturing", 317},
          {"cudaEventRecord", 135},
          {"cudaStreamWaitEvent", 147},
          {"cudaMemcpy", 31},
          {"cudaMemcpyAsync", 41},
          {"cudaMemsetAsync", 51},
          {"cudaDeviceSynchronize", 165},
          {"cudaStreamSynchronize", 131},
          {"cudaGraphLaunch", 311}};
}

ApiCall launching_call(Api api, Era era, Vendor vendor) {
  if (vendor == Vendor::amd) {
    if (api == Api::runtime) return {"hipLaunchKernel", 107};
    return api == Api::driver ? ApiCall{"hipModuleLaunchKernel", 292} : ApiCall{"hipExtModuleLaunchKernel", 130};
  }
  if (era == Era::y2021 || api == Api::runtime) return {"cudaLaunchKernel", 211};
  return api == Api::driver ? ApiCall{"cuLaunchKernelEx", 652, "cuda_driver"} : ApiCall{"cudaLaunchKernelExC", 430};
}

Machine::Machine(const Options& options, int rank, Rendezvous& ranks, Part part, KinetoWriter& writer, Books* books)
    : options_(options),
      api_(api_names(options.vendor)),
      rank_(rank),
      ranks_(ranks),
      part_(part),
      writer_(writer),
      books_(books),
      old_(options.era == Era::y2021),
      amd_(options.vendor == Vendor::amd),
      tick_(old_ ? 1000 : 1),
      grain_(0),
      random_(mix(options.seed, static_cast<uint64_t>(rank))),
      now_(start_of_run(options.era)),
      collectives_run_(ranks.groups().size()) {
  const std::string process = std::to_string(process_of(rank));
  const char* quote = old_ ? "\"" : "";
  for (int i = 0; i < kThreads; ++i) {
    const int id = process_of(rank) + (i == kMain ? 0 : 100 + i);
    threads_.push_back({{process, fmt::format("{0}{1}{0}", quote, id)}, {process, std::to_string(id)}, {}, {}, 0});
  }
  const int count = std::max(1, options.streams) + 1;
  for (int i = 0; i < count; ++i) {
    const int64_t id = amd_ ? i : i == 0 ? 7 : 9 + 4 * i;
    streams_.push_back(
        {{std::to_string(device_of(rank)), old_ ? fmt::format("\"stream {}\"", id) : std::to_string(id)}, id, i, 0, 0});
  }
  grain_ = tick_ * count;
  for (const Collective collective : {Collective::none, Collective::all_reduce, Collective::all_gather,
                                      Collective::reduce_scatter, Collective::all_to_all}) {
    collective_kernels_.push_back(
        {collective_kernel(collective, options.era, options.vendor), 0, 24, 544, 96, 87'568, Api::runtime_ex});
  }
  // The ranks do not begin together.
  work(random_.between(1'000, 200'000));
}

void Machine::work_until(int64_t time) {
  now_ = std::max(now_, time + (tick_ - time % tick_) % tick_);
}

std::vector<Row> Machine::host_rows() const {
  std::vector<Row> rows;
  for (const Thread& thread : threads_) rows.push_back(thread.row);
  return rows;
}

void Machine::change_cause(Thread& thread, std::optional<Cause> cause) {
  if (books_ && thread.cause) {
    books_->busy_with(static_cast<int>(&thread - threads_.data()), *thread.cause, {thread.cause_since, now_});
  }
  thread.cause = cause;
  thread.cause_since = now_;
}

void Machine::open(HostSlice slice) {
  Thread& t = thread();
  slice.thread = thread_;
  slice.index = event_index_++;
  slice.when = {now_, now_};
  if (slice.kind == HostKind::python) {
    slice.id = ++python_;
    for (const Frame& frame : t.stack) {
      if (waiting_[frame.waiting].kind == HostKind::python) slice.parent = waiting_[frame.waiting].id;
    }
  } else {
    slice.id = ++external_;
  }
  Frame frame;
  frame.waiting = waiting_.size();
  frame.cause_before = t.cause;
  if (slice.cause) change_cause(t, slice.cause);
  t.stack.push_back(std::move(frame));
  waiting_.push_back(std::move(slice));
  now_ += tick_;
}

Interval Machine::close() {
  Thread& t = thread();
  const Frame frame = std::move(t.stack.back());
  t.stack.pop_back();
  HostSlice& slice = waiting_[frame.waiting];
  slice.when.end = now_;
  if (slice.cause) change_cause(t, frame.cause_before);
  total_up(frame);
  write_annotation(frame);
  now_ += tick_;
  return slice.when;
}

void Machine::total_up(const Frame& frame) {
  const HostSlice& slice = waiting_[frame.waiting];
  const std::optional<HostKind> kind = written_kind(slice);
  const int64_t duration = slice.when.length();
  if (kind == HostKind::op) {
    auto& stack = threads_[static_cast<size_t>(slice.thread)].stack;
    for (auto parent = stack.rbegin(); parent != stack.rend(); ++parent) {
      if (written_kind(*parent) != HostKind::op) continue;
      parent->child_ops += duration;
      break;
    }
  }
  if (!books_) return;
  if (kind == HostKind::op) {
    OpTotal& total = books_->op(slice.name);
    ++total.count;
    total.cpu_total += duration;
    total.cpu_self += duration - frame.child_ops;
  } else if (kind == HostKind::annotation) {
    RangeTotal& total = books_->range(slice.name);
    ++total.count;
    total.total += duration;
  }
}

void Machine::beside(HostSlice slice, int thread, int64_t start) {
  slice.thread = thread;
  slice.index = event_index_++;
  slice.id = slice.kind == HostKind::python ? ++python_ : ++external_;
  slice.when = {start, now_};
  Frame frame;
  frame.waiting = waiting_.size();
  waiting_.push_back(std::move(slice));
  total_up(frame);
  now_ += tick_;
}

Interval Machine::spend(int64_t ns) {
  const Interval when{now_, now_ + ticks(ns)};
  now_ = when.end + tick_;
  return when;
}

void Machine::call(const ApiCall& api, int64_t ns, std::optional<Cause> cause) {
  Thread& t = thread();
  const std::optional<Cause> before = t.cause;
  if (cause) change_cause(t, cause);
  const Interval when{now_, now_ + ticks(ns)};
  now_ = when.end;
  if (cause) change_cause(t, before);
  now_ += tick_;
  write_call(api, when, false);
}

void Machine::synchronize(const Stream* stream) {
  const int64_t done = stream ? stream->last_end : device_end_;
  const int64_t start = now_;
  const int64_t end = std::max(start + ticks(1'500), done + ticks(random_.between(1'500, 4'000)));
  call(stream ? api_.synchronize_stream : api_.synchronize, end - start, Cause::synchronization);
  if (!stream || options_.era != Era::y2026 || amd_ || part_ != Part::device) return;
  args_.clear().add("cuda_sync_kind", "Stream Sync").add("stream", stream->id).add("correlation", correlation_);
  args_.add("device", device_of(rank_)).add("context", 1);
  const Row row{stream->row.pid, std::to_string(stream->id + 1'000'000)};
  writer_.slice("cuda_sync", "Stream Sync", row, start, end - start, args_);
}

void Machine::overhead(int64_t until) {
  const int64_t start = now_;
  std::vector<std::optional<Cause>> before;
  for (Thread& t : threads_) {
    before.push_back(t.cause);
    change_cause(t, Cause::profiler_overhead);
  }
  work_until(until);
  for (size_t i = 0; i < threads_.size(); ++i) change_cause(threads_[i], before[i]);
  if (part_ == Part::device) {
    writer_.slice("overhead", "Activity Buffer Request", {"-1", "0"}, start, now_ - start, args_.clear());
  }
  now_ += tick_;
}

void Machine::memory(int64_t bytes) {
  allocated_ += bytes;
  reserved_ = std::max(reserved_, (allocated_ + 20 * kMegabyte - 1) / (20 * kMegabyte) * 20 * kMegabyte);
  write_memory(bytes, 0x7f10'0000'0000 + allocated_, device_of(rank_), allocated_, reserved_);
}

void Machine::host_memory(int64_t bytes) {
  host_allocated_ += bytes;
  write_memory(bytes, 0x5580'0000'0000 + host_allocated_, -1, host_allocated_, 0);
}

void Machine::write_memory(int64_t bytes, int64_t address, int device, int64_t allocated, int64_t reserved) {
  if (books_) {
    const auto total = [&](int64_t value) { return old_ ? std::nullopt : std::optional(value); };
    books_->memory(device, bytes, total(allocated), total(reserved));
  }
  ++event_index_;
  if (part_ == Part::python_and_memory) {
    args_.clear();
    if (!old_) args_.add("Total Reserved", reserved).add("Total Allocated", allocated);
    args_.add("Bytes", bytes);
    if (!old_) args_.add("Addr", address);
    args_.add("Device Id", device).add("Device Type", device < 0 ? 0 : 1);
    if (!old_) args_.add("Ev Idx", event_index_);
    writer_.memory(old_ ? "" : "cpu_instant_event", thread().arrow, now_, args_);
  }
  now_ += tick_;
}

std::optional<HostKind> Machine::written_kind(const HostSlice& slice) const {
  if (!old_) return slice.kind;
  // Before 2022 everything that the framework recorded was an op, and Python frames were not recorded.
  if (slice.kind == HostKind::python && !slice.cause) return std::nullopt;
  const auto begins = [&](std::string_view with) { return slice.name.substr(0, with.size()) == with; };
  const bool range = begins("ProfilerStep#") || begins("Optimizer.") || begins("enumerate(DataLoader)");
  return range ? HostKind::annotation : HostKind::op;
}

void Machine::write(const HostSlice& slice) {
  const std::optional<HostKind> kind = written_kind(slice);
  if (!kind || (part_ == Part::ops) != (kind != HostKind::python)) return;
  const Thread& t = threads_[static_cast<size_t>(slice.thread)];
  args_.clear();
  if (kind == HostKind::python) {
    if (slice.parent > 0) {
      args_.add("Python parent id", slice.parent);
    } else {
      args_.raw("Python parent id", "null");
    }
    args_.add("Python id", slice.id).add("Ev Idx", slice.index);
    writer_.slice("python_function", slice.name, t.row, slice.when.start, slice.when.length(), args_);
    return;
  }
  if (old_) {
    args_.add("Device", process_of(rank_)).add("External id", slice.id);
    args_.add("Trace name", "PyTorch Profiler").add("Trace iteration", 0);
  } else {
    args_.add("External id", slice.id).add("Record function id", 0);
  }
  args_.splice(slice.extra);
  if (slice.sequence >= 0) {
    args_.add("Sequence number", slice.sequence).add("Fwd thread id", slice.backward ? 1 : 0);
  }
  if (!slice.dims.empty()) args_.raw("Input type", slice.types).raw("Input Dims", slice.dims);
  if (!old_) args_.add("Ev Idx", slice.index);
  const std::string_view category = old_ ? "Operator" : kind == HostKind::op ? "cpu_op" : "user_annotation";
  writer_.slice(category, slice.name, t.row, slice.when.start, slice.when.length(), args_);
  if (slice.flow) {
    const std::string_view flow = old_ ? "forward_backward" : "fwdbwd";
    writer_.flow(!slice.backward, slice.sequence, flow, flow, t.arrow, slice.when.start);
  }
}

void Machine::write_annotation(const Frame& frame) {
  const HostSlice& slice = waiting_[frame.waiting];
  if (old_ || slice.kind != HostKind::annotation || part_ != Part::device) return;
  for (const auto& [stream, reach] : frame.on_device) {
    args_.clear().add("External id", slice.id);
    // The profiler widens these by a nanosecond on either side.
    writer_.slice("gpu_user_annotation", slice.name, streams_[stream].row, reach.start - 1, reach.length() + 2, args_);
  }
}

void Machine::step(int64_t number, const Interval& mark) {
  if (books_) books_->step(number, mark);
}

void Machine::planted(Cause cause, int64_t ns) {
  if (books_) books_->planted(cause, ns);
}

void Machine::flush() {
  if (part_ != Part::device) {
    for (const HostSlice& slice : waiting_) write(slice);
  }
  waiting_.clear();
  if (books_) books_->settle(now_);
}

}  // namespace cgpu::builder
