#include "readers/trace_event/trace_event.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "base/error.h"
#include "base/json_text.h"
#include "base/threads.h"
#include "model/time_range.h"
#include "readers/common/run_description.h"
#include "readers/trace_event/arguments.h"
#include "readers/trace_event/assembler.h"
#include "readers/trace_event/event_parser.h"
#include "readers/trace_event/joined_documents.h"
#include "readers/trace_event/kineto_header.h"
#include "readers/trace_event/own_export.h"
#include "readers/trace_event/repairing_parser.h"
#include "readers/trace_event/top_level.h"
#include "readers/trace_event/windows.h"

namespace cgpu::trace_event {

namespace {

constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;  // ns since 1970; smaller times are no Unix times

/// Slices that fit into half of the machine's memory: a small file can decompress to more events than anything can
/// hold.
size_t most_slices() {
  const auto pages = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr uint64_t bytes_a_slice = 100;  // with link hints, while reading
  return static_cast<size_t>(std::min<uint64_t>(pages * page / 2 / bytes_a_slice, kNone - 1));
}

/// Whether PyTorch's profiler wrote the header.
bool is_kineto(const TopLevel& top) {
  return std::any_of(top.values.begin(), top.values.end(), [&](const TopLevelValue& value) {
    return value.first == "schemaVersion" || value.first == "deviceProperties";
  });
}

/// The windows of one trace on their way through the threads.
class Pipeline {
 public:
  /// `own`: of a trace that cgpu exported, what it tells of the run.
  Pipeline(TextSource& source, std::string start, uint64_t offset, TopLevel& top, Run& run, const RunMark* own,
           const std::function<void(double)>& progress)
      : source_(source),
        own_(own),
        windows_(source, std::move(start), offset),
        top_(top),
        run_(run),
        assembler_(run, own),
        progress_(progress) {}

  void work(unsigned threads) {
    on_threads(threads, [this](unsigned) { work_safely(); });
    if (failure_) std::rethrow_exception(failure_);
    finish();
  }

  bool is_kineto() const { return assembler_.kineto_category() || trace_event::is_kineto(top_); }

 private:
  void work_safely() {
    try {
      work_on_windows();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      turn_.notify_all();
    }
  }

  void work_on_windows() {
    WorkerTables tables;
    Translation translation;
    EventParser parser(tables, own_);
    Window window;
    Batch batch;
    for (;;) {
      double share = 0;
      {
        const std::lock_guard lock(reading_);
        if (stop_ || !windows_.next(window)) return;
        share = static_cast<double>(source_.stored_position()) / static_cast<double>(source_.stored_bytes());
      }
      batch.clear();
      const WindowResult result = parser.parse(window.bracketed(), window.offset - 1, batch);

      std::unique_lock lock(mutex_);
      turn_.wait(lock, [&] { return appended_ == window.number || failure_; });
      if (failure_) return;
      if (closed_) {
        batch.clear();
        add_tail(",");
        add_tail(window.text());
      } else if (result.ok && pending_.empty()) {
        if (result.closed) {
          close_with(window.bracketed().substr(result.tail, window.size + 1 - result.tail),
                     window.offset + result.tail - 1);
        }
      } else {
        read_carefully(window, parser, batch);
      }
      assembler_.append(batch, tables, translation, share);
      if (assembler_.slices() > limit_) stop_reading();
      ++appended_;
      if (progress_) progress_(share);
      turn_.notify_all();
    }
  }

  void read_carefully(const Window& window, EventParser& parser, Batch& batch) {
    batch.clear();
    if (!pending_.empty()) pending_.push_back(',');  // the separator at which the window was cut
    const uint64_t offset = window.offset - pending_.size();
    pending_.append(window.text());
    const RepairingResult result = RepairingParser(parser).parse(pending_, offset, window.last, batch);
    const std::string rest = pending_.substr(result.consumed);
    pending_.clear();
    if (result.closed) {
      close_with(rest, offset + result.consumed);
    } else if (rest.size() > kMaxWindowBytes) {
      ++batch.counts.read;
      ++batch.counts.skipped;
      batch.lose(Loss::oversized_event);
    } else {
      pending_ = rest;
    }
  }

  /// `tail`: what follows the list of events, at `position` of the input.
  void close_with(std::string_view tail, uint64_t position) {
    closed_ = true;
    tail_position_ = position;
    add_tail(tail);
  }

  void add_tail(std::string_view text) {
    if (tail_.size() + text.size() <= kMaxWindowBytes) tail_.append(text);
  }

  void stop_reading() {
    if (stop_.exchange(true)) return;
    run_.notes.add("truncated_input", 1,
                   "reading stopped at " + std::to_string(assembler_.slices()) +
                       " slices, which is what fits into half of this machine's memory",
                   true);
  }

