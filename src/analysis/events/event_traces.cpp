// Tables of single events in order of time: `api_trace`, `device_trace`, `launch_trace`. An event costs 8 bytes, O(n
// log r) where the slices come in r sorted runs.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/events/event_trace.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/launch_origins.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

class ApiTrace final : public EventTrace {
 public:
  explicit ApiTrace(const SessionFacts& facts) : EventTrace(facts) {
    for (size_t run = 0; run < runs(); ++run) {
      for (SliceIndex slice = 0; slice < timeline(run).slices.size(); ++slice) {
        if (is_call(timeline(run).kind(slice)) && is_plausible(timeline(run), slice)) add(run, slice);
      }
    }
    order_by_start([&](EventPlace call) { return timeline(call.run).slices.start[call.event]; });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "length"),
            key_column("name", "name of the call"),
            number_column("correlation", "number that it shares with what it launched; absent where not recorded"),
            text_column("process", "process, as the profile says"),
            text_column("thread", "thread"),
            text_column("thread_name", "name of the thread; absent where it has none"),
            slice_column("its")};
  }

 private:
  enum : size_t { kRank, kStart, kDuration, kName, kCorrelation, kProcess, kThread, kThreadName };

  ColumnValues values_at(size_t column, const EventPlaces& calls) const override {
    switch (column) {
      case kRank:
        return columns().rank(calls);
      case kStart:
        return columns().start(calls);
      case kDuration:
        return columns().duration(calls);
      case kName:
        return columns().name(calls);
      case kCorrelation:
        return columns().correlation(calls);
      case kProcess:
        return columns().process(calls);
      case kThread:
        return columns().thread(calls);
      case kThreadName:
        return columns().thread_name(calls);
      default:
        return columns().number(calls);
    }
  }
};

Column origin_column(LaunchOrigin origin) {
  return text_column(text_of(origin), about_of(origin));
}

/// Where device ops were launched from, in one dictionary over the runs. Filled when it is first asked.
class OriginTexts {
 public:
  OriginTexts(const SessionFacts& facts, LaunchOrigin origin) {
    for (size_t run = 0; run < facts.session().runs.size(); ++run) {
      const TextsOfOps found = find_launch_origins(facts, run, origin);
      std::vector<int32_t>& codes = codes_.emplace_back();
      codes.reserve(found.of_op.size());
      for (const StringId id : found.of_op) {
        codes.push_back(id == StringPool::absent ? -1 : dictionary_->code(found.texts[id]));
      }
    }
  }

  ColumnValues values(const EventPlaces& ops) const {
    std::vector<int32_t> codes;
    codes.reserve(ops.size());
    for (const EventPlace op : ops) codes.push_back(codes_[op.run][op.event]);
    ColumnValues values(ColumnType::text);
    values.append_codes(dictionary_, codes);
    return values;
  }

 private:
  std::shared_ptr<TextDictionary> dictionary_ = std::make_shared<TextDictionary>();
  std::vector<std::vector<int32_t>> codes_;  // by run and op
};

/// The slices of device ops.
EventPlaces slices_of(const SliceColumns& columns, const EventPlaces& ops) {
  EventPlaces slices;
  slices.reserve(ops.size());
  for (const EventPlace op : ops) slices.push_back({op.run, columns.timeline(op.run).device_ops.slice[op.event]});
  return slices;
}

ColumnValues device_values(const SliceColumns& columns, const EventPlaces& ops) {
  return integer_values(ops, [&](EventPlace op) { return columns.timeline(op.run).device_ops.device[op.event]; });
}

ColumnValues stream_values(const SliceColumns& columns, const EventPlaces& ops) {
  return integer_values(ops, [&](EventPlace op) { return columns.timeline(op.run).device_ops.stream[op.event]; });
}

