// A request to the viewer's server and its answer, apart from HTTP.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cgpu {

struct Request {
  std::string path;                               // decoded; never a file name
  std::multimap<std::string, std::string> query;  // decoded
};

struct Answer {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::string file_name = {};  // offered to be saved under this name
  /// Instead of `body`, for answers too large to be held: hands over pieces until there are no more. `take` throws
  /// where the client has gone.
  std::function<void(const std::function<void(std::string_view)>& take)> stream = {};
};

/// What is wrong with a request, in one line.
class RequestError : public std::runtime_error {
 public:
  RequestError(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

inline constexpr int kBadRequest = 400;
inline constexpr int kNotFound = 404;
inline constexpr int kGone = 410;
inline constexpr int kUnavailable = 503;

Answer json_answer(std::string body);
/// {"error": message}
Answer error_answer(int status, std::string_view message);

}  // namespace cgpu
