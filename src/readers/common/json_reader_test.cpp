#include "readers/common/json_reader.h"

#include <gtest/gtest.h>

#include "base/test_file.h"

namespace cgpu {
namespace {

using Token = JsonReader::Token;

/// The tokens of a text, one character each, with the texts of keys and values behind them.
std::string tokens_of(const std::string& text, std::string* damage = nullptr) {
  const test::TestFile file(text.empty() ? " " : text);
  const auto source = open_text(file.path());
  JsonReader json(*source);
  std::string out;
  for (Token token = json.next(); token != Token::end; token = json.next()) {
    switch (token) {
      case Token::begin_object:
        out += '{';
        break;
      case Token::end_object:
        out += '}';
        break;
      case Token::begin_array:
        out += '[';
        break;
      case Token::end_array:
        out += ']';
        break;
      case Token::key:
        out += "k:" + std::string(json.text()) + ' ';
        break;
      case Token::string:
        out += "s:" + std::string(json.text()) + ' ';
        break;
      case Token::number:
        out += "n:" + std::string(json.text()) + ' ';
        break;
      default:
        out += "l:" + std::string(json.text()) + ' ';
        break;
    }
  }
  if (damage) *damage = json.damage();
  return out;
}

TEST(JsonReader, GivesTokensInOrder) {
  std::string damage;
  EXPECT_EQ(tokens_of(R"( {"a": [1, -2.5e3, "x\"\u00e9\n", true, null, {}], "b": {"c": []}} )", &damage),
            "{k:a [n:1 n:-2.5e3 s:x\"\xc3\xa9\n l:true l:null {}]k:b {k:c []}}");
  EXPECT_EQ(damage, "");
  EXPECT_EQ(tokens_of("7", &damage), "n:7 ");
  EXPECT_EQ(damage, "");
}

TEST(JsonReader, ClosesWhatIsOpenWhereTheTextEnds) {
  const std::string whole = R"({"a": [1, {"b": "text", "c": [true, [2]]}], "d": -1.5})";
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string damage;
    const std::string tokens = tokens_of(whole.substr(0, size), &damage);
    EXPECT_NE(damage, "") << size;
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), '{'), std::count(tokens.begin(), tokens.end(), '}')) << size;
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), '['), std::count(tokens.begin(), tokens.end(), ']')) << size;
  }
}

TEST(JsonReader, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "}", "[1 2]", "[1,]", "{1: 2}", "{\"a\" 1}", "{\"a\":}", "[tru]", "[1]]", "{]",
                           "[}", "[\"a]", "[\"a\\", "x", "[,]", "{\"a\":1,}"}) {
    std::string damage;
    tokens_of(text, &damage);
    EXPECT_NE(damage, "") << text;
  }
  std::string damage;
  tokens_of(std::string(100000, '['), &damage);
  EXPECT_NE(damage.find("too deep"), std::string::npos);
}

TEST(JsonReader, LongStringsCrossTheBuffer) {
  const std::string inside(700000, 'x');
  EXPECT_EQ(tokens_of("[\"" + inside + "\\u0041\"]"), "[s:" + inside + "A ]");
}

TEST(JsonReader, WalksMembersAndSkipsTheRest) {
  const test::TestFile file(R"({"skip": [1, {"a": [2]}], "empty": {}, "list": [[], 3, {"x": 4}], "last": "z"})");
  const auto source = open_text(file.path());
  JsonReader json(*source);
  std::string seen;
  ASSERT_EQ(json.next(), Token::begin_object);
  json.each_member([&](std::string_view key) {
    seen.append(key).append(" ");
    const Token value = json.next();
    if (key == "list") {
      json.each_element([&](Token element) {
        seen += element == Token::number ? "n " : "c ";
        json.skip();
      });
    } else if (value == Token::string) {
      seen += json.text();
    } else {
      json.skip();
    }
  });
  EXPECT_EQ(seen, "skip empty list c n c last z");
  EXPECT_EQ(json.next(), Token::end);
  EXPECT_EQ(json.damage(), "");
}

TEST(JsonReader, NotesWhatFollowsTheDocument) {
  for (const auto& [text, place] : std::vector<std::pair<std::string, std::string>>{
           {R"({"a": [1]})", ""}, {"[]\n\t ", ""}, {"{} []", "byte 3"}, {"[1][2]", "byte 3"}, {"{}}", "byte 2"}}) {
    const test::TestFile file(text);
    const auto source = open_text(file.path());
    JsonReader json(*source);
    json.next();
    json.skip();
    Notes notes;
    json.note_trailing_data(notes);
    EXPECT_EQ(notes.count("trailing_data"), place.empty() ? 0 : 1) << text;
    if (!place.empty()) {
      EXPECT_NE(notes.all()[0].text.find(place), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace cgpu
