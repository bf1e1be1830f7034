// A simulated host and its device: host threads that share one clock, and streams that run ops in order.
//
// The machine advances the clock, writes the events and keeps the books. It writes one part of the file at a time, as
// Kineto orders it; the same seed plays the same run again for each part, so that nothing is kept for later.
//
// So that the waking op of every gap is unique, ops of different streams never start at the same time: all times on
// a stream are equal to the stream's slot modulo the number of streams (in ticks).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "books.h"
#include "kineto_writer.h"
#include "models.h"
#include "random.h"
#include "rendezvous.h"

namespace cgpu::builder {

/// The parts of a file in the order in which they are in it.
enum class Part { ops, python_and_memory, device };

enum class HostKind : uint8_t { op, annotation, python };

/// What a host slice says about itself.
struct HostSlice {
  HostKind kind = HostKind::op;
  std::string_view name = {};
  std::string_view dims = {};
  std::string_view types = {};
  int64_t sequence = -1;                      // of the autograd graph
  bool backward = false;                      // runs the gradient of that sequence number
  bool flow = false;                          // end of a forward-backward arrow
  std::string extra = {};                     // further members
  std::optional<Cause> cause = std::nullopt;  // that its name stands for
  // Filled by the machine:
  int thread = 0;
  int64_t id = 0;
  int64_t parent = 0;  // of a Python frame; 0: none
  int64_t index = 0;
  Interval when = {};
};

struct ApiCall {
  std::string_view name;
  int number;  // "cbid", "cid"
  std::string_view category = "cuda_runtime";
};

/// Calls that start device ops, as the vendor and the era name them.
ApiCall launching_call(Api api, Era era, Vendor vendor);
/// The calls that a gap is blamed on, and some that explain nothing.
struct ApiNames {
  ApiCall allocate, load_module, query, record_event, wait_event, copy, copy_async, set_async, synchronize,
      synchronize_stream, graph;
};
ApiNames api_names(Vendor vendor);

struct Stream {
  Row row;
  int64_t id = 0;
  int64_t slot = 0;
  int64_t ready = 0;     // no op starts earlier: waits for events
  int64_t last_end = 0;  // of its ops
};

/// A device op about to be written.
struct DeviceWork {
  OpType type = OpType::kernel;
  Kind kind = Kind::compute;
  std::string_view name;
  std::string_view category;
  std::string_view args;  // what follows the common ones
};

inline constexpr int kMain = 0;
inline constexpr int kAutograd = 1;
inline constexpr int kPinning = 2;  // of the data loader: what it does explains no gap
inline constexpr int kThreads = 3;

class Machine {
 public:
  /// `books` may be null.
  Machine(const Options& options, int rank, Rendezvous& ranks, Part part, KinetoWriter& writer, Books* books);

  Random& random() { return random_; }
  int64_t now() const { return now_; }
  int64_t device_end() const { return device_end_; }
  /// When the slice, call or pause that was finished last ended.
  int64_t finished() const { return now_ - tick_; }
  void work(int64_t ns) { now_ += ticks(ns); }
  void work_until(int64_t time);
  void on_thread(int thread) { thread_ = thread; }
  /// A name that lives as long as the machine.
  std::string_view intern(std::string name) { return *names_.insert(std::move(name)).first; }

  // Host slices nest.
  void open(HostSlice slice);
  Interval close();
  /// A slice of another thread, from `start` to now.
  void beside(HostSlice slice, int thread, int64_t start);
  /// A call that starts nothing on the device.
  void call(const ApiCall& api, int64_t ns, std::optional<Cause> cause = std::nullopt);
  /// Waits until the device, or one stream, has nothing left to do.
  void synchronize(const Stream* stream = nullptr);
  /// The profiler itself stops the host.
  void overhead(int64_t until);
  void memory(int64_t bytes);
  void host_memory(int64_t bytes);

  // Streams. `main_stream` runs the model, `side_stream` other compute and copies, the last one the collectives.
  size_t compute_streams() const { return streams_.size() - 1; }
  const std::vector<Stream>& streams() const { return streams_; }
  std::vector<Row> host_rows() const;
  Stream& stream(size_t i) { return streams_[i]; }
  Stream& main_stream() { return streams_.front(); }
  Stream& collective_stream() { return streams_.back(); }
  /// A stream other than the main one.
  Stream& side_stream() { return streams_[1]; }
  /// What comes on `stream` waits for all that was put on `other`.
  void wait(Stream& stream, const Stream& other);
  /// No op that is placed from here on starts before `time`.
  void hold_device_until(int64_t time) { not_before_ = std::max(not_before_, time); }

