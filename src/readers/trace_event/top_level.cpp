#include "readers/trace_event/top_level.h"

#include "base/error.h"
#include "base/json_text.h"
#include "base/to_size.h"

namespace cgpu::trace_event {

namespace {

constexpr size_t kReadAtOnce = size_t{64} << 10;
constexpr size_t kMaxValue = size_t{8} << 20;
constexpr int kEnd = -1;

/// Characters of a source, or of a text that is all there is.
class Characters {
 public:
  explicit Characters(TextSource& source) : source_(&source) {}
  explicit Characters(std::string_view text) : buffer_(text) {}

  int peek() {
    if (at_ == buffer_.size() && !refill()) return kEnd;
    return static_cast<unsigned char>(buffer_[at_]);
  }
  int get() {
    const int c = peek();
    if (c != kEnd) ++at_;
    return c;
  }
  void skip_space() {
    while (peek() != kEnd && is_json_space(static_cast<char>(peek()))) ++at_;
  }
  uint64_t position() const { return before_ + at_; }
  std::string rest() const { return buffer_.substr(at_); }

 private:
  bool refill() {
    if (!source_) return false;
    before_ += buffer_.size();
    buffer_.resize(kReadAtOnce);
    buffer_.resize(source_->read(buffer_.data(), kReadAtOnce));
    at_ = 0;
    return !buffer_.empty();
  }

  TextSource* source_ = nullptr;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t before_ = 0;  // bytes before the buffer
};

/// Reads a string whose opening quote is next; its raw inside goes to `out` (up to kMaxValue). False if it does not
/// end.
bool read_string(Characters& in, std::string& out) {
  in.get();
  for (int c = in.get(); c != kEnd; c = in.get()) {
    if (c == '"') return true;
    if (out.size() < kMaxValue) out.push_back(static_cast<char>(c));
    if (c == '\\') {
      const int next = in.get();
      if (next == kEnd) return false;
      if (out.size() < kMaxValue) out.push_back(static_cast<char>(next));
    }
  }
  return false;
}

/// Reads any value; its text goes to `out`. False if it does not end.
bool read_value(Characters& in, std::string& out) {
  int depth = 0;
  for (int c = in.peek(); c != kEnd; c = in.peek()) {
    if (c == '"') {
      out.push_back('"');
      if (!read_string(in, out)) return false;
      out.push_back('"');
      if (depth == 0) return true;
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',' || is_json_space(static_cast<char>(c)))) return true;  // a scalar ended
    if (closes) --depth;
    if (c == '{' || c == '[') ++depth;
    if (out.size() < kMaxValue) out.push_back(static_cast<char>(c));
    in.get();
    if (closes && depth == 0) return true;
  }
  return false;
}

enum class Stop { events, end, broken, truncated };

/// Reads `"key": value` pairs up to the array of events or the closing brace.
Stop read_keys(Characters& in, TopLevel& top, bool stop_at_events) {
  for (;;) {
    in.skip_space();
    while (in.peek() == ',') {
      in.get();
      in.skip_space();
    }
    if (in.peek() == kEnd) return Stop::truncated;
    if (in.peek() == '}') {
      in.get();
      return Stop::end;
    }
    if (in.peek() != '"') return Stop::broken;
    std::string key;
    if (!read_string(in, key)) return Stop::truncated;
    in.skip_space();
    if (in.peek() == kEnd) return Stop::truncated;
    if (in.get() != ':') return Stop::broken;
    in.skip_space();
    if (key == "traceEvents" && stop_at_events && in.peek() == '[') {
      in.get();
      return Stop::events;
    }
    std::string value;
    if (!read_value(in, value)) return Stop::truncated;
    if (value.size() < kMaxValue) {
      top.values.emplace_back(unescape_json(key), std::move(value));
    } else {
      top.left_out.push_back(unescape_json(key));
    }
  }
}

}  // namespace

TopLevel read_until_events(TextSource& source, const std::string& file, std::string& rest, uint64_t& offset) {
  TopLevel top;
  Characters in(source);
  in.skip_space();
  const auto at = [&] { return " at byte " + std::to_string(in.position()); };
  if (in.peek() == '[') {
    in.get();
    top.has_events = true;
  } else if (in.peek() == '{') {
    in.get();
    top.is_object = true;
    switch (read_keys(in, top, true)) {
      case Stop::events:
        top.has_events = true;
        break;
      case Stop::end:
        top.complete = true;
        break;
      case Stop::broken:
        throw Error(file, "is not a JSON trace: a key was expected" + at());
      case Stop::truncated:
        if (top.values.empty()) throw Error(file, "is not a JSON trace: it ends" + at() + " before any key");
        break;
    }
  } else {
    const std::string hint = source.damage().empty() ? "it begins neither with { nor with [" : source.damage();
    throw Error(file, "is not a JSON trace: " + hint);
  }
  in.skip_space();
  in.peek();
  rest = in.rest();
  offset = in.position();
  return top;
}

void read_after_events(std::string_view tail, TopLevel& top, size_t& trailing) {
  Characters in(tail);
  top.complete = !top.is_object || read_keys(in, top, false) == Stop::end;
  in.skip_space();
  trailing = top.complete && in.peek() != kEnd ? to_size(in.position()) : std::string_view::npos;
}

}  // namespace cgpu::trace_event
