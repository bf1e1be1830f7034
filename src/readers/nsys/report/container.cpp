#include "readers/nsys/report/container.h"

#include <lz4.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
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

ReportContainer::ReportContainer(std::shared_ptr<const File> file, std::string name)
    : file_(std::move(file)), name_(std::move(name)), size_(file_->size()) {
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
    texts_ = events_ + kEventsMagic.size() + *texts;
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

void ReportContainer::read_block(const ReportBlock& block, Decompressed& to) const {
  to.message = {};
  const size_t stored_size = to_size(block.stored), size = to_size(block.size);
  if (to.stored.size() < stored_size) to.stored.resize(stored_size);
  if (to.bytes.size() < size) to.bytes.resize(size);
  if (file_->read_at(block.position, to.stored.data(), stored_size) != stored_size) return;
  const int done =
      LZ4_decompress_safe(to.stored.data(), to.bytes.data(), static_cast<int>(stored_size), static_cast<int>(size));
  if (done < 0 || static_cast<size_t>(done) != size) return;
  // The message follows its length and ends with the block.
  std::string_view message(to.bytes.data(), size);
  const std::optional<uint64_t> length = take_varint(message);
  if (length && *length <= message.size()) to.message = message.substr(0, to_size(*length));
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

std::optional<ReportBlock> ReportContainer::take_block() {
  uint64_t at = next_;
  const std::optional<uint64_t> stored = varint_at(at);
  const std::optional<uint64_t> size = stored ? varint_at(at) : std::nullopt;
  if (!size || *stored > end_ - at || *stored > kMostOfBlock || *size > kMostOfBlock ||
      *size > kMostExpansion * (*stored + 1)) {
    return std::nullopt;
  }
  next_ = at + *stored;
  return ReportBlock{at, *stored, *size};
}

}  // namespace cgpu::nsys
