// Which slices have an argument with a wanted value. The arguments are read from the files again, all of them, O(size
// of the files); the last answer is kept, so that going from match to match reads nothing.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/run.h"

namespace cgpu {

class Profile;

struct ArgumentQuery {
  std::string key;    // as written, in any case
  std::string value;  // a text that the value has in it, in any case
  bool regex = false;
  bool equal = false;  // the value is that text, and not only a part of it
  bool operator==(const ArgumentQuery&) const = default;
};

class ArgumentSearch {
 public:
  using Slices = std::vector<std::vector<SliceIndex>>;  // by run, ascending

  /// Besides the arguments in the profile, correlation, device, stream and bytes of device ops and calls. Throws
  /// RequestError where the value is no regular expression, Error where a file has changed or vanished.
  std::shared_ptr<const Slices> find(const Profile& profile, const ArgumentQuery& query);

 private:
  std::mutex mutex_;
  ArgumentQuery last_;
  std::shared_ptr<const Slices> found_;
};

}  // namespace cgpu
