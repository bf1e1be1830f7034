#include "readers/common/csv.h"

#include <algorithm>
#include <array>

namespace cgpu {

namespace {

constexpr size_t kChunk = size_t{1} << 18;
constexpr size_t kLargestRecord = size_t{64} << 20;

constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> special{};
  for (const unsigned char c : {',', '"', '\n', '\r'}) special[c] = true;
  return special;
}();

/// Characters at the beginning that are nothing but text of a field.
size_t length_of_plain_run(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && !kSpecial[static_cast<unsigned char>(text[size])]) ++size;
  return size;
}

}  // namespace

/// Makes sure that `ahead` characters can be seen, if there are so many.
bool CsvReader::fill(size_t ahead) {
  while (buffer_.size() - at_ < ahead) {
    buffer_.erase(0, at_);
    at_ = 0;
    const size_t held = buffer_.size();
    buffer_.resize(held + kChunk);
    buffer_.resize(held + source_.read(buffer_.data() + held, kChunk));
    if (buffer_.size() == held) return false;
  }
  return true;
}

int CsvReader::peek() {
  return fill(1) ? static_cast<unsigned char>(buffer_[at_]) : -1;
}

int CsvReader::get() {
  const int c = peek();
  if (c >= 0) ++at_;
  if (c == '\n') ++line_;
  return c;
}

bool CsvReader::continues_with(std::string_view prefix) {
  return fill(prefix.size()) && std::string_view(buffer_).substr(at_).starts_with(prefix);
}

bool CsvReader::skip_line() {
  for (int c = get(); c != '\n'; c = get()) {
    if (c < 0) return false;
  }
  return true;
}

bool CsvReader::next(std::vector<std::string>& fields) {
  while (peek() == '\n' || peek() == '\r') get();
  if (peek() < 0) {
    fields.clear();
    return false;
  }
  record_line_ = line_;
  size_t count = 0;  // of the fields so far: the strings of the last record are used again
  const auto begin_field = [&] {
    if (count == fields.size()) fields.emplace_back();
    fields[count++].clear();
  };
  begin_field();
  size_t size = 0;
  bool quoted = false;  // inside quotes
  bool fresh = true;    // nothing of the field was read yet
  bool ended = false;
  while (!ended && size <= kLargestRecord && fill(1)) {
    std::string& field = fields[count - 1];
    const std::string_view seen = std::string_view(buffer_).substr(at_);
    const std::string_view run = seen.substr(0, quoted ? seen.find('"') : length_of_plain_run(seen));
    if (!run.empty()) {
      field += run;
      fresh = false;
      size += run.size();
      if (quoted) line_ += std::count(run.begin(), run.end(), '\n');
      at_ += run.size();
      if (run.size() == seen.size()) continue;
    }
    const int c = get();
    ++size;
    if (quoted && peek() != '"') {
      quoted = false;
    } else if (quoted) {
      field.push_back(static_cast<char>(get()));
    } else if (c == ',') {
      size += sizeof(std::string);
      begin_field();
      fresh = true;
    } else if (c == '\n' || (c == '\r' && (peek() == '\n' || peek() < 0))) {
      if (c == '\r') get();
      ended = true;
    } else if (c == '"' && fresh) {
      quoted = true;
      fresh = false;
    } else {
      field.push_back(static_cast<char>(c));
      fresh = false;
    }
  }
  const bool cut = !ended && !quoted && count < fewest_fields_;
  unfinished_ = unfinished_ || quoted || cut || size > kLargestRecord;
  if (cut) --count;
  if (fewest_fields_ == 0 || count < fewest_fields_) fewest_fields_ = count;
  fields.resize(count);
  return count > 0;
}

}  // namespace cgpu
