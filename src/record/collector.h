// A collector: a profiler that `cgpu record` starts. There is one file for each in collectors/, which knows whether the
// profiler can be used here, the command for a set of options, what it writes, and how it fails.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/job.h"
#include "record/machine.h"
#include "record/program.h"
#include "record/request.h"

namespace cgpu {

/// All that a collector may look at.
struct RecordContext {
  const RecordRequest& request;
  const Program& program;
  const Machine& machine;
  const Job& job;
  std::string folder;     // of the recording, absolute
  std::string base;       // FOLDER/rank00003.1234: what the names of this process's profiles begin with
  std::string work;       // FOLDER/.recorder: what is no profile
  std::string work_base;  // the same as `base`, in there
};

/// A command before the program or behind it, such as one that turns what was recorded into a profile.
struct FollowUp {
  std::vector<std::string> command;
  std::string output = {};  // file that takes its standard output; "" where it writes files itself
  bool may_fail = false;    // the others are run all the same
};

struct RecordPlan {
  std::vector<FollowUp> before;      // what begins the recording
  std::vector<std::string> command;  // the program, alone or under the profiler
  bool has_program = true;  // false: the command only waits or looks at another process, and its status says nothing
  std::vector<std::pair<std::string, std::string>> environment;  // variables that it gets besides its own
  /// A command that runs beside the program; "{pid}" in it is the program's process number.
  std::vector<std::string> beside;
  bool waits_for_beside = false;  // the program begins when that command sends it SIGCONT
  /// What the profiler itself writes to standard output and standard error goes to a file, apart from the program's.
  bool has_separate_output = false;
  std::string process_file;  // that the program's process number is written to; "" where it is that of the command
  std::vector<FollowUp> follow_ups;
  bool once_for_job = false;         // the follow-ups are for all processes of the job together, behind the last one
  std::string profile;               // that is there in the end; "" where the program's processes name theirs
  std::string without_profile = {};  // why it may not be there and what to do, where the tool itself does not say
  std::vector<std::string> remarks = {};  // what will not be recorded, for the user
  bool has_torch_recorder = false;        // the modules of torch/ are put into the folder
};

/// A line that a profiler writes when it fails, and what to do about it.
struct KnownFailure {
  std::string_view sign;
  std::string_view words;
};

struct Collector {
  std::string_view name;
  std::string_view about;
  std::string_view caution;  // what its files hold that a user may not want to pass on; "" for nothing
  /// Empty, or why it cannot record this here and what to do about it.
  std::string (*why_not)(const RecordContext&);
  RecordPlan (*plan)(const RecordContext&);
  std::span<const KnownFailure> failures;  // besides those of all tools
  /// The same for a process that runs already; null where the profiler cannot look into one.
  RecordPlan (*attach)(const RecordContext&) = nullptr;
  /// It runs inside the program's processes (torch/): they choose their ranks, name their profiles and leave their own
  /// lines in the manifest.
  bool is_inside = false;
  // The options that it understands; with others why_not() refuses.
  bool counts_steps = false;   // --skip, --steps
  bool takes_ranges = false;   // --ranges
  bool takes_kernels = false;  // --kernels
};

/// Empty, or why a collector cannot record what the context has, and what to do about it.
std::string why_not(const Collector& collector, const RecordContext& context);

std::span<const Collector* const> all_collectors();
/// Null where none has this name.
const Collector* find_collector(std::string_view name);

/// The one that suits the program and the machine best.
struct ChosenCollector {
  const Collector* collector = nullptr;  // null where none can be used
  std::string reason;                    // "train.py imports torch"
  std::vector<std::string> missing;      // better ones that cannot be used, each with why
};
ChosenCollector choose_collector(const RecordContext& context);

/// Appends the program to the command of a profiler that writes to standard output itself: the words "sh -c ..." and
/// then the program, with the descriptors that run_program (child.h) hands over as its output. The shell writes its
/// process number, which becomes the program's, to a file, and gives the program the TMPDIR of the user.
void append_program_with_own_output(RecordPlan& plan, const RecordContext& context);

/// Adds the words of `more` behind those of `words`.
void append(std::vector<std::string>& words, const std::vector<std::string>& more);

inline constexpr int64_t kMillisecond = 1'000'000;  // ns
inline constexpr int64_t kSecond = 1'000'000'000;

/// ns as seconds, for options: "1.5".
std::string seconds_text(int64_t ns);
/// The same, rounded to whole units of so many ns, at least one.
std::string whole_units(int64_t ns, int64_t unit);

/// One function a collector, in collectors/NAME.cpp.
extern const Collector kTorchCollector;
extern const Collector kNsysCollector;
extern const Collector kNcuCollector;
extern const Collector kRocprofCollector;
extern const Collector kMsprofCollector;
extern const Collector kHpctoolkitCollector;
extern const Collector kPerfCollector;
extern const Collector kPySpyCollector;
/// Of no program, but of a server that profiles itself (RecordRequest::server): not among all_collectors().
extern const Collector kServerCollector;

}  // namespace cgpu
