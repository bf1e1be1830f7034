#include "program.h"

#include <fmt/format.h>

#include <algorithm>

namespace cgpu::builder {

namespace {

constexpr int64_t kMicrosecond = 1'000;
constexpr int kStepsToSynchronize = 4;  // every so many steps the host runs ahead
constexpr int kStepsToPrefill = 8;

/// The Python frame or annotation that stands for a cause.
HostSlice slice_of(Cause cause) {
  switch (cause) {
    case Cause::data_loading:
      return {.kind = HostKind::annotation,
              .name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
              .cause = cause};
    case Cause::garbage_collection:
      return {.kind = HostKind::python, .name = "train.py(19): gc.collect", .cause = cause};
    case Cause::lock:
      return {.kind = HostKind::python,
              .name = "<built-in method acquire of _thread.lock object at 0x7f3a10d2c2c0>",
              .cause = cause};
    default:
      return {.kind = HostKind::python, .name = "train.py(57): augment"};
  }
}

}  // namespace

Program::Program(const Options& options, const ModelSpec& model, int rank, const std::vector<Communicator>& groups,
                 Machine& machine)
    : options_(options), model_(model), machine_(machine), api_(api_names(options.vendor)) {
  for (size_t i = 1; i < groups.size(); ++i) {
    if (std::count(groups[i].ranks.begin(), groups[i].ranks.end(), rank) > 0) exchange_group_ = i;
  }
  for (int i = 0; i < model.layers; ++i) {
    layer_frames_.push_back(machine.intern(fmt::format("nn.Module: {}_{}", model.module, i)));
  }
  for (int i = 0; i < model.layers; ++i) {
    for (const OpSpec& op : model.layer) {
      for (const KernelSpec& kernel : op.forward) graph_.push_back(&kernel);
    }
  }
  long_filler_ = filler_ = model.layer.front().forward.front();
}

void Program::run() {
  int64_t earliest = machine_.now() - 500 * kMicrosecond;
  for (int i = 0; i < options_.orphans; ++i) earliest = machine_.orphan(filler_, machine_.main_stream(), earliest).end;
  machine_.open({.kind = HostKind::annotation, .name = "Optimizer.zero_grad#AdamW.zero_grad"});
  machine_.set(4 << 20, machine_.main_stream());
  machine_.close();
  for (int i = 0; i < options_.steps; ++i) step(i);
  machine_.lost_launch();
  machine_.synchronize();
  machine_.flush();
}

void Program::step(int number) {
  const int64_t start = machine_.now();
  machine_.work(2 * kMicrosecond);
  // Some work belongs to no step.
  if (number % 2 == 1) machine_.set(1 << 16, machine_.main_stream());
  machine_.open({.kind = HostKind::annotation, .name = machine_.intern(fmt::format("ProfilerStep#{}", number + 3))});
  load_data();
  if (model_.trains) {
    train();
  } else {
    decode(number % kStepsToPrefill == 0);
  }
  if (number % kStepsToSynchronize != kStepsToSynchronize - 1) {
    HostSlice frame{.kind = HostKind::python, .name = "torch/cuda/__init__.py(1040): synchronize"};
    // Before Python frames were recorded only the call inside says what the host did.
    if (options_.era != Era::y2021) frame.cause = Cause::synchronization;
    machine_.open(frame);
    machine_.synchronize();
    machine_.close();
  }
  machine_.step(number + 3, machine_.close());
  // Another thread waits all the while, which explains nothing.
  machine_.beside(slice_of(Cause::lock), kPinning, start);
  machine_.flush();
}

void Program::load_data() {
  machine_.open(slice_of(Cause::data_loading));
  machine_.work(machine_.random().between(60, 250) * kMicrosecond);
  machine_.host_memory(model_.input_bytes);
  machine_.close();
  Stream& stream = machine_.compute_streams() > 1 ? machine_.side_stream() : machine_.main_stream();
  machine_.open({.name = "aten::to"});
  machine_.work(kMicrosecond);
  machine_.open({.name = "aten::_to_copy"});
  machine_.open({.name = "aten::copy_"});
  machine_.copy(Machine::Direction::HtoD, true, model_.input_bytes, stream);
  machine_.copy(Machine::Direction::HtoD, false, 4'096, stream);
  machine_.close();
  machine_.close();
  machine_.close();
  machine_.host_memory(-model_.input_bytes);
  if (&stream != &machine_.main_stream()) machine_.wait(machine_.main_stream(), stream);
}

void Program::train() {
  machine_.open({.kind = HostKind::annotation, .name = "Optimizer.zero_grad#AdamW.zero_grad"});
  machine_.set(4 << 20, machine_.main_stream());
  machine_.set(1 << 20, machine_.main_stream());
  machine_.close();
  machine_.open({.kind = HostKind::python, .name = "train.py(80): forward"});
  layers();
  machine_.close();
  machine_.open({.kind = HostKind::python, .name = "torch/_tensor.py(570): backward"});
  machine_.on_thread(kAutograd);
  backward();
  machine_.on_thread(kMain);
  machine_.close();
  optimize();
  read_loss();
}

void Program::decode(bool prefill) {
  if (prefill || options_.era == Era::y2021) {
    layers();
  } else {
    for (int i = 0; i < model_.layers; ++i) plant_at(i);
    machine_.open({.kind = HostKind::python, .name = "torch/cuda/graphs.py(88): replay"});
    machine_.launch_graph(graph_, machine_.main_stream());
    machine_.close();
  }
  read_loss();
}

void Program::layers() {
  for (const OpSpec& op : model_.head) forward(op, 0);
  const size_t streams = machine_.compute_streams();
  for (int layer = 0; layer < model_.layers; ++layer) {
    plant_at(layer);
    machine_.open({.kind = HostKind::python, .name = layer_frames_[static_cast<size_t>(layer)]});
    machine_.memory(model_.activation_bytes);
    size_t side = 0;
    for (size_t i = 0; i < model_.layer.size(); ++i) {
      // Every third op runs beside the others where there are streams for it.
      const bool beside = streams > 1 && i % 3 == 2 && model_.layer[i].collective == Collective::none;
      if (beside) side = 1 + (i / 3 + static_cast<size_t>(layer)) % (streams - 1);
      if (beside) machine_.wait(machine_.stream(side), machine_.main_stream());
      forward(model_.layer[i], beside ? side : 0);
    }
    if (side > 0) machine_.wait(machine_.main_stream(), machine_.stream(side));
    machine_.close();
  }
  for (const OpSpec& op : model_.tail) forward(op, 0);
}

void Program::forward(const OpSpec& op, size_t stream) {
  Random& random = machine_.random();
  machine_.work(random.between(500, 2'000));
  if (op.collective != Collective::none) {
    machine_.collective(op.collective, op.elements, op.collective == Collective::all_to_all ? exchange_group_ : 0);
    machine_.wait(machine_.main_stream(), machine_.collective_stream());
    if (model_.trains) tape_.push_back({&op, 0});
    return;
  }
  HostSlice outer{.name = op.outer, .dims = op.dims, .types = op.types};
  if (model_.trains && !op.node.empty()) {
    outer.sequence = ++sequence_;
    outer.flow = true;
    tape_.push_back({&op, outer.sequence});
  }
  machine_.open({.kind = HostKind::python, .name = op.frame});
  machine_.work(random.between(500, 1'500));
  machine_.open(outer);
  machine_.work(random.between(700, 2'000));
  if (!op.inner.empty()) {
    machine_.open({.name = op.inner, .dims = op.dims, .types = op.types});
    machine_.work(random.between(700, 2'000));
    machine_.open({.name = "aten::empty"});
    machine_.work(random.between(800, 1'600));
    machine_.close();
  }
  if (random.chance(40)) machine_.call(api_.query, random.between(300, 900));
  for (const KernelSpec& kernel : op.forward) machine_.launch(kernel, machine_.stream(stream));
  if (!op.inner.empty()) machine_.close();
  machine_.work(random.between(300, 900));
  machine_.close();
  machine_.close();
}

void Program::backward() {
  // The gradient of the deepest layers comes first; a bucket is reduced while the next one is computed.
  const size_t bucket = static_cast<size_t>(model_.layers_per_bucket) * model_.layer.size();
  size_t done = 0;
  while (!tape_.empty()) {
    const Recorded recorded = tape_.back();
    tape_.pop_back();
    if (recorded.op->collective != Collective::none) {
      machine_.collective(recorded.op->collective, recorded.op->elements, exchange_group_);
      machine_.wait(machine_.main_stream(), machine_.collective_stream());
    } else {
      gradient(*recorded.op, recorded.sequence);
    }
    if (bucket > 0 && ++done % bucket == 0) machine_.collective(Collective::all_reduce, model_.bucket_elements, 0);
  }
  if (bucket > 0) machine_.collective(Collective::all_reduce, model_.bucket_elements / 2, 0);
  for (int i = 0; i < model_.layers; ++i) machine_.memory(-model_.activation_bytes);
}

void Program::gradient(const OpSpec& op, int64_t sequence) {
  Random& random = machine_.random();
  machine_.work(random.between(300, 1'200));
  machine_.open({.name = machine_.intern("autograd::engine::evaluate_function: " + std::string(op.node)),
                 .sequence = sequence,
                 .backward = true});
  machine_.work(random.between(400, 1'200));
  machine_.open(
      {.name = op.node, .dims = op.dims, .types = op.types, .sequence = sequence, .backward = true, .flow = true});
  machine_.work(random.between(700, 2'000));
  if (random.chance(40)) machine_.call(api_.query, random.between(300, 900));
  for (const KernelSpec& kernel : op.backward) {
    machine_.open({.name = "aten::mul"});
    machine_.work(random.between(700, 1'500));
    machine_.launch(kernel, machine_.main_stream());
    machine_.close();
  }
  machine_.close();
  machine_.work(random.between(300, 900));
  machine_.close();
}

void Program::optimize() {
  machine_.open({.kind = HostKind::annotation, .name = "Optimizer.step#AdamW.step"});
  machine_.wait(machine_.main_stream(), machine_.collective_stream());
  for (const KernelSpec& kernel : model_.optimizer) {
    machine_.open({.name = "aten::_fused_adamw_"});
    machine_.work(machine_.random().between(5'000, 20'000));
    machine_.launch(kernel, machine_.main_stream());
    machine_.close();
  }
  machine_.close();
}

void Program::read_loss() {
  machine_.open({.name = "aten::item"});
  machine_.work(kMicrosecond);
  machine_.open({.name = "aten::_local_scalar_dense"});
  machine_.copy(Machine::Direction::DtoH, false, 4, machine_.main_stream());
  if (machine_.random().chance(50)) machine_.synchronize(&machine_.main_stream());
  machine_.close();
  machine_.close();
  machine_.open({.name = "aten::copy_"});
  machine_.copy(Machine::Direction::DtoD, false, 1 << 20, machine_.main_stream());
  machine_.close();
}

void Program::plant_at(int layer) {
  const auto count = static_cast<int>(options_.idle.size());
  for (int i = 0; i < count; ++i) {
    if (i * model_.layers / count == layer) plant(options_.idle[static_cast<size_t>(i)]);
  }
}

void Program::plant(Cause cause) {
  // A launched op that has not begun after 30 us counts as waiting for something else.
  const bool short_gap = cause == Cause::launch_overhead;
  const int64_t extra = machine_.random().between(short_gap ? 5 : 100, short_gap ? 25 : 400) * kMicrosecond;
  const bool on_device = cause == Cause::dependency || cause == Cause::launch_overhead || cause == Cause::unknown ||
                         cause == Cause::blocking_copy;
  if (on_device) {
    plant_on_device(cause, extra);
  } else {
    // The host does something else until the device has long been idle.
    const int64_t begin = std::max(machine_.now(), machine_.device_end());
    plant_on_host(cause, begin + extra);
    machine_.planted(cause, machine_.finished() - begin);
  }
  // Whatever comes next begins another gap.
  machine_.launch(filler_, machine_.main_stream());
}

void Program::plant_on_host(Cause cause, int64_t until) {
  const int64_t ns = until - machine_.now();
  switch (cause) {
    case Cause::synchronization:
      return machine_.call(api_.synchronize, ns, cause);
    case Cause::allocation:
      return machine_.call(api_.allocate, ns, cause);
    case Cause::module_load:
      return machine_.call(api_.load_module, ns, cause);
    case Cause::profiler_overhead:
      return machine_.overhead(until);
    default:
      break;
  }
  machine_.open(slice_of(cause));
  machine_.work_until(until);
  machine_.close();
}

void Program::plant_on_device(Cause cause, int64_t extra) {
  Stream& stream = cause == Cause::dependency ? machine_.side_stream() : machine_.main_stream();
  const bool queued = cause == Cause::dependency || (cause == Cause::launch_overhead && machine_.random().chance(50));
  if (queued) {
    // Something long runs last, so that the next op is in the queue before the gap begins.
    long_filler_.duration = 2 * std::max<int64_t>(300 * kMicrosecond, machine_.device_end() - machine_.now());
    machine_.launch(long_filler_, machine_.main_stream());
  }
  const int64_t start = machine_.now();
  const int64_t dry = machine_.device_end();
  const int64_t earliest = std::max(start, dry) + extra;
  Interval waking;
  int64_t tail = 0;
  if (cause == Cause::unknown) {
    waking = machine_.orphan(filler_, stream, earliest);
  } else if (cause == Cause::blocking_copy) {
    waking = machine_.copy_blocking(1 << 20, stream, earliest);
    tail = machine_.finished() - waking.end;
  } else {
    waking = machine_.launch(filler_, stream, earliest, queued ? 0 : earliest - start - 2 * kMicrosecond);
  }
  machine_.hold_device_until(waking.start + 1);
  // A gap without a launch is unknown from its beginning, the others from where the host came to it.
  machine_.planted(cause, waking.start - (cause == Cause::unknown ? dry : std::max(start, dry)) + tail);
}

}  // namespace cgpu::builder
