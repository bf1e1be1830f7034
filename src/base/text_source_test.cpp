#include "base/text_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/test_file.h"

namespace cgpu {
namespace {

using test::TestFile;

std::string numbered_lines(size_t bytes) {
  std::string text;
  text.reserve(bytes + 32);
  for (size_t i = 0; text.size() < bytes; ++i) text += "line " + std::to_string(i * 7919 % 1000003) + "\n";
  return text;
}

std::string read_all(TextSource& source, size_t block = 100000) {
  std::string text;
  std::string buffer(block, '\0');
  while (const size_t got = source.read(buffer.data(), block)) text.append(buffer, 0, got);
  return text;
}

std::string read_at(TextSource& source, uint64_t position, size_t size) {
  std::string text(size, '\0');
  text.resize(source.read_at(position, text.data(), size));
  return text;
}

TEST(TextSource, PlainGzipAndZstdGiveTheSameText) {
  const std::string text = numbered_lines(3 << 20);
  for (const std::string& stored : {text, test::gzip(text), test::zstd(text)}) {
    const TestFile file(stored);
    const auto source = open_text(file.path());
    EXPECT_EQ(read_at(*source, 1000, 50), text.substr(1000, 50)) << "before reading";
    EXPECT_TRUE(read_all(*source) == text);
    EXPECT_EQ(source->text_position(), text.size());
    EXPECT_EQ(source->stored_position(), stored.size());
    EXPECT_EQ(source->damage(), "");
  }
}

/// `times` one after the other are the text of `times` times the piece.
std::string repeated(const std::string& piece, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += piece;
  return all;
}

TEST(TextSource, TextThatSwellsEndsAndIsSaidToBeDamaged) {
  const std::string zeros(size_t{16} << 20, '\0');
  const TestFile file(repeated(test::zstd(zeros), 40));
  const auto source = open_text(file.path());
  std::string block(1 << 20, '\0');
  while (source->read(block.data(), block.size()) > 0) continue;
  EXPECT_NE(source->damage().find("more than 200 times its size"), std::string::npos) << source->damage();
  EXPECT_LE(source->text_position(), uint64_t{257} << 20);
}

TEST(TextSource, TextThatCompressesWellIsReadWhole) {
  const std::string text = numbered_lines(1 << 20);
  std::string piece;  // the same 32 kB and then other ones, which deflate shortens 30-fold and more
  for (size_t at = 0; at + 32768 <= text.size(); at += 32768) piece += repeated(text.substr(at, 2048), 64);
  const std::string stored = test::gzip(piece);
  ASSERT_GT(piece.size(), 30 * stored.size());
  const size_t times = (size_t{300} << 20) / piece.size() + 1;
  const TestFile file(repeated(stored, times));
  const auto source = open_text(file.path());
  std::string block(1 << 20, '\0');
  while (source->read(block.data(), block.size()) > 0) continue;
  EXPECT_EQ(source->damage(), "");
  EXPECT_EQ(source->text_position(), times * piece.size());
}

TEST(SpooledPipe, ReadsNoFurtherThanItIsAsked) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "0123456789", 10), 10);
  const SpooledPipe spooled(std::make_shared<File>(ends[0], "a pipe"));
  char text[16] = {};
  EXPECT_EQ(spooled.read_at(2, text, 5), 5U);  // the other end is still open
  EXPECT_EQ(std::string(text, 5), "23456");
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ::close(ends[1]);
  EXPECT_EQ(spooled.size(), 10U);
  EXPECT_EQ(spooled.read_at(9, text, 16), 4U);
  EXPECT_EQ(spooled.size(), 13U);
  EXPECT_EQ(std::string(text, 4), "9abc");
  EXPECT_EQ(spooled.read_at(0, text, 2), 2U);
}

TEST(TextSource, RandomAccessBeyondSnapshotsEqualsThePlainText) {
  const std::string text = numbered_lines(size_t{150} << 20);  // two snapshots
  const TestFile file(test::gzip(text));
  const auto source = open_text(file.path());
  EXPECT_TRUE(read_all(*source, 1 << 20) == text);
  std::mt19937_64 random(7);
  for (int i = 0; i < 12; ++i) {
    const uint64_t at = random() % text.size();
    EXPECT_EQ(read_at(*source, at, 300), text.substr(at, 300)) << at;
  }
  EXPECT_EQ(read_at(*source, text.size() - 5, 300), text.substr(text.size() - 5));
  EXPECT_EQ(read_at(*source, text.size() + 5, 300), "");
}

TEST(TextSource, OverlappingReadsInOrderEqualThePlainText) {
  const std::string text = numbered_lines(5 << 20);
  for (const std::string& packed : {test::gzip(text), test::zstd(text)}) {
    const TestFile file(packed);
    const auto source = open_text(file.path());
    for (size_t at = 0; at < text.size(); at += 2777) {
      ASSERT_EQ(read_at(*source, at, 4096), text.substr(at, 4096)) << at;
    }
    EXPECT_EQ(read_at(*source, 3, 3 << 20), text.substr(3, 3 << 20));
  }
}

TEST(TextSource, ConcatenatedMembersAreOneText) {
  const std::string text = numbered_lines(100000);
  const TestFile file(test::gzip(text) + test::gzip("more"));
  const auto source = open_text(file.path());
  EXPECT_EQ(read_all(*source), text + "more");
  EXPECT_EQ(source->damage(), "");
}

TEST(TextSource, AByteOrderMarkIsNoPartOfTheText) {
  const std::string text = numbered_lines(300000);
  const std::string marked = "\xef\xbb\xbf" + text;
  for (const std::string& stored : {marked, test::gzip(marked), test::zstd(marked)}) {
    const TestFile file(stored);
    const auto source = open_text(file.path());
    EXPECT_EQ(read_at(*source, 1000, 50), text.substr(1000, 50));
    EXPECT_TRUE(read_all(*source) == text);
    EXPECT_EQ(source->text_position(), text.size());
    EXPECT_EQ(source->stored_position(), stored.size());
  }
  const TestFile other("\xef\xbbx");
  EXPECT_EQ(read_all(*open_text(other.path())), "\xef\xbbx");
}

TEST(TextSource, TruncationAtAnyByteGivesAPrefixAndSaysSo) {
  const std::string text = numbered_lines(20000);
  for (const std::string& whole : {test::gzip(text), test::zstd(text)}) {
    for (size_t size = 5; size < whole.size(); size += 97) {
      const TestFile file(std::string_view(whole).substr(0, size));
      const auto source = open_text(file.path());
      const std::string got = read_all(*source);
      EXPECT_EQ(got, text.substr(0, got.size())) << size;
      EXPECT_NE(source->damage(), "") << size;
    }
  }
}

TEST(TextSource, DamageInTheMiddleIsReported) {
  const std::string text = numbered_lines(200000);
  std::string stored = test::gzip(text);
  for (size_t i = stored.size() / 2; i < stored.size() / 2 + 64; ++i) stored[i] = static_cast<char>(~stored[i]);
  const TestFile file(stored);
  const auto source = open_text(file.path());
  const std::string got = read_all(*source);
  EXPECT_LT(got.size(), text.size() + 70000);
  EXPECT_NE(source->damage(), "");
}

TEST(TextSource, UnusableInputsAreErrors) {
  EXPECT_THROW(open_text("/nonexistent/profile.json"), Error);
  EXPECT_THROW(open_text("/tmp"), Error);
  const TestFile empty("");
  EXPECT_THROW(open_text(empty.path()), Error);
}

}  // namespace
}  // namespace cgpu
