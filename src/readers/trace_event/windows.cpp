#include "readers/trace_event/windows.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/json_text.h"

namespace cgpu::trace_event {

namespace {

/// The keys with which profilers begin an event.
constexpr std::array<std::string_view, 11> kFirstKeys{"ph",  "name", "cat",  "ts", "pid", "tid",
                                                      "dur", "id",   "args", "bp", "s"};

/// Whether `text` has at `brace` a `{` that begins an event behind a comma; then where that comma is.
std::optional<size_t> comma_before_event(std::string_view text, size_t brace) {
  size_t before = brace;
  while (before > 0 && is_json_space(text[before - 1])) --before;
  if (before == 0 || text[before - 1] != ',') return std::nullopt;
  const size_t comma = --before;
  while (before > 0 && is_json_space(text[before - 1])) --before;
  if (before == 0 || text[before - 1] != '}') return std::nullopt;

  size_t after = brace + 1;
  while (after < text.size() && is_json_space(text[after])) ++after;
  if (after >= text.size() || text[after] != '"') return std::nullopt;
  const std::string_view rest = text.substr(after + 1, 6);
  const size_t quote = rest.find('"');
  if (quote == std::string_view::npos) return std::nullopt;
  const std::string_view key = rest.substr(0, quote);
  if (std::find(kFirstKeys.begin(), kFirstKeys.end(), key) == kFirstKeys.end()) return std::nullopt;
  after += quote + 2;
  while (after < text.size() && is_json_space(text[after])) ++after;
  if (after >= text.size() || text[after] != ':') return std::nullopt;
  return comma;
}

}  // namespace

size_t last_event_boundary(std::string_view text) {
  for (size_t at = text.rfind('{'); at != std::string_view::npos && at > 0; at = text.rfind('{', at - 1)) {
    if (comma_before_event(text, at)) return at;
  }
  return std::string_view::npos;
}

size_t next_event_boundary(std::string_view text, size_t from) {
  for (size_t at = text.find('{', from); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (comma_before_event(text, at)) return at;
  }
  return std::string_view::npos;
}

bool WindowReader::next(Window& window) {
  if (finished_) return false;
  size_t capacity = std::max(kWindowBytes, carry_.size() + kWindowBytes / 2);
  size_t size = carry_.size();
  const auto reserve = [&] {
    if (window.buffer.size() < capacity + 2 + simdjson::SIMDJSON_PADDING) {
      window.buffer.resize(capacity + 2 + simdjson::SIMDJSON_PADDING);
    }
  };
  reserve();
  std::memcpy(window.buffer.data() + 1, carry_.data(), carry_.size());
  size_t cut = std::string_view::npos;
  for (;;) {
    size += source_.read(window.buffer.data() + 1 + size, capacity - size);
    if (size < capacity) {
      finished_ = true;
      break;
    }
    cut = last_event_boundary({window.buffer.data() + 1, size});
    if (cut != std::string_view::npos) break;
    if (capacity >= kMaxWindowBytes) {
      cut = size;  // no event ends here: hand over what there is
      break;
    }
    capacity *= 2;
    reserve();
  }

  const std::string_view text(window.buffer.data() + 1, size);
  window.size = finished_ || cut == size ? size : *comma_before_event(text, cut);
  window.offset = offset_;
  window.number = number_++;
  window.last = finished_;
  carry_.clear();
  if (!finished_) {
    carry_.assign(text.substr(cut));
    offset_ += cut;
  }
  window.buffer[0] = '[';
  window.buffer[window.size + 1] = ']';
  std::memset(window.buffer.data() + window.size + 2, ' ', simdjson::SIMDJSON_PADDING);
  return true;
}

}  // namespace cgpu::trace_event
