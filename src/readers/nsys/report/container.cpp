#include "readers/nsys/report/container.h"

#include <lz4.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/allocator.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/to_size.h"
#include "readers/common/bytes.h"
#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

constexpr std::string_view kEnd = "U3w[END]";
constexpr std::string_view kEventsMagic = "QDTEXT00";
constexpr size_t kTrailer = 16;  // the position of the directory, and kEnd
constexpr size_t kLongestVersion = 100;
const std::string kEventsSection = "Raw Sampling Data";

namespace directory {
constexpr uint32_t kSection = 1, kName = 1, kPosition = 2, kSize = 3;
}
constexpr uint32_t kTextsOfOffsets = 2, kCompressionOfInfo = 9, kVersionOfUi = 6;

/// What a block of LZ4 can expand to at most: 255 bytes for each of its own.
constexpr uint64_t kMostExpansion = 255;
constexpr uint64_t kMostOfBlock = uint64_t{1} << 30;

const std::string kByNsys = "; where nsys is installed, `nsys export --type sqlite REPORT` writes what cgpu reads too";

}  // namespace

ReportContainer::ReportContainer(std::shared_ptr<const File> file, std::string name, unsigned threads)
    : file_(std::move(file)), name_(std::move(name)), size_(file_->size()), looks_ahead_(thread_count(threads) > 1) {
  read_header();
  read_directory();
  if (!has_directory_) find_events();
  next_ = events_ + kEventsMagic.size();
  std::optional<std::string> head = next_message();
  std::optional<std::string> info = head ? next_message() : std::nullopt;
  if (!info) {
    throw Error(name_, "is an Nsight Systems report without a readable event at byte " + std::to_string(next_) +
                           ": it was cut short or damaged; copy or record it again");
  }
  head_ = std::move(*head);
  info_ = std::move(*info);
  const std::string_view compression = protobuf_bytes(info_, kCompressionOfInfo);
  if (compression != "lz4" && !compression.empty()) {
    throw Error(name_, "is an Nsight Systems report whose events are compressed with \"" + std::string(compression) +
                           "\", which cgpu does not read" + kByNsys);
  }
  if (!texts_at_) return;
  uint64_t size = 0;
  while (find_block()) size += blocks_.back().size;
  room_ = std::min(size, kMostKept);
  kept_ = std::make_unique_for_overwrite<char[]>(to_size(room_));
  free_ = kept_.get();
  prefer_large_pages(free_, to_size(room_));
}

void ReportContainer::read_header() {
  const std::string start = bytes(0, std::min<uint64_t>(size_, kReportMagic.size() + kLongestVersion)).value_or("");
  const size_t end = start.find('.', kReportMagic.size());
  if (!start.starts_with(kReportMagic) || end == std::string::npos) {
    throw Error(name_, "is an Nsight Systems report with a header that cgpu does not know" + kByNsys);
  }
  version_ = start.substr(kReportMagic.size(), end - kReportMagic.size());
  std::replace(version_.begin(), version_.end(), '@', '.');
  events_ = end + 1;
}

void ReportContainer::read_directory() {
  if (size_ < events_ + kTrailer) return;
  const std::string trailer = bytes(size_ - kTrailer, kTrailer).value_or("");
  if (!trailer.ends_with(kEnd)) return;
  const uint64_t position = little_endian(std::string_view(trailer).substr(0, 8));
  if (position > size_ - kTrailer) return;
  const std::string list = bytes(position, size_ - kTrailer - position).value_or("");
  each_protobuf_bytes(list, directory::kSection, [&](std::string_view entry) {
    const Section section{protobuf_varint(entry, directory::kPosition).value_or(0),
                          protobuf_varint(entry, directory::kSize).value_or(0)};
    if (section.position > size_ || section.size > size_ - section.position) return;
    sections_.emplace(protobuf_bytes(entry, directory::kName), section);
  });
  const auto events = sections_.find(kEventsSection);
  if (events == sections_.end() || bytes(events->second.position, kEventsMagic.size()) != kEventsMagic) return;
  has_directory_ = true;
  events_ = events->second.position;
  end_ = events_ + events->second.size;
  const std::string where = section("Sampling Data Offsets");
  if (const auto texts = protobuf_varint(where, kTextsOfOffsets);
      texts && *texts < events->second.size - kEventsMagic.size()) {
    texts_at_ = events_ + kEventsMagic.size() + *texts;
  }
}

/// Without a directory: the section of events is known by how it begins.
void ReportContainer::find_events() {
  constexpr size_t kWindow = size_t{1} << 20;
  std::string window;
  for (uint64_t position = events_; position < size_; position += kWindow) {
    window = bytes(position, std::min<uint64_t>(size_ - position, kWindow + kEventsMagic.size())).value_or("");
    const size_t found = window.find(kEventsMagic);
    if (found == std::string::npos) continue;
    events_ = position + found;
    end_ = size_;
    return;
  }
  throw Error(name_, "is an Nsight Systems report that ends before its first event: copy or record it again");
}

