#include "serve/profile.h"

#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "kernels/short_name.h"

namespace cgpu {

namespace {

/// A part of a profile that is looked at begins at 0.
Session from_zero(Session session) {
  session.zeros.clear();
  return session;
}

}  // namespace

Profile::Profile(Session session, unsigned threads, const TimelineView::Progress& progress, std::string kernel_rules)
    : session_(from_zero(std::move(session))),
      facts_(session_),
      view_(facts_, threads, progress),
      sql_(facts_, arguments_mutex_, std::move(kernel_rules)) {}

const MeasuredLaunches& Profile::measured() const {
  std::call_once(measured_once_, [&] { measured_.emplace(facts_); });
  return *measured_;
}

std::vector<Argument> Profile::arguments(size_t run, SliceIndex slice) const {
  const Run& of = session_.runs[run];
  if (!of.arguments) return {};
  const std::unique_lock lock(arguments_mutex_, std::chrono::seconds(2));
  if (!lock) throw Error("the arguments are being read for an export, a search or SQL; ask again when that has ended");
  return of.arguments->arguments(of.timeline.slices.source[slice]);
}

std::string title_of(const Session& session) {
  std::string title;
  for (const std::string& input : session.inputs) {
    std::filesystem::path path(input);
    if (!path.has_filename()) path = path.parent_path();  // "folder/"
    title += (title.empty() ? "" : ", ") + path.filename().string();
    if (title.size() > 200) return title + ", ...";
  }
  return title;
}

void write_short_name(JsonTextWriter& json, std::string_view name) {
  const std::string text = short_name(name);
  if (text == name) {
    json.null();
  } else {
    json.value(shown_name(text));
  }
}

}  // namespace cgpu