  void finish() {
    if (closed_) {
      size_t trailing = 0;
      read_after_events(tail_, top_, trailing);
      if (trailing != std::string_view::npos) note_trailing_data(run_.notes, tail_position_ + trailing);
      if (!top_.complete) {
        run_.notes.add("truncated_input", 1,
                       "the file ends before its closing brace: keys behind the events may be missing", true);
      }
    } else if (!stop_) {
      const bool cut_off = !trim_json(pending_).empty();
      if (cut_off) {
        ++run_.events.read;
        ++run_.events.skipped;
        run_.notes.add("truncated_input", 1, "the file ends inside an event; what comes before it was read", true);
      } else if (top_.is_object) {
        run_.notes.add("truncated_input", 1, "the file ends before its list of events does", true);
      }
    }
    assembler_.finish(is_kineto(), top_.values);
  }

  TextSource& source_;
  const RunMark* const own_;
  std::mutex reading_;  // guards windows_
  WindowReader windows_;
  std::atomic<bool> stop_ = false;

  std::mutex mutex_;  // guards what follows
  std::condition_variable turn_;
  uint64_t appended_ = 0;
  std::exception_ptr failure_;
  bool closed_ = false;  // the array of events has ended
  std::string pending_;  // an event that is not complete yet
  std::string tail_;     // what follows the list
  uint64_t tail_position_ = 0;
  TopLevel& top_;
  Run& run_;
  Assembler assembler_;
  const std::function<void(double)>& progress_;
  const size_t limit_ = most_slices();
};

void apply_clock(Run& run) {
  const std::vector<int64_t>& start = run.timeline.slices.start;
  if (start.empty()) return;
  const int64_t first = *std::min_element(start.begin(), start.end());
  if (run.clock_base != 0 && !(is_time(first) && is_time(*std::max_element(start.begin(), start.end())))) {
    run.notes.add("invalid_number", 1, "events are too far from baseTimeNanoseconds: times are relative");
    run.clock_base = 0;
  }
  run.clock_is_unix = first + run.clock_base > kYear2001;
}

void note_damage(const TextSource& source, Run& run) {
  if (!source.damage().empty()) run.notes.add("truncated_input", 1, source.damage(), true);
}

/// Reads one run of a trace that cgpu exported, whose `top` and `start` have been read. What the header says for
/// other readers, the run's description says better.
void read_own_export(TextSource& source, TopLevel& top, std::string start, uint64_t offset, const ReadOptions& options,
                     Run& run) {
  const bool last = options.run_of_file + 1 == runs_of_export(top);
  RunText text(source, std::move(start), offset, options.run_of_file);
  if (!text.mark()) {
    return run.notes.add("truncated_input", 1, "the file ends before this rank, or what tells of it is damaged", true);
  }
  ++run.events.read;
  ++run.events.metadata;
  read_run_description(text.mark()->description, run);
  top.is_object = last;  // else another run follows
  const uint64_t begin = options.run_of_file == 0 ? 0 : text.mark_position();
  Pipeline pipeline(text, "", text.position(), top, run, &*text.mark(), options.progress);
  pipeline.work(thread_count(options.threads));
  if (!last && !text.is_followed()) {
    run.notes.add("truncated_input", 1, "the file ends before its next rank begins", true);
  }
  run.text_bytes = text.position() - begin;
  std::erase_if(top.values, [](const TopLevelValue& value) {
    return value.first == "distributedInfo" || value.first == "deviceProperties";
  });
  apply_header(top, run);
  run.clock_is_unix = run.clock_base != 0;
}

/// JSON that is no trace is no run without device work.
[[noreturn]] void refuse_without_events(int64_t entries, const std::string& file) {
  throw Error(file, entries == 0 ? std::string("has no event: its list is empty, or ends before the first one")
                                 : fmt::format("is JSON but no trace: of {} in its list none has the \"ph\" and "
                                               "\"ts\" of an event",
                                               entries == 1 ? "the one entry" : fmt::format("{} entries", entries)));
}

}  // namespace

Run read_trace(std::shared_ptr<TextSource> source, const std::string& file, const ReadOptions& options) {
  Run run;
  run.file = file;
  std::string start;
  uint64_t offset = 0;
  const std::shared_ptr<TextSource> text = join_documents(source);
  TopLevel top = read_until_events(*text, file, start, offset);
  run.format = "kineto";
  if (top.has_events && runs_of_export(top) > options.run_of_file) {
    read_own_export(*text, top, std::move(start), offset, options, run);
    if (options.run_of_file == 0) run.input_bytes = source->stored_bytes();
    note_damage(*text, run);
  } else {
    bool kineto = is_kineto(top);
    if (top.has_events) {
      Pipeline pipeline(*text, std::move(start), offset, top, run, nullptr, options.progress);
      pipeline.work(thread_count(options.threads));
      kineto = pipeline.is_kineto();
    }
    if (!top.has_events) {
      if (!kineto) throw Error(file, "is JSON but no trace: it has no \"traceEvents\"");
      run.notes.add(top.complete ? "no_events" : "truncated_input", 1, "the file has a header but no list of events",
                    !top.complete);
    }
    run.input_bytes = source->stored_bytes();
    run.text_bytes = text->text_position();
    if (!kineto) {
      run.format = "chrome";
      if (run.events.read == run.events.skipped) refuse_without_events(run.events.read, file);
    }
    note_damage(*text, run);
    apply_header(top, run);
    apply_clock(run);
  }
  run.arguments = make_argument_source(std::move(source), file);
  return run;
}

}  // namespace cgpu::trace_event
