#include "watch/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/json_text.h"
#include "watch/backlog.h"
#include "watch/prometheus_text.h"
#include "watch/run_judge.h"
#include "watch/verdict_line.h"
#include "watch/watch_output.h"
#include "watch/watched_folder.h"

namespace cgpu {

namespace {

namespace fs = std::filesystem;
using Clock = WatchedFolder::Clock;

/// How many processes may end while they read a run, before it counts as one that cannot be read.
constexpr size_t kMostAttempts = 3;
/// Of the name of an entry, so that there is room for what is put behind it.
constexpr size_t kLongestName = 200;

/// Refuses an output folder that would itself be read as a run, or as a part of one.
void check_folders(const WatchOptions& options) {
  std::error_code failed;
  if (!fs::is_directory(options.folder, failed)) throw Error(options.folder, "is no folder to watch");
  const fs::path folder = fs::weakly_canonical(options.folder, failed);
  const fs::path output = fs::weakly_canonical(fs::absolute(options.output, failed), failed);
  const fs::path below = output.lexically_relative(folder);
  if (*below.begin() == "..") return;
  if (below == "." || std::distance(below.begin(), below.end()) > 1) {
    throw Error(options.output, "is a run of the watched folder, or lies in one: give -o DIR/NAME, or another folder");
  }
}

/// The exit code of a verdict, and of several the one that counts.
class ExitCode {
 public:
  void add(WatchOutcome outcome, CheckOptions::Inconclusive inconclusive) {
    const int code = code_of(outcome, inconclusive);
    if (weight(code) > weight(worst_)) worst_ = code;
  }
  int worst() const { return worst_; }

 private:
  static int code_of(WatchOutcome outcome, CheckOptions::Inconclusive inconclusive) {
    CheckResult check;
    switch (outcome) {
      case WatchOutcome::pass:
      case WatchOutcome::no_baseline:
        return 0;
      case WatchOutcome::error:
        return kUnreadable;
      case WatchOutcome::regression:
        check.outcome = Outcome::regression;
        break;
      case WatchOutcome::inconclusive:
        check.outcome = Outcome::inconclusive;
        break;
      case WatchOutcome::not_comparable:
        check.outcome = Outcome::not_comparable;
        break;
    }
    return check.exit_code(inconclusive);
  }
  static int weight(int code) {
    constexpr int kByWeight[] = {0, 3, 4, kUnreadable, 1};
    return static_cast<int>(std::find(std::begin(kByWeight), std::end(kByWeight), code) - std::begin(kByWeight));
  }

  static constexpr int kUnreadable = 2;
  int worst_ = 0;
};

class Watch {
 public:
  Watch(const WatchOptions& options, const WatchReports& reports)
      : options_(options),
        reports_(reports),
        judge_(options.input, options.baseline, options.check),
        output_(options.output),
        folder_(options.folder, options.output, options.settle),
        backlog_(options.interval) {
    if (const size_t damaged = output_.damaged_lines(); damaged > 0) {
      reports_.remark(
          fmt::format("{}: {} lines of verdicts.jsonl are damaged and are passed over", options_.output, damaged));
    }
  }

  int run() {
    for (;;) {
      scan(Clock::now());
      const bool is_idle = waiting_.empty();
      const Clock::time_point scanned = Clock::now();
      while (!waiting_.empty()) {
        judge_next();
        if (Clock::now() - scanned >= options_.interval) break;
      }
      if (!is_idle) continue;
      const std::optional<Clock::duration> next = folder_.next_settles();
      if (options_.once && !next) return exit_code_.worst();
      std::this_thread::sleep_for(std::min<Clock::duration>(next.value_or(options_.interval), options_.interval));
    }
  }

 private:
  struct LookedAt {
    EntryVersion version;
    bool is_run = false;
  };

  void scan(Clock::time_point now) {
    folder_.scan(now);
    std::erase_if(looked_at_, [this](const auto& one) { return !folder_.has(one.first); });
    waiting_.clear();
    for (WatchedEntry& entry : folder_.settled()) {
      if (!output_.has(entry) && is_run(entry)) waiting_.push_back(std::move(entry));
    }
    report_waiting(now);
  }