  // Device ops; each returns when it runs. `earliest` moves the start, `call_ns` sets the time in the launching call.
  Interval launch(const KernelSpec& kernel, Stream& stream, int64_t earliest = 0, int64_t call_ns = 0);
  void launch_graph(const std::vector<const KernelSpec*>& kernels, Stream& stream);
  enum class Direction { HtoD, DtoH, DtoD };
  void copy(Direction direction, bool pinned, int64_t bytes, Stream& stream);
  /// Copies HtoD and returns to the program when it is done. The copy starts no earlier than `earliest`.
  Interval copy_blocking(int64_t bytes, Stream& stream, int64_t earliest);
  void set(int64_t bytes, Stream& stream);
  /// An op whose launch call was not recorded.
  Interval orphan(const KernelSpec& kernel, Stream& stream, int64_t earliest);
  /// A launch call whose op was lost.
  void lost_launch();
  void collective(Collective collective, int64_t elements, size_t group);

  // For the books only.
  void step(int64_t number, const Interval& mark);
  void planted(Cause cause, int64_t ns);

  /// Writes the host slices that wait and settles the books. No slice may be open.
  void flush();

 private:
  struct Frame {
    size_t waiting = 0;     // its place among the host slices that wait
    int64_t child_ops = 0;  // ns in direct child ops
    std::optional<Cause> cause_before;
    std::vector<std::pair<size_t, Interval>> on_device;  // an annotation's reach per stream
  };
  struct Thread {
    Row row;
    Row arrow;  // of flows and instants: numbers, even where slices have strings
    std::vector<Frame> stack;
    std::optional<Cause> cause;
    int64_t cause_since = 0;
  };

  int64_t ticks(int64_t ns) const { return std::max(tick_, ns / tick_ * tick_); }
  int64_t grains(int64_t ns) const { return (ns + grain_ - 1) / grain_ * grain_; }
  Interval place(Stream& stream, int64_t earliest, int64_t duration);
  void change_cause(Thread& thread, std::optional<Cause> cause);
  Thread& thread() { return threads_[static_cast<size_t>(thread_)]; }
  /// What the slice is in a file of the era; nothing where it has no place there.
  std::optional<HostKind> written_kind(const HostSlice& slice) const;
  std::optional<HostKind> written_kind(const Frame& frame) const { return written_kind(waiting_[frame.waiting]); }
  void total_up(const Frame& frame);
  void write(const HostSlice& slice);
  void write_annotation(const Frame& frame);
  std::optional<int64_t> external_id() const;
  void write_memory(int64_t bytes, int64_t address, int device, int64_t allocated, int64_t reserved);
  Interval spend(int64_t ns);
  /// Writes a call and takes the next correlation id for it.
  void write_call(const ApiCall& api, const Interval& when, bool starts, std::string_view kernel = {});
  void put(const DeviceWork& work, const Interval& when, size_t stream, const std::optional<Launch>& launch);
  Launch launch_of(const ApiCall& api, const Interval& call) const { return {call, api.name, thread_, false, true}; }
  size_t index_of(const Stream& stream) const { return static_cast<size_t>(&stream - streams_.data()); }
  const std::string& shape_of(const KernelSpec& kernel);
  void put_copy(Direction direction, bool pinned, int64_t bytes, Stream& stream, const Interval& when,
                const Launch& launch);

  const Options& options_;
  const ApiNames api_;
  int rank_;
  Rendezvous& ranks_;
  Part part_;
  KinetoWriter& writer_;
  Books* books_;
  bool old_;
  bool amd_;
  int64_t tick_;
  int64_t grain_;
  Random random_;
  int64_t now_;
  int thread_ = kMain;
  std::vector<Thread> threads_;
  std::vector<Stream> streams_;
  std::vector<HostSlice> waiting_;
  std::unordered_set<std::string> names_;
  std::unordered_map<const KernelSpec*, std::string> shapes_;
  std::vector<KernelSpec> collective_kernels_;  // by Collective
  std::vector<int64_t> collectives_run_;        // per group
  Members args_;
  int64_t device_end_ = 0;
  int64_t not_before_ = 0;
  int64_t correlation_ = 1000;
  int64_t external_ = 512;
  int64_t python_ = 0;
  int64_t event_index_ = 0;
  int64_t allocated_ = 2'147'483'648;
  int64_t reserved_ = 2'147'483'648;
  int64_t host_allocated_ = 0;
};

/// Time 0 of a run on the clock of the file, and what the header gives as base of that clock.
int64_t start_of_run(Era era);
int64_t base_time(Era era);

int process_of(int rank);
int device_of(int rank);

}  // namespace cgpu::builder
