// The viewer, apart from HTTP: answers every path, from the first request on, while profiles are still being opened or
// where one cannot be opened. Any number of threads at once.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "serve/endpoints/endpoints.h"
#include "serve/http/answer.h"
#include "serve/viewed_profile.h"

namespace cgpu {

class Viewer {
 public:
  explicit Viewer(std::string version);

  const ServerIdentity& identity() const { return identity_; }

  /// One more profile, known by the number of those before it. All must be there before the first request.
  ViewedProfile& add(std::vector<std::string> inputs);

  /// Whether the answer to a path can never change any more: what a profile says is fixed once it is open.
  bool is_fixed(std::string_view path) const;

  /// Answers any path: the page, its parts, and the requests under /api/. Throws nothing.
  Answer answer(const Request& request) const;

 private:
  Answer status() const;
  Answer answer_api(const Request& request) const;

  ServerIdentity identity_;
  std::deque<ViewedProfile> profiles_;
};

}  // namespace cgpu
