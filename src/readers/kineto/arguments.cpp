#include "readers/kineto/arguments.h"

#include <simdjson.h>

#include "base/credentials.h"
#include "base/error.h"
#include "base/json_text.h"
#include "readers/kineto/careful.h"
#include "readers/kineto/windows.h"

namespace cgpu::kineto {

namespace {

constexpr size_t kFirstRead = size_t{4} << 10;

class FileArguments final : public ArgumentSource {
 public:
  FileArguments(std::shared_ptr<TextSource> source, std::string file)
      : source_(std::move(source)), file_(std::move(file)) {}

  std::vector<Argument> arguments(uint64_t position) override {
    const std::string event = event_at(position);
    thread_local simdjson::dom::parser parser;  // its buffers serve again
    simdjson::dom::object args;
    auto error = parser.parse(event)["args"].get(args);
    if (error && error != simdjson::NO_SUCH_FIELD) {
      error = parser.parse(repaired_event(event))["args"].get(args);
    }
    std::vector<Argument> result;
    if (error) return result;  // an event without arguments, or with `"blocks per SM": inf` among them
    for (const auto& [key, value] : args) {
      std::string_view string;
      const bool json = value.get(string) != simdjson::SUCCESS;
      std::string text = json ? simdjson::to_string(value) : std::string(string);
      const bool secret = is_secret_key(key) || is_secret_value(text);
      result.push_back({std::string(key), secret ? "[hidden]" : std::move(text), json && !secret});
    }
    return result;
  }

 private:
  std::string event_at(uint64_t position) {
    std::string text;
    for (size_t size = kFirstRead; size <= kMaxWindowBytes; size *= 4) {
      text.resize(size);
      text.resize(source_->read_at(position, text.data(), size));
      if (!text.starts_with('{')) throw Error(file_, "has changed since it was opened: open it again");
      const size_t end = end_of_object(text, 0, text.size());
      if (end != std::string_view::npos) return text.substr(0, end);
      const size_t next = next_event_boundary(text, 1);  // broken quotes: the next event ends this one
      if (next != std::string_view::npos) return std::string(trim_json(text.substr(0, text.rfind(',', next))));
      if (text.size() < size) break;
    }
    return text;
  }

  std::shared_ptr<TextSource> source_;
  std::string file_;
};

}  // namespace

std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<TextSource> source, std::string file) {
  return std::make_shared<FileArguments>(std::move(source), std::move(file));
}

}  // namespace cgpu::kineto
