#include "readers/folded/folded.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "readers/common/call_tree_builder.h"
#include "readers/common/input.h"
#include "readers/common/line_reader.h"
#include "readers/common/py_spy_frames.h"

namespace cgpu::folded {

namespace {

constexpr size_t kMostFrames = 10'000;

/// "main;work;inner 12": the frames from the outermost in, and the count.
struct Line {
  std::string_view frames;
  double count = 0;
};

std::string_view trimmed_end(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_comment(std::string_view line) {
  return line.empty() || line.front() == '#';
}

std::optional<Line> parse(std::string_view text) {
  text = trimmed_end(text);
  const size_t blank = text.find_last_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view number = text.substr(blank + 1);
  const std::string_view frames = trimmed_end(text.substr(0, blank));
  if (frames.empty() || number.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  const auto count = parse_number<double>(number);
  return count ? std::optional(Line{frames, *count}) : std::nullopt;
}

/// The outermost function of a stack. The command of a process may hold the
/// `;` that ends functions.
std::string_view outermost_frame(std::string_view stack) {
  std::string_view rest = stack;
  if (take(rest, "process ") && !take_digits(rest).empty() && take(rest, ":\"")) {
    const size_t end = rest.find("\";");
    return end == std::string_view::npos ? stack : stack.substr(0, stack.size() - rest.size() + end + 1);
  }
  return stack.substr(0, stack.find(';'));
}

void remove_outermost(std::string_view& stack, std::string_view frame) {
  stack.remove_prefix(std::min(frame.size() + 1, stack.size()));
}

class Reader {
 public:
  Reader(TextSource& source, const std::string& path)
      : source_(source), lines_(source), path_(path), run_(new_run(path, "folded")) {
    Metric metric;
    metric.name = "samples";
    metric.sample_value = 1;
    metric.about = "counts of the stacks: samples, or what else the file was folded by";
    samples_ = tree_.add_metric(std::move(metric));
  }

  Run read() {
    for (std::string_view line; lines_.next(line);) {
      if (is_comment(line)) continue;
      ++run_.events.read;
      if (const auto parsed = parse(line)) {
        add(*parsed);
      } else {
        ++run_.events.skipped;
        run_.notes.add("skipped_event", 1, "lines that are no stack with a count were left out");
      }
    }
    if (run_.events.samples == 0) throw Error(path_, "has no folded stack");
    add_source(source_, run_, "damaged_input");
    run_.notes.add("truncated_input", lines_.cut_lines(), "lines longer than 1 MB were cut", true);
    run_.notes.add("skipped_frame", frames_left_out_,
                   "innermost functions of stacks of more than 10,000 "
                   "functions were left out");
    run_.call_tree = tree_.finish(places_);
    run_.call_tree->main_metric = samples_;
    return std::move(run_);
  }

 private:
  void add(const Line& line) {
    ++run_.events.samples;
    NodeIndex node = 0;
    size_t depth = 0;
    std::string_view rest = line.frames;
    const uint32_t profile = take_profile(rest);
    while (!rest.empty()) {
      const std::string_view frame = rest.substr(0, rest.find(';'));
      remove_outermost(rest, frame);
      if (depth++ < kMostFrames) {
        node = tree_.child(node, place_of(frame));
      } else {
        ++frames_left_out_;
      }
    }
    tree_.add(profile, samples_, node, line.count);
  }

  /// The process and thread that the outermost frames name, which are taken
  /// off: no functions.
  uint32_t take_profile(std::string_view& stack) {
    PySpyThread thread;
    for (std::string_view frame = outermost_frame(stack); thread.take_frame(frame); frame = outermost_frame(stack)) {
      remove_outermost(stack, frame);
    }
    const std::string name = valid_utf8(thread.name());
    const auto [at, is_new] = profiles_.try_emplace(name, 0);
    if (is_new) {
      CallProfile profile;
      profile.name = name;
      at->second = tree_.add_profile(std::move(profile));
    }
    return at->second;
  }

  uint32_t place_of(std::string_view frame) {
    key_ = frame;
    const auto [at, is_new] = place_of_text_.try_emplace(key_, static_cast<uint32_t>(places_.size()));
    if (is_new) {
      CallPlace place;
      place.name = tree_.names().intern(valid_utf8(demangle(frame)));
      places_.push_back(place);
    }
    return at->second;
  }

  TextSource& source_;
  LineReader lines_;
  const std::string& path_;
  Run run_;
  CallTreeBuilder tree_;
  MetricIndex samples_ = 0;
  std::map<std::string, uint32_t> profiles_;  // by name; "" of stacks that name neither process nor thread
  std::vector<CallPlace> places_;
  std::unordered_map<std::string, uint32_t> place_of_text_;
  std::string key_;
  int64_t frames_left_out_ = 0;
};

}  // namespace

/// Nothing but stacks in the first lines, one of more than a function among
/// them.
bool is_folded(const Input& input) {
  if (input.is_folder) return false;
  std::string_view head = input.head;
  bool stack = false;
  for (int lines = 0; lines < 100 && !head.empty(); ++lines) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && lines > 0) break;  // it may be cut
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_comment(line)) continue;
    const auto parsed = parse(line);
    const bool text = std::string_view("{[<\"; \t").find(line.front()) == std::string_view::npos &&
                      line.find('\0') == std::string_view::npos;
    if (!parsed || !text) return false;
    stack = stack || parsed->frames.find(';') != std::string_view::npos;
  }
  return stack;
}

Run read_folded(const Input& input, const ReadOptions&) {
  return Reader(*input.source, input.path).read();
}

}  // namespace cgpu::folded
