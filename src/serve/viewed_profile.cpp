#include "serve/viewed_profile.h"

#include <utility>

namespace cgpu {

void ViewedProfile::report(double share, const std::string& what) {
  const std::lock_guard lock(mutex_);
  share_ = share;
  what_ = what;
}

void ViewedProfile::show(Session session, unsigned threads, const TimelineView::Progress& progress,
                         std::string kernel_rules) {
  auto profile = std::make_unique<const Profile>(std::move(session), threads, progress, std::move(kernel_rules));
  const std::lock_guard lock(mutex_);
  share_ = 1;
  owned_ = std::move(profile);
  profile_ = owned_.get();
}

void ViewedProfile::show_summary(OpenedProfile summary) {
  const std::lock_guard lock(mutex_);
  share_ = 1;
  owned_summary_.emplace(std::move(summary));
  summary_ = &*owned_summary_;
}

void ViewedProfile::fail(const std::string& message) {
  const std::lock_guard lock(mutex_);
  error_ = message;
}

bool ViewedProfile::has_failed() const {
  const std::lock_guard lock(mutex_);
  return !error_.empty();
}

void ViewedProfile::write_status(JsonTextWriter& json) const {
  const std::lock_guard lock(mutex_);
  json.member("state", is_ready()       ? "ready"
                       : error_.empty() ? "opening"
                                        : "error")
      .member("share", share_)
      .member("what", what_)
      .key("error");
  if (error_.empty()) {
    json.null();
  } else {
    json.value(error_);
  }
  json.member("inputs", inputs_);
}

}  // namespace cgpu
