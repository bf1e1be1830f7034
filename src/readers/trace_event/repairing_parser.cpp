#include "readers/trace_event/repairing_parser.h"

#include <algorithm>

#include "base/json_text.h"
#include "readers/trace_event/windows.h"

namespace cgpu::trace_event {

namespace {

constexpr size_t npos = std::string_view::npos;
constexpr int kTries = 16;                      // boundaries that are tried as the end of one event
constexpr size_t kScans = 16;                   // of all text, for the ends of events
constexpr size_t kRepairs = 4;                  // likewise; they take ten times as long
constexpr size_t kLeastScan = size_t{1} << 10;  // for the end of an event, whatever the budget

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_json_space(text[at])) ++at;
  return at;
}

/// Whether the quote at `at`, inside a string, ends it: a separator follows that makes sense after a string.
bool ends_string(std::string_view text, size_t at, bool is_key) {
  const size_t next = skip_space(text, at + 1);
  if (next >= text.size()) return true;
  if (is_key) return text[next] == ':';
  if (text[next] == '}' || text[next] == ']') return true;
  if (text[next] != ',') return false;
  const size_t after = skip_space(text, next + 1);
  return after >= text.size() || std::string_view("\"{[-0123456789tfn").find(text[after]) != std::string_view::npos;
}

}  // namespace

std::string repaired_event(std::string_view event) {
  const std::string text = valid_utf8(event);
  std::string out;
  out.reserve(text.size() + 16);
  bool in_string = false;
  bool is_key = false;
  std::string containers;  // stack of '{' and '['
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string) {
      if (c == '{' || c == '[') containers.push_back(c);
      if ((c == '}' || c == ']') && !containers.empty()) containers.pop_back();
      if (c == '"') {
        in_string = true;
        const size_t before = out.find_last_not_of(" \t\r\n");
        is_key = !containers.empty() && containers.back() == '{' && before != std::string::npos && out[before] != ':';
      }
      out.push_back(c);
    } else if (c == '\\') {
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      out.push_back('\\');
      if (std::string_view("\"\\/bfnrtu").find(next) != std::string_view::npos && next != '\0') {
        out.push_back(next);
        ++i;
      } else {
        out.push_back('\\');
      }
    } else if (c == '"') {
      if (ends_string(text, i, is_key)) {
        in_string = false;
      } else {
        out.push_back('\\');
      }
      out.push_back(c);
    } else {
      const bool control = static_cast<unsigned char>(c) < 0x20;
      out.push_back(control ? ' ' : c);
    }
  }
  return out;
}

bool RepairingParser::parse_one(std::string_view event, uint64_t offset, Batch& batch) {
  const auto attempt = [&](std::string_view text) {
    buffer_.assign(1, '[').append(text).push_back(']');
    const size_t size = buffer_.size();
    buffer_.append(simdjson::SIMDJSON_PADDING, ' ');
    Batch one;
    if (!parser_.parse({buffer_.data(), size}, offset - 1, one).ok || one.counts.read != 1) return false;
    batch.append(one);
    return true;
  };
  if (attempt(event)) return true;
  if (!attempt(repaired_event(event))) return false;
  batch.lose(Loss::repaired_event);
  return true;
}

size_t RepairingParser::find_end(std::string_view text, size_t at) {
  const size_t limit = std::max(budget_, kLeastScan);
  const size_t end = end_of_json_object(text, at, limit);
  const size_t scanned = std::min(limit, (end == npos ? text.size() : end) - at);
  budget_ -= std::min(budget_, scanned);
  return end;
}

size_t RepairingParser::next_event(std::string_view text, size_t at, size_t boundary, bool& gave_up) {
  const auto is_balanced = [&](std::string_view event) { return find_end(event, 0) == event.size(); };
  for (int tries = 0; boundary != npos; ++tries, boundary = next_event_boundary(text, boundary + 1)) {
    const std::string_view event = trim_json(text.substr(at, text.rfind(',', boundary) - at));
    if (is_balanced(event) || is_balanced(repaired_event(event))) return boundary;
    spend_on_repair(event.size());
    if (tries == kTries || budget_ == 0 || repair_budget_ == 0) {
      gave_up = true;
      return npos;
    }
  }
  return npos;
}

size_t RepairingParser::parse_next(std::string_view text, size_t at, uint64_t offset, bool last, Batch& batch) {
  const auto read_until = [&](size_t end) {
    return end != npos && parse_one(text.substr(at, end - at), offset + at, batch);
  };
  const auto skip_to = [&](size_t next) {
    ++batch.counts.read;
    ++batch.counts.skipped;
    batch.lose(Loss::broken_event);
    return next;
  };
  const size_t boundary = next_event_boundary(text, at + 1);
  if (text[at] != '{') return boundary == npos && !last ? at : skip_to(std::min(boundary, text.size()));

  // The usual way is the object's own end. Broken strings hide it; then the next event's beginning is the end.
  const size_t end = find_end(text, at);
  const bool holds_others = end != npos && boundary < end;
  if (!holds_others || repair_budget_ > 0) {
    if (read_until(end)) return end;
    if (holds_others) spend_on_repair(end - at);
  }
  bool gave_up = false;
  const size_t next = next_event(text, at, boundary, gave_up);
  if (next != npos) return read_until(text.rfind(',', next)) ? next : skip_to(next);
  if (!last && text.size() - at < 4 * kWindowBytes) return at;  // what follows may complete it
  if (gave_up || (!last && boundary != npos)) return skip_to(boundary);
  if (!last) return at;
  // Behind the last event are the closing bracket and what follows it.
  size_t close = text.find(']', at);
  for (int tries = 0; close != npos && tries < kTries; ++tries, close = text.find(']', close + 1)) {
    if (read_until(close)) return close;
    spend_on_repair(close - at);
    if (repair_budget_ == 0) break;
  }
  return end == npos ? at : skip_to(end);
}

RepairingResult RepairingParser::parse(std::string_view text, uint64_t offset, bool last, Batch& batch) {
  RepairingResult result;
  budget_ = kScans * text.size();
  repair_budget_ = kRepairs * text.size();
  size_t at = 0;
  for (;;) {
    while (at < text.size() && (is_json_space(text[at]) || text[at] == ',')) ++at;
    if (at >= text.size()) break;
    if (text[at] == ']') {
      result.closed = true;
      ++at;
      break;
    }
    const size_t next = parse_next(text, at, offset, last, batch);
    if (next == at) break;
    at = next;
  }
  result.consumed = at;
  return result;
}

}  // namespace cgpu::trace_event
