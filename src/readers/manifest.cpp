#include "readers/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "base/memory_text.h"
#include "base/parse_number.h"
#include "readers/common/json_reader.h"

namespace cgpu {

namespace {

using Token = JsonReader::Token;

std::optional<double> real_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Line {
  std::string kind;
  std::string job;
  std::string ranks;
  RecordedProcess process;
};

/// One scalar member of a line; others are passed over.
void read_member(JsonReader& json, std::string_view key, Line& line) {
  const Token token = json.next();
  RecordedProcess& process = line.process;
  const std::string_view text = json.text();
  if (token == Token::string) {
    if (key == "kind") line.kind = text;
    if (key == "job") line.job = text;
    if (key == "ranks") line.ranks = text;
    if (key == "tool") process.tool = text;
    if (key == "tool_version") process.tool_version = text;
    if (key == "file") process.file = text;
    if (key == "steps_by") process.steps_by = text;
    if (key == "ended") process.ended = text;
    if (key == "failed") process.failed = text;
  } else if (token == Token::number) {
    if (key == "rank") process.rank = parse_number(text);
    if (key == "world_size") process.world_size = parse_number(text);
    if (key == "steps") process.steps = parse_number(text);
    if (key == "overhead_percent") process.overhead_percent = real_number(text);
  } else {
    json.skip();
  }
}

/// Nothing where the text is no complete JSON object.
std::optional<Line> read_line(const std::string& text) {
  MemoryText source(text);
  JsonReader json(source);
  if (json.next() != Token::begin_object) return std::nullopt;
  Line line;
  json.each_member([&](std::string_view key) { read_member(json, key, line); });
  return json.damage().empty() ? std::optional(std::move(line)) : std::nullopt;
}

}  // namespace

std::optional<RecordingManifest> read_manifest(const std::string& folder) {
  constexpr size_t kMostLines = 100'000;
  constexpr uintmax_t kMostBytes = uintmax_t{64} << 20;
  const std::string path = folder + "/" + std::string(kManifestName);
  std::error_code missing;
  if (std::filesystem::file_size(path, missing) > kMostBytes || missing) return std::nullopt;
  std::ifstream file(path);
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  std::optional<Line> first = read_line(text);
  if (!first || first->kind != "recording") return std::nullopt;
  RecordingManifest manifest{first->process.tool, first->job, first->ranks, {}, {}};
  while (manifest.processes.size() + manifest.steps.size() < kMostLines && std::getline(file, text)) {
    std::optional<Line> line = read_line(text);
    if (!line) continue;
    if (line->kind == "process") manifest.processes.push_back(std::move(line->process));
    if (line->kind == "steps") manifest.steps.push_back(std::move(line->process));
  }
  return manifest;
}

std::vector<std::string> words_of_missing_ranks(const RecordingManifest& manifest) {
  constexpr size_t kMostNamed = 8;
  if (!manifest.ranks.empty()) return {};  // the others were not to record
  std::set<int64_t> ranks;
  int64_t expected = 0;
  for (const RecordedProcess& process : manifest.processes) {
    if (process.rank) ranks.insert(*process.rank);
    expected = std::max(expected, process.world_size.value_or(0));
  }
  std::vector<std::string> words;
  for (int64_t rank = 0; rank < expected && words.size() < kMostNamed; ++rank) {
    if (!ranks.contains(rank)) {
      words.push_back(
          fmt::format("rank {}: it left nothing; it was killed, ended before the recording, or runs still", rank));
    }
  }
  return words;
}

void note_recording(const std::string& folder, Notes& notes) {
  constexpr double kNoticeable = 5;  // percent
  const auto manifest = read_manifest(folder);
  if (!manifest) return;
  for (const std::string& missing : words_of_missing_ranks(*manifest)) {
    notes.add("recording_failed", 1, "the recording of " + missing, true);
  }
  const auto note = [&](const RecordedProcess& process, bool is_damage) {
    const std::string who = process.rank ? "rank " + std::to_string(*process.rank) : "the program";
    if (!process.failed.empty()) {
      notes.add("recording_failed", 1, "the recording of " + who + " failed: " + process.failed, is_damage);
    }
    if (process.overhead_percent && *process.overhead_percent >= kNoticeable) {
      notes.add("recording_overhead", 1,
                fmt::format("the recorded steps of {} took {:.0f} % longer than those before", who,
                            *process.overhead_percent));
    }
  };
  for (const RecordedProcess& process : manifest->processes) note(process, process.file.empty());
  for (const RecordedProcess& process : manifest->steps) note(process, false);
}

}  // namespace cgpu