std::string ReportContainer::version() const {
  const std::string text = section("UI Data");
  std::string_view version = protobuf_bytes(text, kVersionOfUi);
  if (version.empty() && version_.find('.') != std::string::npos) version = version_;
  return std::string(version.substr(0, version.find('-')));
}

std::string ReportContainer::section(const std::string& name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) return "";
  return bytes(found->second.position, found->second.size).value_or("");
}

bool ReportContainer::find_block() {
  if (texts_at_ && next_ >= *texts_at_) return false;
  const std::optional<Block> block = take_block();
  if (block) blocks_.push_back(*block);
  return block.has_value();
}

std::string_view ReportContainer::message(size_t block, size_t next) {
  if (!is_decompressed(block)) {
    if (ahead_ && ahead_->block != block) finish();
    if (!ahead_) start(block, false);
    finish();
  }
  if (looks_ahead_ && !ahead_ && next < blocks_.size() && !is_decompressed(next)) start(next, true);
  return blocks_[block].message;
}

void ReportContainer::start(size_t block, bool on_another_thread) {
  const Block& wanted = blocks_[block];
  std::unique_ptr<char[]> bytes;
  char* to = free_;
  if (wanted.size <= room_) {
    free_ += wanted.size;
    room_ -= wanted.size;
  } else {
    bytes = std::make_unique_for_overwrite<char[]>(to_size(wanted.size));
    to = bytes.get();
  }
  const auto work = [this, wanted, to] { return decompress(wanted, to); };
  ahead_ =
      Ahead{block, std::move(bytes), on_another_thread ? in_background(work) : std::async(std::launch::deferred, work)};
}

void ReportContainer::finish() {
  const std::string_view message = ahead_->message.get();
  if (ahead_->bytes) {
    if (block_at_hand_ < blocks_.size()) blocks_[block_at_hand_].message = {};
    block_at_hand_ = ahead_->block;
    at_hand_ = std::move(ahead_->bytes);
  }
  blocks_[ahead_->block].message = message;
  ahead_.reset();
}

std::string_view ReportContainer::texts() {
  if (!texts_) {
    if (texts_at_) next_ = *texts_at_;
    texts_ = take_block();
    if (!texts_) next_ = end_;
  }
  if (!texts_) return {};
  bytes_of_texts_ = std::make_unique_for_overwrite<char[]>(to_size(texts_->size));
  return texts_->message = decompress(*texts_, bytes_of_texts_.get());
}

void ReportContainer::release() {
  ahead_.reset();
  looks_ahead_ = false;
  for (Block& block : blocks_) block.message = {};
  room_ = 0;
  kept_.reset();
  at_hand_.reset();
  bytes_of_texts_.reset();
}

std::string_view ReportContainer::decompress(const Block& block, char* to) const {
  const size_t stored_size = to_size(block.stored), size = to_size(block.size);
  const auto stored = std::make_unique_for_overwrite<char[]>(stored_size);
  if (file_->read_at(block.position, stored.get(), stored_size) != stored_size) return {};
  const int done = LZ4_decompress_safe(stored.get(), to, static_cast<int>(stored_size), static_cast<int>(size));
  if (done < 0 || static_cast<size_t>(done) != size) return {};
  // The message follows its length and ends with the block.
  std::string_view message(to, size);
  const std::optional<uint64_t> length = take_varint(message);
  return length && *length <= message.size() ? message.substr(0, to_size(*length)) : std::string_view();
}

std::optional<std::string> ReportContainer::bytes(uint64_t position, uint64_t size) const {
  if (position > size_ || size > size_ - position) return std::nullopt;
  std::string text(to_size(size), '\0');
  if (file_->read_at(position, text.data(), text.size()) != text.size()) return std::nullopt;
  return text;
}

std::optional<uint64_t> ReportContainer::varint_at(uint64_t& position) const {
  if (position >= end_) return std::nullopt;
  std::array<char, kLongestVarint> start{};
  const size_t got = file_->read_at(position, start.data(), to_size(std::min<uint64_t>(start.size(), end_ - position)));
  std::string_view rest(start.data(), got);
  const std::optional<uint64_t> value = take_varint(rest);
  if (value) position += got - rest.size();
  return value;
}

std::optional<std::string> ReportContainer::next_message() {
  uint64_t at = next_;
  const std::optional<uint64_t> length = varint_at(at);
  if (!length || *length > end_ - at) return std::nullopt;
  std::optional<std::string> message = bytes(at, *length);
  if (message) next_ = at + *length;
  return message;
}

std::optional<ReportContainer::Block> ReportContainer::take_block() {
  uint64_t at = next_;
  const std::optional<uint64_t> stored = varint_at(at);
  const std::optional<uint64_t> size = stored ? varint_at(at) : std::nullopt;
  if (!size || *stored > end_ - at || *stored > kMostOfBlock || *size > kMostOfBlock ||
      *size > kMostExpansion * (*stored + 1)) {
    return std::nullopt;
  }
  next_ = at + *stored;
  return Block{at, *stored, *size, {}};
}

}  // namespace cgpu::nsys