class DeviceTrace final : public EventTrace {
 public:
  explicit DeviceTrace(const SessionFacts& facts)
      : EventTrace(facts),
        facts_(facts),
        memory_kinds_(facts.session(), all_kinds),
        classes_(facts.session(), all_classes),
        op_kinds_(facts.session(), [](const Run&) { return kOpKinds; }) {
    for (size_t run = 0; run < runs(); ++run) {
      for_each_device_op(timeline(run), [&](OpIndex op, SliceIndex) { add(run, op); });
    }
    order_by_start(
        [&](EventPlace op) { return timeline(op.run).slices.start[timeline(op.run).device_ops.slice[op.event]]; });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "length"),
            key_column("name", "full name"),
            device_column(),
            stream_column(),
            bytes_column("bytes", "of a copy or memset; absent where not recorded"),
            real_column("bandwidth", "GB/s", "bytes over the duration"),
            text_column("src_memory", "memory copied from"),
            text_column("dst_memory", "memory copied to or set"),
            number_column("correlation", "number that it shares with its launch; absent where not recorded"),
            text_column("class", "class of the kernel, as in table kernels"),
            text_column("kind", "what it counts as: compute, communication or memory"),
            slice_column("its"),
            number_column("launch", "number of the call that launched it; absent where the profile does not have it"),
            launch_step_column(),
            origin_column(LaunchOrigin::op),
            origin_column(LaunchOrigin::module),
            origin_column(LaunchOrigin::range)};
  }

 private:
  enum : size_t {
    kRank,
    kStart,
    kDuration,
    kName,
    kDevice,
    kStream,
    kBytes,
    kBandwidth,
    kSourceMemory,
    kDestinationMemory,
    kCorrelation,
    kClass,
    kKind,
    kSlice,
    kLaunch,
    kStep,
    kOp,
    kModule,
    kRange
  };

  ColumnValues values_at(size_t column, const EventPlaces& ops) const override {
    switch (column) {
      case kRank:
        return columns().rank(ops);
      case kStart:
        return columns().start(slices_of(columns(), ops));
      case kDuration:
        return columns().duration(slices_of(columns(), ops));
      case kName:
        return columns().name(slices_of(columns(), ops));
      case kDevice:
        return device_values(columns(), ops);
      case kStream:
        return stream_values(columns(), ops);
      case kBytes:
        return integer_values(ops, [&](EventPlace op) { return bytes_of(op); });
      case kBandwidth:
        return bandwidth(ops);
      case kSourceMemory:
        return memory_kinds_.values(
            ops, [&](EventPlace op) { return static_cast<size_t>(timeline(op.run).device_ops.source[op.event]); });
      case kDestinationMemory:
        return memory_kinds_.values(
            ops, [&](EventPlace op) { return static_cast<size_t>(timeline(op.run).device_ops.destination[op.event]); });
      case kCorrelation:
        return columns().correlation(slices_of(columns(), ops));
      case kClass:
        return classes_.values(
            ops, [&](EventPlace op) { return static_cast<size_t>(class_of(timeline(op.run), op.event)); });
      case kKind:
        return op_kinds_.values(
            ops, [&](EventPlace op) { return static_cast<size_t>(timeline(op.run).device_ops.kind[op.event]); });
      case kSlice:
        return columns().number(slices_of(columns(), ops));
      case kLaunch:
        return columns().number(launches_of(ops));
      case kStep:
        return integer_values(ops, [&](EventPlace op) { return step_of(op); });
      case kOp:
        return origins(LaunchOrigin::op).values(ops);
      case kModule:
        return origins(LaunchOrigin::module).values(ops);
      default:
        return origins(LaunchOrigin::range).values(ops);
    }
  }

  EventPlaces launches_of(const EventPlaces& ops) const {
    EventPlaces launches;
    launches.reserve(ops.size());
    for (const EventPlace op : ops) {
      const Timeline& of = timeline(op.run);
      launches.push_back({op.run, of.slices.launch[of.device_ops.slice[op.event]]});
    }
    return launches;
  }

  std::optional<int64_t> step_of(EventPlace op) const {
    if (steps_.empty()) {
      for (size_t run = 0; run < runs(); ++run) steps_.push_back(steps_of_launches(facts_, run));
    }
    return steps_[op.run][op.event];
  }

  const OriginTexts& origins(LaunchOrigin origin) const {
    return origins_.try_emplace(origin, facts_, origin).first->second;
  }

  std::optional<int64_t> bytes_of(EventPlace op) const {
    const int64_t bytes = timeline(op.run).device_ops.bytes[op.event];
    return bytes < 0 ? std::nullopt : std::optional(bytes);
  }

  ColumnValues bandwidth(const EventPlaces& ops) const {
    ColumnValues values(ColumnType::real);
    for (const EventPlace op : ops) {
      const int64_t duration = timeline(op.run).slices.duration[timeline(op.run).device_ops.slice[op.event]];
      const std::optional<int64_t> bytes = bytes_of(op);
      if (bytes && duration > 0) {
        values.append(static_cast<double>(*bytes) / static_cast<double>(duration));
      } else {
        values.append_absent();
      }
    }
    return values;
  }

  static std::vector<std::optional<std::string_view>> all_kinds(const Run&) {
    std::vector<std::optional<std::string_view>> texts = {std::nullopt};  // MemoryKind::none
    for (uint8_t kind = 1; kind <= static_cast<uint8_t>(MemoryKind::unknown); ++kind) {
      texts.emplace_back(text_of(static_cast<MemoryKind>(kind)));
    }
    return texts;
  }

  static std::vector<std::optional<std::string_view>> all_classes(const Run&) {
    std::vector<std::optional<std::string_view>> texts;
    for (int each = 0; each < kKernelClasses; ++each) texts.emplace_back(text_of(static_cast<KernelClass>(each)));
    return texts;
  }

  static inline const std::vector<std::optional<std::string_view>> kOpKinds = {"compute", "communication", "memory"};

  const SessionFacts& facts_;
  EventTexts memory_kinds_, classes_, op_kinds_;
  mutable std::vector<std::vector<std::optional<int64_t>>> steps_;  // by run and op, once they are asked for
  mutable std::map<LaunchOrigin, OriginTexts> origins_;
};

