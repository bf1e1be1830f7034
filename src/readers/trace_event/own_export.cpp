#include "readers/trace_event/own_export.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/json_text.h"
#include "base/memory_text.h"
#include "base/to_size.h"
#include "model/export_marks.h"
#include "readers/trace_event/batch.h"

namespace cgpu::trace_event {

namespace {

namespace dom = simdjson::dom;
namespace marks = export_marks;

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kMostOfMark = size_t{1} << 30;
/// The most that is looked at before the name of a mark for the brace that opens it.
constexpr size_t kBeforeName = 256;

size_t back_over_space(std::string_view text, size_t at) {
  while (at > 0 && is_json_space(text[at - 1])) --at;
  return at;
}

/// Whether `token` ends at `at`, white space apart; moves `at` before it.
bool back_over(std::string_view text, size_t& at, std::string_view token) {
  const size_t end = back_over_space(text, at);
  if (!text.substr(0, end).ends_with(token)) return false;
  at = end - token.size();
  return true;
}

/// Where the first event that begins a run is in `text` from `from` on; npos where none is. A string that is its
/// name and nothing else cannot be inside another string: that would have escaped the quotes.
size_t mark_in(std::string_view text, size_t from) {
  static const std::string quoted = '"' + std::string(marks::kRunKey) + '"';
  while (from < text.size()) {
    const void* const found = memmem(text.data() + from, text.size() - from, quoted.data(), quoted.size());
    if (found == nullptr) break;
    const auto name = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    size_t at = name;
    if (back_over(text, at, ":") && back_over(text, at, "\"name\"") && back_over(text, at, "{")) return at;
    from = name + quoted.size();
  }
  return std::string_view::npos;
}

std::string text_of(dom::element element) {
  std::string_view text;
  if (!element.get(text)) return std::string(text);
  return simdjson::to_string(element);
}

/// The lists in the list `key`, each as texts.
std::vector<std::vector<std::string>> lists_of(dom::object args, std::string_view key) {
  std::vector<std::vector<std::string>> lists;
  dom::array outer;
  if (args[key].get(outer)) return lists;
  for (dom::element element : outer) {
    std::vector<std::string>& list = lists.emplace_back();
    dom::array inner;
    if (element.get(inner)) continue;
    for (dom::element one : inner) list.push_back(text_of(one));
  }
  return lists;
}

std::optional<RunMark> parse_mark(std::string_view event) {
  dom::parser parser;
  const simdjson::padded_string padded(event);
  dom::object args;
  uint64_t number = 0;
  dom::element description;
  if (parser.parse(padded)["args"].get(args) || args[marks::kRunNumberMember].get(number) ||
      args[marks::kDescriptionMember].get(description)) {
    return std::nullopt;
  }
  RunMark mark;
  mark.number = number;
  mark.description = simdjson::to_string(description);
  for (const std::vector<std::string>& list : lists_of(args, marks::kTracksMember)) {
    std::vector<std::string>& keys = mark.tracks.emplace_back();
    for (size_t i = 1; i < list.size(); ++i) keys.push_back(list[0] + kKeySeparator + list[i]);
  }
  for (const std::vector<std::string>& list : lists_of(args, marks::kCountersMember)) {
    mark.counters.push_back(list.size() == 2 ? list[0] + kKeySeparator + list[1] : std::string());
  }
  dom::object categories;
  if (!args[marks::kCategoriesMember].get(categories)) {
    for (const dom::key_value_pair& one : categories) mark.categories[std::string(one.key)] = text_of(one.value);
  }
  return mark;
}

/// Where the marks are, as the end of a file says that can be read anywhere.
std::vector<uint64_t> read_positions(TextSource& source) {
  constexpr uint64_t kMostOfEnd = uint64_t{1} << 20;
  const uint64_t length = std::min(source.stored_bytes(), kMostOfEnd);
  std::string end(to_size(length), '\0');
  end.resize(source.read_at(source.stored_bytes() - length, end.data(), end.size()));
  std::vector<uint64_t> positions;
  size_t at = end.rfind('"' + std::string(marks::kRunPositionsKey) + '"');
  if (at == std::string::npos) return positions;
  at = end.find('[', at);
  if (at == std::string::npos) return positions;
  for (++at; at < end.size();) {
    while (at < end.size() && (is_json_space(end[at]) || end[at] == ',')) ++at;
    const auto [stop, error] = std::from_chars(end.data() + at, end.data() + end.size(), positions.emplace_back());
    if (error != std::errc()) {
      positions.pop_back();
      break;
    }
    at = static_cast<size_t>(stop - end.data());
  }
  return positions;
}

}  // namespace

size_t runs_of_export(const TopLevel& top) {
  uint64_t version = 0;
  uint64_t runs = 0;
  const auto set = [](const std::string& json, uint64_t& to) {
    std::from_chars(json.data(), json.data() + json.size(), to);
  };
  for (const auto& [key, json] : top.values) {
    if (key == marks::kVersionKey) set(json, version);
    if (key == marks::kRunsKey) set(json, runs);
  }
  constexpr uint64_t kMostRuns = uint64_t{1} << marks::TrackNumber::kRunBits;
  return version == marks::kVersion && runs <= kMostRuns ? static_cast<size_t>(runs) : 0;
}

size_t runs_of_export(const Input& input) {
  const std::string_view head = input.head;
  if (!trim_json(head).starts_with('{') || head.find(marks::kVersionKey) == std::string_view::npos) return 0;
  MemoryText text(head);
  std::string rest;
  uint64_t offset = 0;
  const size_t runs = runs_of_export(read_until_events(text, input.path, rest, offset));
  constexpr uint64_t kLeastBytes = 20;  // of a run, compressed: each costs a pass over the file
  return runs * kLeastBytes <= input.source->stored_bytes() ? runs : 0;
}

RunText::RunText(TextSource& source, std::string start, uint64_t offset, size_t number)
    : source_(source), quick_(source.is_quick_anywhere()), expected_end_(source.stored_bytes()) {
  if (!quick_ || !jump(number)) {
    text_ = std::move(start);
    begin_ = offset;
    at_ = searched_ = 0;
    at_end_ = false;
    for (;;) {
      const size_t found = mark_in(text_, searched_);
      if (found == std::string_view::npos) {
        searched_ = std::max(at_, text_.size() - std::min(text_.size(), kBeforeName));
        at_ = searched_;
        if (!extend()) break;
        continue;
      }
      at_ = found;
      const bool taken = take_mark();
      if (taken && mark_->number == number) break;
      mark_.reset();
      if (position() == first_) break;  // the file ends within the mark
      searched_ = at_;
    }
  }
  safe_ = searched_ = at_;
}

bool RunText::jump(size_t number) {
  const std::vector<uint64_t> positions = read_positions(source_);
  if (number >= positions.size()) return false;
  begin_ = positions[number];
  if (number + 1 < positions.size()) expected_end_ = std::max(begin_, positions[number + 1]);
  if (!extend() || mark_in(std::string_view(text_).substr(0, kBeforeName), 0) != 0 || !take_mark() ||
      mark_->number != number) {
    mark_.reset();
    expected_end_ = source_.stored_bytes();
    return false;
  }
  return true;
}

bool RunText::take_mark() {
  first_ = begin_ + at_;
  size_t end = end_of_json_object(text_, at_, text_.size());
  while (end == std::string_view::npos && text_.size() - at_ < kMostOfMark && extend()) {
    end = end_of_json_object(text_, at_, text_.size());
  }
  if (end == std::string_view::npos) return false;
  mark_ = parse_mark(std::string_view(text_).substr(at_, end - at_));
  at_ = end;
  if (text_.size() - at_ < kBeforeName) extend();
  size_t next = at_;
  while (next < text_.size() && is_json_space(text_[next])) ++next;
  if (next < text_.size() && text_[next] == ',') at_ = next + 1;
  return mark_.has_value();
}

bool RunText::extend() {
  if (at_end_) return false;
  text_.erase(0, at_);
  begin_ += at_;
  searched_ -= std::min(searched_, at_);
  at_ = 0;
  const size_t before = text_.size();
  const size_t more = std::max(kChunk, before);  // so that a long object is looked through a few times only
  text_.resize(before + more);
  const size_t got = quick_ ? source_.read_at(begin_ + before, text_.data() + before, more)
                            : source_.read(text_.data() + before, more);
  text_.resize(before + got);
  at_end_ = got < more;
  return got > 0;
}

bool RunText::advance() {
  while (!ended_) {
    const size_t found = mark_in(text_, searched_);
    if (found != std::string_view::npos) {
      ended_ = true;
      size_t comma = found;
      back_over(text_, comma, ",");
      safe_ = std::max(at_, comma);
      break;
    }
    searched_ = std::max(at_, text_.size() - std::min(text_.size(), kBeforeName));
    safe_ = at_end_ ? text_.size() : searched_;
    if (safe_ > at_ || !extend()) break;
  }
  if (at_end_ && !ended_) safe_ = text_.size();
  return safe_ > at_;
}

size_t RunText::read_next(char* to, size_t size) {
  size_t given = 0;
  while (given < size && (safe_ > at_ || advance())) {
    const size_t part = std::min(size - given, safe_ - at_);
    std::memcpy(to + given, text_.data() + at_, part);
    at_ += part;
    given += part;
  }
  return given;
}

}  // namespace cgpu::trace_event
