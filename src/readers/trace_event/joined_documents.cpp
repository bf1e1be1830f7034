#include "readers/trace_event/joined_documents.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace cgpu::trace_event {

namespace {

constexpr std::string_view kEvents = "\"traceEvents\":[";
constexpr size_t kLongestStart = 100;
constexpr size_t kChunk = size_t{256} << 10;

class JoinedDocuments final : public TextSource {
 public:
  /// `start`: how each document begins, up to its list.
  JoinedDocuments(std::shared_ptr<TextSource> source, const std::string& start)
      : source_(std::move(source)), borders_{"]}\n" + start, "]}\r\n" + start} {}

  size_t read_next(char* to, size_t size) override {
    size_t done = 0;
    while (done < size) {
      if (ready_ == 0 && !fill()) break;
      const size_t step = std::min(size - done, ready_);
      std::memcpy(to + done, held_.data(), step);
      held_.erase(0, step);
      ready_ -= step;
      done += step;
    }
    damage_ = source_->damage();
    return done;
  }
  size_t read_at(uint64_t position, char* to, size_t size) override { return source_->read_at(position, to, size); }
  bool is_quick_anywhere() const override { return source_->is_quick_anywhere(); }
  uint64_t stored_bytes() const override { return source_->stored_bytes(); }
  uint64_t stored_position() const override { return source_->stored_position(); }

 private:
  /// Holds back what could be the beginning of a border.
  bool fill() {
    const size_t held = held_.size();
    held_.resize(held + kChunk);
    const size_t got = source_->read(held_.data() + held, kChunk);
    held_.resize(held + got);
    for (const std::string& border : borders_) {
      for (size_t at = held_.find(border); at != std::string::npos; at = held_.find(border, at)) {
        held_.replace(at, border.size(), "," + std::string(border.size() - 1, ' '));
      }
    }
    const size_t kept = got < kChunk ? 0 : std::min(held_.size(), borders_[1].size());
    ready_ = held_.size() - kept;
    return ready_ > 0;
  }

  std::shared_ptr<TextSource> source_;
  const std::string borders_[2];
  std::string held_;
  size_t ready_ = 0;  // bytes of it that can be given out
};

}  // namespace

std::shared_ptr<TextSource> join_documents(std::shared_ptr<TextSource> source) {
  std::string head(kLongestStart, '\0');
  head.resize(source->read_at(0, head.data(), head.size()));
  const size_t list = head.find(kEvents);
  if (!head.starts_with('{') || list == std::string::npos) return source;
  const std::string start = head.substr(0, list + kEvents.size());
  if (start.find_first_of("[]\n\r") != start.size() - 1) return source;
  return std::make_shared<JoinedDocuments>(std::move(source), start);
}

}  // namespace cgpu::trace_event
