#include "serve/viewer_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/session_clock.h"
#include "base/error.h"
#include "serve/engine_copy.h"
#include "serve/static_copy.h"
#include "serve/viewer.h"
#include "session/summaries/summary.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr double kMegabyte = 1 << 20;

std::string names_of_inputs(const InputOptions& input) {
  std::string names;
  for (const std::string& path : input.inputs) {
    if (!names.empty()) names += ' ';
    names += std::filesystem::path(path).filename().string();
  }
  return names;
}

/// The part that was opened, as it would be typed.
std::string selection_as_typed(const InputOptions& input) {
  std::string words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words += fmt::format(" {} {}", option, value);
  };
  add("--from", input.from);
  add("--to", input.to);
  add("--step", input.step);
  add("--rank", input.rank);
  add("--device", input.device);
  return words;
}

/// From the first to the last of the slices, as times that are shown; empty where there are none.
Interval shown_time(const Session& session) {
  const std::vector<int64_t> zeros = time_zeros(session);
  std::optional<Interval> shown;
  for (size_t i = 0; i < session.runs.size(); ++i) {
    const std::optional<Interval> extent = extent_of(session.runs[i]);
    if (!extent) continue;
    const Interval here{extent->begin - zeros[i], extent->end - zeros[i]};
    shown = shown ? Interval{std::min(shown->begin, here.begin), std::max(shown->end, here.end)} : here;
  }
  return shown.value_or(Interval{0, 0});
}

/// Whether the engine would open the trace as the program opens the profile: what these options state is in no trace.
bool says_more_than_a_trace(const InputOptions& input) {
  return !input.kernel_rules.empty() || !input.peaks.empty() || !input.device_model.empty() || !input.profile.empty();
}

class CopyMaker {
 public:
  CopyMaker(const InputOptions& input, const ViewerCopyOptions& options)
      : input_(input),
        options_(options),
        selection_(input.selection()),
        name_(names_of_inputs(input)),
        made_by_("cgpu view " + name_ + selection_as_typed(input)) {}

  ViewerCopy make() {
    for (const std::string& path : input_.inputs) {
      if (stands_for_summaries(path)) {
        throw Error(path,
                    "is a summary, without a timeline to copy: give the profile that it was made of, or have its "
                    "tables on a page: cgpu report " +
                        path + " -o PAGE.html");
      }
    }
    Session session = options_.open(selection_);
    if (!options_.engine_page.empty() && is_whole_in_trace(session) && !says_more_than_a_trace(input_)) {
      return with_engine(std::move(session));
    }
    return with_answers(std::move(session));
  }

 private:
  /// What does not fit is cut off at the end of the time.
  ViewerCopy with_engine(Session session) {
    const Interval all = shown_time(session);
    int64_t length = all.end - all.begin;
    std::string html = html_of(session);
    const uintmax_t page = std::filesystem::file_size(options_.engine_page);
    constexpr double kRoom = 0.9;  // of what seems to fit: events are not spread evenly
    while (html.size() > options_.most_bytes) {
      const double fits = static_cast<double>(options_.most_bytes) - static_cast<double>(page);
      length =
          static_cast<int64_t>(kRoom * static_cast<double>(length) * fits / static_cast<double>(html.size() - page));
      if (length <= 0) throw does_not_fit();
      Selection part = selection_;
      part.from = all.begin;
      part.to = all.begin + length;
      part.steps = std::nullopt;
      session = options_.open(part);
      html = html_of(session);
    }
    ViewerCopy copy;
    copy.contents = fmt::format("{:.1f} MB, with the engine: all that the program answers{}", size(html), without());
    if (length < all.end - all.begin) {
      copy.left_out = fmt::format("{} MB hold the first {} of {}: {}", options_.most_bytes >> 20, format_ns(length),
                                  format_ns(all.end - all.begin), kWayOn);
    }
    copy.html = std::move(html);
    return copy;
  }

  std::string html_of(const Session& session) const {
    return make_engine_copy(session, options_.engine_page, name_, made_by_,
                            {.arguments = options_.arguments, .progress = options_.progress});
  }

  ViewerCopy with_answers(Session session) {
    if (!options_.arguments) {
      for (Run& run : session.runs) run.arguments = nullptr;
    }
    Viewer viewer(CGPU_VERSION);
    ViewedProfile& profile = viewer.add(input_.inputs);
    profile.show(std::move(session), input_.threads);
    StaticCopy recorded =
        make_static_copy(viewer, *profile.profile(), {options_.most_bytes, made_by_, options_.progress});
    ViewerCopy copy;
    copy.contents =
        fmt::format("{:.1f} MB: {} tables, {}, details of {} of {} slices{}", size(recorded.html), recorded.tables,
                    recorded.whole_timeline ? "the whole timeline" : "the timeline from afar", recorded.details,
                    recorded.slices, without());
    if (!recorded.whole_timeline) {
      copy.left_out =
          fmt::format("{} MB do not hold the timeline to the nanosecond: {}", options_.most_bytes >> 20, kWayOn);
    }
    copy.html = std::move(recorded.html);
    return copy;
  }

  static double size(const std::string& html) { return static_cast<double>(html.size()) / kMegabyte; }
  const char* without() const { return options_.arguments ? "" : ", without arguments of events"; }
  Error does_not_fit() const {
    return Error(
        "the copy",
        fmt::format("does not fit into {} MB, its engine takes {:.1f}: {}", options_.most_bytes >> 20,
                    static_cast<double>(std::filesystem::file_size(options_.engine_page)) / kMegabyte, kWayOn));
  }

  static constexpr const char* kWayOn = "allow more with --size-limit, or choose a part with --from and --to";

  const InputOptions& input_;
  const ViewerCopyOptions& options_;
  const Selection selection_;
  const std::string name_;
  const std::string made_by_;
};

}  // namespace

ViewerCopy make_viewer_copy(const InputOptions& input, const ViewerCopyOptions& options) {
  return CopyMaker(input, options).make();
}

}  // namespace cgpu
