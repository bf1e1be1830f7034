// Puts the events of rocprof's files, CSV and JSON, into a run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run.h"
#include "readers/common/launch_arguments.h"
#include "readers/common/timeline_builder.h"

namespace cgpu::rocprof {

/// Devices of a run: no machine has as many.
constexpr size_t kMostDevices = 4096;

/// When something happened, and what joins it with its call.
struct Event {
  int64_t start = 0;
  int64_t end = 0;
  std::string process;      // "" where the file does not say
  int64_t correlation = 0;  // of this process; 0 for none
};

/// Where a kernel or a copy ran.
struct Place {
  int32_t device = 0;
  int64_t queue = -1;
  int64_t stream = -1;  // of HIP; -1 where the file does not say
};

/// A launch whose counters were read.
struct CountedLaunch {
  std::string process;
  int64_t dispatch = 0;
  std::string_view kernel;
  std::optional<int32_t> device;
  std::optional<int64_t> queue;
  std::optional<int64_t> registers;
  std::optional<int64_t> shared_bytes;
  std::optional<int64_t> duration;
  std::optional<LaunchSizes> sizes;

  /// None where it would be negative.
  void set_duration(int64_t start, int64_t end);
};

class Assembler {
 public:
  explicit Assembler(Run& into) : run(into), builder_(into) {}

  /// What follows was written by one process, in one or several files. Calls have to come before what they launch where
  /// that does not name its process.
  void begin_process(std::string name);

  /// A call, or a range or mark of the program.
  void add_call(const Event& event, std::string_view domain, StringId name, const std::string& thread);
  void add_kernel(const Event& event, StringId name, const Place& place,
                  const std::optional<LaunchSizes>& sizes = std::nullopt);
  /// `direction`: "HOST_TO_DEVICE", with or without words before it. Devices as the agents of both ends.
  void add_copy(const Event& event, std::string_view direction, int32_t source, int32_t destination, int64_t stream,
                int64_t bytes);
  /// The launch with this number in its process, made where it is new.
  ProfiledLaunch& launch(const CountedLaunch& description);
  /// Counters of one name add up: a device has several of each. `launch` is the last one that was asked for.
  void add_counter(ProfiledLaunch& launch, std::string_view section, std::string_view name, double value);

  /// An event that is not kept.
  void skip(const char* code, const std::string& why) { builder_.skip(code, why); }
  StringId name(std::string_view text);
  /// Puts device ops on their streams: those of HIP where the profile has any, else the queues of the device.
  void finish();

  Run& run;

 private:
  int64_t key_of(const Event& event);
  void add_op(const Event& event, StringId name, SliceKind kind, const Place& place, DeviceOp op,
              uint64_t source = kNoSource);

  TimelineBuilder builder_;
  std::shared_ptr<LaunchArguments> arguments_ = std::make_shared<LaunchArguments>();
  std::string process_;            // that wrote the files
  std::set<std::string> callers_;  // processes in these files that made calls
  std::map<std::pair<std::string, std::string>, int64_t> processes_;
  std::vector<Place> places_;                                   // of the device ops
  std::map<std::pair<std::string, int64_t>, size_t> launches_;  // by process and number
  std::unordered_map<uint64_t, size_t> counters_;               // of a launch, by its place and the counter's name
};

/// Without what marks the descriptor of a kernel: "f() [clone .kd]", "f(.kd)", "f.kd".
std::string_view kernel_name(std::string_view text);

}  // namespace cgpu::rocprof