  /// Looks into each version of an entry once. Says why it is left out, once for each name.
  bool is_run(const WatchedEntry& entry) {
    const auto [known, is_new] = looked_at_.try_emplace(entry.name);
    LookedAt& one = known->second;
    if (!is_new && one.version == entry.version) return one.is_run;
    const std::string why = why_left_out(entry);
    if (!why.empty() && (is_new || one.is_run)) reports_.remark(why + " (left out)");
    // Permissions can change without a new version.
    one = {::access(entry.path.c_str(), R_OK) == 0 ? entry.version : EntryVersion(), why.empty()};
    return one.is_run;
  }

  std::string why_left_out(const WatchedEntry& entry) const {
    if (entry.name.size() > kLongestName) return entry.path + ": its name is too long to be watched";
    if (valid_utf8(entry.name) != entry.name) return entry.path + ": its name is no valid UTF-8";
    if (WatchOutput::is_one(entry.path)) return entry.path + ": is the output of a watch";
    return judge_.why_no_run(entry.path);
  }

  void judge_next() {
    const WatchedEntry entry = std::move(waiting_.front());
    waiting_.pop_front();
    if (version_of(entry.path) != entry.version) return;  // it has changed since: the next scan sees that
    const Clock::time_point began = Clock::now();
    VerdictLine line{.profile = entry.name, .version = entry.version};
    const std::optional<JudgedRun> judged = judge(entry, line);
    if (judged) line.summary = output_.write_summary(entry.name, judged->summary);
    const Clock::time_point now = Clock::now();
    line.waiting = waiting_.size();
    line.took_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now - began).count();
    line.judged_unix_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    exit_code_.add(line.outcome, options_.check.inconclusive);
    reports_.line(output_.append(line));
    looked_at_.erase(entry.name);
    report_waiting(now);
  }

  /// Puts what is known into `line`. Nothing where the run cannot be read.
  std::optional<JudgedRun> judge(const WatchedEntry& entry, VerdictLine& line) {
    if (output_.begin(entry) >= kMostAttempts) {
      line.error = fmt::format(
          "{}: {} times the program was killed, or crashed, while it read this, for want of memory perhaps; it is read "
          "again when it changes",
          entry.path, kMostAttempts);
      return std::nullopt;
    }
    try {
      JudgedRun judged = judge_.judge(entry);
      line.outcome = judged.outcome;
      line.headline = judged.headline;
      line.warnings = judged.warnings;
      line.step_ns = judged.step_ns;
      line.peak_bytes = judged.peak_bytes;
      return judged;
    } catch (const OutOfMemory& error) {
      line.error = error.what();
    } catch (const std::bad_alloc&) {
      line.error = entry.path + ": needs more memory than there is";
    } catch (const std::exception& error) {
      line.error = error.what();
    }
    return std::nullopt;
  }

  void report_waiting(Clock::time_point now) {
    Clock::duration oldest{0};
    for (const WatchedEntry& entry : waiting_) oldest = std::max(oldest, now - folder_.settled_since(entry.name));
    if (const std::string remark = backlog_.update(waiting_.size(), oldest); !remark.empty()) reports_.remark(remark);
    std::error_code failed;
    output_.write_metrics(prometheus_text({.folder = fs::absolute(options_.folder, failed).lexically_normal().string(),
                                           .runs = output_.runs(),
                                           .waiting = waiting_.size(),
                                           .oldest_waits_s = std::chrono::duration<double>(oldest).count(),
                                           .last = output_.last()}));
  }

  const WatchOptions& options_;
  const WatchReports& reports_;
  RunJudge judge_;
  WatchOutput output_;
  WatchedFolder folder_;
  Backlog backlog_;
  ExitCode exit_code_;
  std::deque<WatchedEntry> waiting_;
  std::map<std::string, LookedAt> looked_at_;  // by name: what has no line
};

}  // namespace

int watch(const WatchOptions& options, const WatchReports& reports) {
  check_folders(options);
  return Watch(options, reports).run();
}

}  // namespace cgpu
