#include "serve/http/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace cgpu {

Parameters::Parameters(const Request& request, std::initializer_list<std::string_view> known) : request_(request) {
  for (auto at = request.query.begin(); at != request.query.end(); ++at) {
    if (std::find(known.begin(), known.end(), at->first) == known.end()) {
      throw RequestError(kBadRequest, fmt::format("unknown parameter '{:.40}'; there are: {}", at->first,
                                                  fmt::join(known.begin(), known.end(), ", ")));
    }
    if (request.query.count(at->first) > 1) throw RequestError(kBadRequest, at->first + " is given more than once");
  }
}

std::optional<std::string> Parameters::text(const std::string& name) const {
  const auto at = request_.query.find(name);
  return at == request_.query.end() ? std::nullopt : std::optional(at->second);
}

std::string Parameters::required_text(const std::string& name) const {
  if (auto given = text(name)) return *std::move(given);
  throw RequestError(kBadRequest, name + " is missing");
}

std::optional<int64_t> Parameters::integer(const std::string& name, int64_t least, int64_t most) const {
  const auto given = text(name);
  return given ? std::optional(parse_integer(*given, name, least, most)) : std::nullopt;
}

int64_t Parameters::required_integer(const std::string& name, int64_t least, int64_t most) const {
  return parse_integer(required_text(name), name, least, most);
}

std::optional<int64_t> Parameters::time(const std::string& name, int64_t span) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const int64_t time = parse_integer(*given, name, INT64_MIN, INT64_MAX);
  if (time < 0 || time > span) {
    throw RequestError(kBadRequest,
                       fmt::format("{}: a time from 0 to the end of the session, {}, was expected", name, span));
  }
  return time;
}

TimeWindow Parameters::window(int64_t span) const {
  const TimeWindow window{time("from", span), time("to", span)};
  if (window.from && window.to && *window.from >= *window.to) throw RequestError(kBadRequest, "from is not before to");
  return window;
}

bool Parameters::flag(const std::string& name) const {
  return integer(name, 0, 1).value_or(0) == 1;
}

std::optional<std::vector<int64_t>> Parameters::integers(const std::string& name, int64_t least, int64_t most) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  std::vector<int64_t> numbers;
  for (size_t at = 0; at <= given->size();) {
    const size_t comma = std::min(given->find(',', at), given->size());
    numbers.push_back(parse_integer(std::string_view(*given).substr(at, comma - at), name, least, most));
    at = comma + 1;
  }
  return numbers;
}

int64_t parse_integer(std::string_view text, const std::string& name, int64_t least, int64_t most) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size()) {
    throw RequestError(kBadRequest, fmt::format("{}: an integer was expected", name));
  }
  if (error == std::errc::result_out_of_range || number < least || number > most) {
    throw RequestError(kBadRequest, fmt::format("{}: from {} to {} was expected", name, least, most));
  }
  return number;
}

}  // namespace cgpu
