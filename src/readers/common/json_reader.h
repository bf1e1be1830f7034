// JSON in a stream, token by token: for documents that need not fit into memory and may end anywhere. O(1) memory
// besides one token, of at most 16 MB, and a bit for each level of nesting, of at most 1,024.
//
// Strict: at the first place that is no JSON the stream ends, `damage` says why, and all open containers are closed, so
// that callers need no case of their own for a document that is cut off.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"
#include "model/notes.h"

namespace cgpu {

class JsonReader {
 public:
  enum class Token : uint8_t { begin_object, end_object, begin_array, end_array, key, string, number, literal, end };

  explicit JsonReader(TextSource& source) : source_(source), buffer_(kBuffer, '\0') {}

  /// The next token; `end` behind the value, or after damage and the closing of what was open.
  Token next();
  /// Of a key or a string: its text, unescaped and valid UTF-8; of a number or literal: as written. Until the next
  /// token.
  std::string_view text() const { return text_; }
  /// Passes over the value whose first token was the last one given out.
  void skip();

  /// Walks the members of the object that just began: calls member(key), which must read the whole value.
  template <typename Member>
  void each_member(Member member) {
    std::string key;
    while (next() == Token::key) {
      key = text_;
      member(std::string_view(key));
    }
  }
  /// Walks the elements of the array that just began: calls element(first token of it), which must read the rest of it.
  template <typename Element>
  void each_element(Element element) {
    for (Token token = next(); token != Token::end_array && token != Token::end && damage_.empty(); token = next()) {
      element(token);
    }
  }

  /// Calls object() for each element that is an object; it must read the members. Skips other elements.
  template <typename Object>
  void each_object(Object object) {
    each_element([&](Token token) {
      if (token != Token::begin_object) return skip();
      object();
    });
  }

  /// Behind the document: notes what follows it and will not be read, such as a second document.
  void note_trailing_data(Notes& notes);
  /// Also notes damage of the document, with `consequence` behind the text: what that means for the reader.
  void note_end(Notes& notes, const char* consequence = "");

  /// Empty, or what is wrong with the text and where. Damage of the file below it is TextSource's.
  const std::string& damage() const { return damage_; }

 private:
  static constexpr size_t kBuffer = size_t{256} << 10;
  static constexpr size_t kMaxToken = size_t{16} << 20;
  static constexpr size_t kMaxDepth = 1024;
  enum class Expect : uint8_t { value, value_or_end, key, key_or_end, comma_or_end, nothing };

  int peek();  // -1 at the end
  int peek_token();
  void take() { ++at_; }
  Token fail(const char* what);
  Token close();
  Token begin(bool object);
  Token finish_value(Token token);
  Token read_key();
  Token read_string(Token token);
  Token read_bare();
  Token read_value(int first);

  TextSource& source_;
  std::string buffer_;
  size_t at_ = 0;
  size_t size_ = 0;
  uint64_t before_ = 0;  // bytes of the text ahead of the buffer
  std::string text_;
  std::vector<bool> open_;  // containers, true for objects
  Expect expect_ = Expect::value;
  std::string damage_;
};

}  // namespace cgpu
