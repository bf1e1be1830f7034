#include "readers/common/csv.h"

namespace cgpu {

namespace {

constexpr size_t kChunk = size_t{1} << 18;
constexpr size_t kLargestRecord = size_t{64} << 20;

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
  fields.clear();
  while (peek() == '\n' || peek() == '\r') get();
  if (peek() < 0) return false;
  record_line_ = line_;
  fields.emplace_back();
  size_t size = 0;
  bool quoted = false;  // inside quotes
  bool fresh = true;    // nothing of the field was read yet
  for (int c = get(); c >= 0; c = get()) {
    size += c == ',' ? sizeof(std::string) : 1;
    if (size > kLargestRecord) break;
    if (quoted) {
      if (c != '"') {
        fields.back().push_back(static_cast<char>(c));
      } else if (peek() == '"') {
        fields.back().push_back(static_cast<char>(get()));
      } else {
        quoted = false;
      }
    } else if (c == ',') {
      fields.emplace_back();
      fresh = true;
      continue;
    } else if (c == '\n' || (c == '\r' && peek() == '\n')) {
      if (c == '\r') get();
      return true;
    } else if (c == '"' && fresh) {
      quoted = true;
    } else {
      fields.back().push_back(static_cast<char>(c));
    }
    fresh = false;
  }
  unfinished_ = quoted || size > kLargestRecord;
  return true;
}

}  // namespace cgpu
