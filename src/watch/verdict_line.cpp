#include "watch/verdict_line.h"

#include <utility>

#include "base/memory_text.h"
#include "base/parse_number.h"
#include "readers/common/json_reader.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

using Token = JsonReader::Token;

std::optional<WatchOutcome> outcome_called(std::string_view text) {
  for (size_t i = 0; i < kWatchOutcomes; ++i) {
    if (text == text_of(static_cast<WatchOutcome>(i))) return static_cast<WatchOutcome>(i);
  }
  return std::nullopt;
}

/// A line, and which of the members that it must have are known.
struct ParsedLine {
  VerdictLine line;
  bool has_outcome = false;
  bool has_size = false;
  bool has_time = false;
};

void read_text(std::string_view key, std::string_view text, ParsedLine& parsed) {
  VerdictLine& line = parsed.line;
  if (key == "profile") line.profile = text;
  if (key == "summary") line.summary = text;
  if (key == "headline") line.headline = text;
  if (key == "error") line.error = text;
  if (key != "outcome") return;
  const std::optional<WatchOutcome> outcome = outcome_called(text);
  parsed.has_outcome = outcome.has_value();
  line.outcome = outcome.value_or(WatchOutcome::error);
}

void read_number(std::string_view key, std::string_view text, ParsedLine& parsed) {
  VerdictLine& line = parsed.line;
  if (key == "step_ns") line.step_ns = parse_finite_number(text);
  if (key == "size_bytes") {
    const auto size = parse_number<uint64_t>(text);
    parsed.has_size = size.has_value();
    line.version.size = size.value_or(0);
  }
  const auto number = parse_number(text);
  if (!number) return;
  if (key == "modified_unix_ns") {
    parsed.has_time = true;
    line.version.modified_unix_ns = *number;
  }
  if (key == "peak_bytes") line.peak_bytes = *number;
  if (key == "waiting") line.waiting = static_cast<size_t>(*number);
  if (key == "took_ns") line.took_ns = *number;
  if (key == "judged_unix_ns") line.judged_unix_ns = *number;
}

}  // namespace

const char* text_of(WatchOutcome outcome) {
  switch (outcome) {
    case WatchOutcome::pass:
      return text_of(Outcome::pass);
    case WatchOutcome::regression:
      return text_of(Outcome::regression);
    case WatchOutcome::inconclusive:
      return text_of(Outcome::inconclusive);
    case WatchOutcome::not_comparable:
      return text_of(Outcome::not_comparable);
    case WatchOutcome::no_baseline:
      return "no baseline";
    case WatchOutcome::error:
      break;
  }
  return "error";
}

WatchOutcome watch_outcome_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return WatchOutcome::pass;
    case Outcome::regression:
      return WatchOutcome::regression;
    case Outcome::inconclusive:
      return WatchOutcome::inconclusive;
    case Outcome::not_comparable:
      break;
  }
  return WatchOutcome::not_comparable;
}

std::string verdict_to_json(const VerdictLine& line) {
  JsonTextWriter json;
  json.begin_object().member("schema", "cgpu/1").member("command", "watch").member("profile", line.profile);
  json.member("size_bytes", line.version.size).member("modified_unix_ns", line.version.modified_unix_ns);
  json.member("summary", line.summary).member("outcome", text_of(line.outcome));
  json.member("headline", line.headline).member("error", line.error);
  json.member("warnings", line.warnings);
  json.member("step_ns", line.step_ns).member("peak_bytes", line.peak_bytes);
  json.member("waiting", line.waiting).member("took_ns", line.took_ns).member("judged_unix_ns", line.judged_unix_ns);
  json.end_object();
  return std::move(json).text();
}

std::optional<VerdictLine> verdict_from_json(std::string_view text) {
  MemoryText source(text);
  JsonReader json(source);
  if (json.next() != Token::begin_object) return std::nullopt;
  ParsedLine parsed;
  json.each_member([&](std::string_view key) {
    const Token token = json.next();
    if (token == Token::string) return read_text(key, json.text(), parsed);
    if (token == Token::number) return read_number(key, json.text(), parsed);
    json.skip();
  });
  const bool is_whole = parsed.has_outcome && parsed.has_size && parsed.has_time && !parsed.line.profile.empty();
  return json.damage().empty() && is_whole ? std::optional(std::move(parsed.line)) : std::nullopt;
}

}  // namespace cgpu
