#include "readers/common/json_reader.h"

#include "base/json_text.h"

namespace cgpu {

int JsonReader::peek() {
  if (at_ == size_) {
    before_ += size_;
    at_ = 0;
    size_ = source_.read(buffer_.data(), buffer_.size());
    if (size_ == 0) return -1;
  }
  return static_cast<unsigned char>(buffer_[at_]);
}

/// Behind white space.
int JsonReader::peek_token() {
  int c = peek();
  while (c >= 0 && is_json_space(static_cast<char>(c))) {
    take();
    c = peek();
  }
  return c;
}

JsonReader::Token JsonReader::fail(const char* what) {
  damage_ = std::string(what) + " at byte " + std::to_string(before_ + at_);
  return close();
}

/// The end of the innermost container, or of the text.
JsonReader::Token JsonReader::close() {
  text_.clear();
  if (open_.empty()) {
    expect_ = Expect::nothing;
    return Token::end;
  }
  const bool object = open_.back();
  open_.pop_back();
  return finish_value(object ? Token::end_object : Token::end_array);
}

JsonReader::Token JsonReader::finish_value(Token token) {
  expect_ = open_.empty() ? Expect::nothing : Expect::comma_or_end;
  return token;
}

JsonReader::Token JsonReader::begin(bool object) {
  if (open_.size() == kMaxDepth) return fail("the text nests too deep");
  take();
  open_.push_back(object);
  expect_ = object ? Expect::key_or_end : Expect::value_or_end;
  return object ? Token::begin_object : Token::begin_array;
}

JsonReader::Token JsonReader::next() {
  if (!damage_.empty()) return close();
  int c = peek_token();
  if (expect_ == Expect::nothing) {
    return c < 0 ? Token::end : fail("there is something behind the end of the document");
  }
  if (c < 0) return fail("the text ends early");
  if (expect_ == Expect::comma_or_end) {
    if (c == (open_.back() ? '}' : ']')) {
      take();
      return close();
    }
    if (c != ',') return fail("a comma is missing");
    take();
    expect_ = open_.back() ? Expect::key : Expect::value;
    c = peek_token();
    if (c < 0) return fail("the text ends early");
  }
  if ((expect_ == Expect::key_or_end && c == '}') || (expect_ == Expect::value_or_end && c == ']')) {
    take();
    return close();
  }
  if (expect_ == Expect::key || expect_ == Expect::key_or_end) return c == '"' ? read_key() : fail("a key is missing");
  return read_value(c);
}

JsonReader::Token JsonReader::read_value(int first) {
  if (first == '{' || first == '[') return begin(first == '{');
  if (first == '"') return read_string(Token::string);
  return read_bare();
}

JsonReader::Token JsonReader::read_key() {
  const Token token = read_string(Token::key);
  if (!damage_.empty()) return token;
  if (peek_token() != ':') return fail("a colon is missing");
  take();
  expect_ = Expect::value;
  return token;
}

JsonReader::Token JsonReader::read_string(Token token) {
  take();
  text_.clear();
  bool plain = true;
  for (;;) {
    if (peek() < 0) return fail("a string has no end");
    const size_t from = at_;
    while (at_ < size_ && buffer_[at_] != '"' && buffer_[at_] != '\\') {
      plain = plain && static_cast<signed char>(buffer_[at_]) >= 0;
      ++at_;
    }
    if (text_.size() + (at_ - from) > kMaxToken) return fail("a string is too long");
    text_.append(buffer_, from, at_ - from);
    if (at_ == size_) continue;
    const char c = buffer_[at_];
    take();
    if (c == '"') break;
    plain = false;
    text_ += c;
    const int escaped = peek();
    if (escaped < 0) return fail("a string has no end");
    text_ += static_cast<char>(escaped);
    take();
  }
  if (!plain) text_ = valid_utf8(unescape_json(text_));
  return finish_value(token);
}

/// A number or a literal: up to what cannot be a part of one.
JsonReader::Token JsonReader::read_bare() {
  text_.clear();
  for (int c = peek(); c >= 0; c = peek()) {
    const bool part =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
    if (!part) break;
    if (text_.size() == 4096) return fail("a number is too long");
    text_ += static_cast<char>(c);
    take();
  }
  if (text_.empty()) return fail("a value is missing");
  const char first = text_.front();
  if ((first >= '0' && first <= '9') || first == '-') return finish_value(Token::number);
  if (text_ == "true" || text_ == "false" || text_ == "null" || text_ == "NaN" || text_ == "Infinity") {
    return finish_value(Token::literal);
  }
  return fail("a value is missing");
}

void JsonReader::note_trailing_data(Notes& notes) {
  if (damage_.empty() && open_.empty() && peek_token() >= 0) cgpu::note_trailing_data(notes, before_ + at_);
}

void JsonReader::note_end(Notes& notes, const char* consequence) {
  if (!damage_.empty()) notes.add("truncated_input", 1, damage_ + consequence, true);
  note_trailing_data(notes);
}

void JsonReader::skip() {
  // A value just given out as a whole needs nothing; of a container all is read that lies deeper than it.
  if (expect_ != Expect::key_or_end && expect_ != Expect::value_or_end) return;
  const size_t depth = open_.size() - 1;
  while (open_.size() > depth) next();
}

}  // namespace cgpu
