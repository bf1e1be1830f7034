// Where the text of a trace goes: a file, a string, or nowhere (to learn how long it would be).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace cgpu::builder {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
};

/// Throws std::runtime_error with the path where the file cannot be written.
class FileSink : public Sink {
 public:
  explicit FileSink(const std::string& path);
  void write(std::string_view text) override;
  /// Call at the end: only then are late errors (a full disk) seen.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

class StringSink : public Sink {
 public:
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class CountingSink : public Sink {
 public:
  void write(std::string_view text) override { bytes_ += text.size(); }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

}  // namespace cgpu::builder