class LaunchTrace final : public EventTrace {
 public:
  explicit LaunchTrace(const SessionFacts& facts) : EventTrace(facts) {
    for (size_t run = 0; run < runs(); ++run) {
      for_each_device_op(timeline(run), [&](OpIndex op, SliceIndex slice) {
        if (launch_of(timeline(run), slice) != kNone) add(run, op);
      });
    }
    order_by_start([&](EventPlace op) {
      const auto [run, call, slice] = launch(op);
      return run.slices.start[call];
    });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("start_ns", "start of the call, from the start of the profile"),
            time_column("call_ns", "duration of the call"),
            time_column("queue_ns", "from the end of the call to the start of the op; absent where it began before"),
            moment_column("device_start_ns", "start of the op, from the start of the profile"),
            time_column("device_ns", "duration of the op"),
            time_column("total_ns", "from the start of the call to the end of both"),
            key_column("call", "name of the call"),
            key_column("name", "name of the device op"),
            device_column(),
            stream_column(),
            text_column("process", "process of the call"),
            text_column("thread", "its thread"),
            slice_column("the call's"),
            number_column("op_slice", "number of the device op in table slices")};
  }

 private:
  enum : size_t {
    kRank,
    kStart,
    kCallDuration,
    kQueue,
    kDeviceStart,
    kDeviceDuration,
    kTotal,
    kCallName,
    kName,
    kDevice,
    kStream,
    kProcess,
    kThread,
    kSlice
  };

  struct Launch {
    const Timeline& timeline;
    SliceIndex call;
    SliceIndex slice;  // of the device op
  };
  Launch launch(EventPlace op) const {
    const Timeline& all = timeline(op.run);
    const SliceIndex slice = all.device_ops.slice[op.event];
    return {all, all.slices.launch[slice], slice};
  }
  EventPlaces calls_of(const EventPlaces& ops) const {
    EventPlaces calls;
    calls.reserve(ops.size());
    for (const EventPlace op : ops) calls.push_back({op.run, launch(op).call});
    return calls;
  }

  ColumnValues values_at(size_t column, const EventPlaces& ops) const override {
    switch (column) {
      case kRank:
        return columns().rank(ops);
      case kStart:
        return columns().start(calls_of(ops));
      case kCallDuration:
        return columns().duration(calls_of(ops));
      case kQueue:
        return integer_values(ops, [&](EventPlace op) -> std::optional<int64_t> {
          const auto [run, call, slice] = launch(op);
          const int64_t queued = run.slices.start[slice] - run.slices.end(call);
          return queued > 0 ? std::optional(queued) : std::nullopt;
        });
      case kDeviceStart:
        return columns().start(slices_of(columns(), ops));
      case kDeviceDuration:
        return columns().duration(slices_of(columns(), ops));
      case kTotal:
        return integer_values(ops, [&](EventPlace op) {
          const auto [run, call, slice] = launch(op);
          return std::max(run.slices.end(call), run.slices.end(slice)) - run.slices.start[call];
        });
      case kCallName:
        return columns().name(calls_of(ops));
      case kName:
        return columns().name(slices_of(columns(), ops));
      case kDevice:
        return device_values(columns(), ops);
      case kStream:
        return stream_values(columns(), ops);
      case kProcess:
        return columns().process(calls_of(ops));
      case kThread:
        return columns().thread(calls_of(ops));
      case kSlice:
        return columns().number(calls_of(ops));
      default:
        return columns().number(slices_of(columns(), ops));
    }
  }
};

template <typename Trace>
std::unique_ptr<EventTable> trace_of(const Analysis&, const SessionFacts& facts, const TableOptions&) {
  return std::make_unique<Trace>(facts);
}

}  // namespace

Analysis api_trace_analysis() {
  return {.name = "api_trace",
          .about = "every runtime and driver call, in order of time",
          .aliases = {"cuda_api_trace", "cudaapitrace"},
          .columns = ApiTrace::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.calls() > 0; },
          .events = trace_of<ApiTrace>};
}

Analysis device_trace_analysis() {
  return {.name = "device_trace",
          .about = "every device op, in order of time",
          .aliases = {"device_slices", "cuda_gpu_trace", "gputrace"},
          .columns = DeviceTrace::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .events = trace_of<DeviceTrace>};
}

Analysis launch_trace_analysis() {
  return {.name = "launch_trace",
          .about = "every device op with the call that launched it, in order of time",
          .aliases = {"cuda_kern_exec_trace", "kernexectrace"},
          .columns = LaunchTrace::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.launched; },
          .events = trace_of<LaunchTrace>};
}

}  // namespace cgpu
