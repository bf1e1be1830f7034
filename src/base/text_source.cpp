#include "base/text_source.h"

#include <isa-l/igzip_lib.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/remote_file.h"
#include "base/to_size.h"

namespace cgpu {

namespace {

constexpr size_t kInputBlock = size_t{256} << 10;
constexpr uint64_t kSnapshotEvery = uint64_t{64} << 20;
/// Traces compress 10- to 60-fold; gzip makes up to 1,032 bytes of one, zstd any number.
constexpr uint64_t kMostTimes = 200;
constexpr uint64_t kLeastSwollen = uint64_t{256} << 20;  // of text, before that is looked at
constexpr size_t kPiece = size_t{1} << 20;               // of decoded text that is kept for read_at

class PlainSource final : public TextSource {
 public:
  explicit PlainSource(std::shared_ptr<File> file) : file_(std::move(file)) {}

  size_t read_next(char* to, size_t size) override {
    const size_t got = file_->read_at(position_, to, size);
    position_ += got;
    return got;
  }
  size_t read_at(uint64_t position, char* to, size_t size) override { return file_->read_at(position, to, size); }
  bool is_quick_anywhere() const override { return file_->is_quick_anywhere(); }
  uint64_t stored_bytes() const override { return file_->size(); }
  uint64_t stored_position() const override { return position_; }

 private:
  std::shared_ptr<File> file_;
  uint64_t position_ = 0;
};

/// A decoder of one compressed stream, from a place in the file on.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Decoded bytes, fewer than `size` only at the end or at damage (then `damage` is set).
  virtual size_t decode(char* to, size_t size) = 0;
  virtual uint64_t stored_position() const = 0;
  /// A decoder that goes on from here independently, or null where the state cannot be copied.
  virtual std::unique_ptr<Decoder> snapshot() const = 0;
  std::string damage;
};

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(std::shared_ptr<File> file) : file_(std::move(file)), input_(kInputBlock) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  size_t decode(char* to, size_t size) override {
    size_t done = 0;
    while (done < size && !finished_) {
      if (state_.avail_in == 0) refill();
      if (state_.block_state == ISAL_BLOCK_FINISH && !next_member()) break;
      const auto room = static_cast<uint32_t>(std::min<size_t>(size - done, size_t{1} << 30));
      state_.next_out = reinterpret_cast<uint8_t*>(to) + done;
      state_.avail_out = room;
      const uint32_t had = state_.avail_in;
      const int result = isal_inflate(&state_);
      done += room - state_.avail_out;
      if (result < 0) {
        stop("gzip data are damaged near byte " + std::to_string(stored_position()));
      } else if (had == 0 && state_.avail_out == room && state_.block_state != ISAL_BLOCK_FINISH) {
        stop("gzip data end early, at byte " + std::to_string(stored_position()) + ": the file is truncated");
      }
    }
    return done;
  }

  uint64_t stored_position() const override { return position_ - state_.avail_in; }

  std::unique_ptr<Decoder> snapshot() const override {
    auto copy = std::make_unique<GzipDecoder>(file_);
    copy->state_ = state_;
    copy->state_.avail_in = 0;
    copy->position_ = stored_position();
    copy->finished_ = finished_;
    copy->input_.clear();  // a stored snapshot costs its state only
    copy->input_.shrink_to_fit();
    return copy;
  }

 private:
  void refill() {
    input_.resize(kInputBlock);
    const size_t got = file_->read_at(position_, input_.data(), input_.size());
    position_ += got;
    state_.next_in = input_.data();
    state_.avail_in = static_cast<uint32_t>(got);
  }

  /// After the end of a member: another one may follow (concatenated gzip files are one text).
  bool next_member() {
    if (state_.avail_in == 0) refill();
    if (state_.avail_in == 0) {
      finished_ = true;
      return false;
    }
    if (state_.next_in[0] != 0x1f) {
      const bool padding = state_.next_in[0] == 0;
      finished_ = true;
      if (!padding) damage = "bytes that are no gzip follow at byte " + std::to_string(stored_position());
      return false;
    }
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
    return true;
  }

  void stop(std::string reason) {
    damage = std::move(reason);
    finished_ = true;
  }

  std::shared_ptr<File> file_;
  std::vector<uint8_t> input_;
  inflate_state state_;
  uint64_t position_ = 0;
  bool finished_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(std::shared_ptr<File> file)
      : file_(std::move(file)), input_(kInputBlock), stream_(ZSTD_createDStream(), ZSTD_freeDStream) {
    // A frame may ask for a window of up to 2 GB; 128 MB is what the command line tool allows by default.
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, 27);
  }

  size_t decode(char* to, size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < out.size && !finished_) {
      if (in_.pos == in_.size) {
        in_ = {input_.data(), file_->read_at(position_, input_.data(), input_.size()), 0};
        position_ += in_.size;
      }
      const bool at_end = in_.size == 0;
      const size_t before = out.pos;
      const size_t result = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(result)) {
        damage = "zstd data are damaged near byte " + std::to_string(stored_position()) + " (" +
                 ZSTD_getErrorName(result) + ")";
        finished_ = true;
      } else if (at_end && out.pos == before) {
        if (!frame_complete_) damage = "zstd data end early: the file is truncated";
        finished_ = true;
      } else {
        frame_complete_ = result == 0;
      }
    }
    return out.pos;
  }

  uint64_t stored_position() const override { return position_ - (in_.size - in_.pos); }
  std::unique_ptr<Decoder> snapshot() const override { return nullptr; }

 private:
  std::shared_ptr<File> file_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  uint64_t position_ = 0;
  bool frame_complete_ = false;
  bool finished_ = false;
};

class CompressedSource final : public TextSource {
 public:
  CompressedSource(std::shared_ptr<File> file, std::unique_ptr<Decoder> (*start)(std::shared_ptr<File>))
      : file_(std::move(file)), start_(start), main_(start_(file_)) {}

  size_t read_next(char* to, size_t size) override {
    if (swells_) return 0;
    const size_t got = main_->decode(to, size);
    damage_ = main_->damage;
    const uint64_t position = text_position() + got;
    swells_ = position > kLeastSwollen && position / kMostTimes > main_->stored_position();
    if (swells_) {
      damage_ = "decompresses to more than " + std::to_string(kMostTimes) +
                " times its size, which no profile does: reading stopped at byte " + std::to_string(position);
    }
    const std::lock_guard lock(mutex_);
    if (position - (snapshots_.empty() ? 0 : snapshots_.back().position) >= kSnapshotEvery) {
      if (auto snapshot = main_->snapshot()) snapshots_.push_back({position, std::move(snapshot)});
    }
    return got;
  }

  size_t read_at(uint64_t position, char* to, size_t size) override {
    const std::lock_guard lock(mutex_);
    size_t done = 0;
    while (done < size) {
      const std::string_view text = decoded_from(position + done);
      if (text.empty()) break;
      const size_t step = std::min(size - done, text.size());
      std::memcpy(to + done, text.data(), step);
      done += step;
    }
    return done;
  }

  uint64_t stored_bytes() const override { return file_->size(); }
  uint64_t stored_position() const override { return main_->stored_position(); }

 private:
  struct Snapshot {
    uint64_t position;
    std::unique_ptr<Decoder> decoder;
  };

  /// A decoded piece of the text. The two last ones are kept, of an odd and of an even number: events that are asked
  /// for in the order of the file come from them, also where one begins before the end of the one asked for last.
  struct Piece {
    uint64_t number = UINT64_MAX;
    std::vector<char> text;
  };

  /// The text from `position` to the end of its piece; empty at the end of the text.
  std::string_view decoded_from(uint64_t position) {
    const uint64_t number = position / kPiece;
    Piece& piece = pieces_[number % 2];
    if (piece.number != number) {
      piece.text.resize(kPiece);
      seek(number * kPiece);
      const bool reached = cursor_position_ == number * kPiece;
      piece.text.resize(reached ? cursor_->decode(piece.text.data(), kPiece) : 0);
      cursor_position_ += piece.text.size();
      piece.number = number;
    }
    const size_t from = to_size(std::min<uint64_t>(position - number * kPiece, piece.text.size()));
    return {piece.text.data() + from, piece.text.size() - from};
  }

  /// Puts the cursor at `position`: on from where it is, from the nearest snapshot, or from the start.
  void seek(uint64_t position) {
    const auto after = std::upper_bound(snapshots_.begin(), snapshots_.end(), position,
                                        [](uint64_t p, const Snapshot& s) { return p < s.position; });
    const uint64_t nearest = after == snapshots_.begin() ? 0 : std::prev(after)->position;
    if (!cursor_ || cursor_position_ > position || cursor_position_ < nearest) {
      cursor_ = nearest == 0 ? start_(file_) : std::prev(after)->decoder->snapshot();
      cursor_position_ = nearest;
    }
    std::vector<char> skipped(kInputBlock);
    while (cursor_position_ < position) {
      const size_t step = to_size(std::min<uint64_t>(skipped.size(), position - cursor_position_));
      const size_t got = cursor_->decode(skipped.data(), step);
      cursor_position_ += got;
      if (got == 0) break;
    }
  }

  std::shared_ptr<File> file_;
  std::unique_ptr<Decoder> (*start_)(std::shared_ptr<File>);
  std::unique_ptr<Decoder> main_;
  bool swells_ = false;

  std::mutex mutex_;  // guards what follows
  std::vector<Snapshot> snapshots_;
  std::unique_ptr<Decoder> cursor_;
  uint64_t cursor_position_ = 0;
  std::array<Piece, 2> pieces_;
};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// A text behind its byte order mark, which is no part of it.
class UnmarkedSource final : public TextSource {
 public:
  explicit UnmarkedSource(std::unique_ptr<TextSource> marked) : marked_(std::move(marked)) {
    char mark[kByteOrderMark.size()];
    marked_->read(mark, sizeof(mark));
  }

  size_t read_next(char* to, size_t size) override {
    const size_t got = marked_->read(to, size);
    damage_ = marked_->damage();
    return got;
  }
  size_t read_at(uint64_t position, char* to, size_t size) override {
    return marked_->read_at(position + kByteOrderMark.size(), to, size);
  }
  bool is_quick_anywhere() const override { return marked_->is_quick_anywhere(); }
  uint64_t stored_bytes() const override { return marked_->stored_bytes(); }
  uint64_t stored_position() const override { return marked_->stored_position(); }

 private:
  std::unique_ptr<TextSource> marked_;
};

std::unique_ptr<TextSource> without_mark(std::unique_ptr<TextSource> text) {
  char mark[kByteOrderMark.size()];
  const size_t size = text->read_at(0, mark, sizeof(mark));
  if (std::string_view(mark, size) != kByteOrderMark) return text;
  return std::make_unique<UnmarkedSource>(std::move(text));
}

template <typename D>
std::unique_ptr<Decoder> start_decoder(std::shared_ptr<File> file) {
  return std::make_unique<D>(std::move(file));
}

}  // namespace

std::unique_ptr<TextSource> open_text(const std::string& path) {
  auto file = path == "-" ? std::make_shared<File>(STDIN_FILENO, "standard input") : open_file(path);
  if (!file->is_regular() && !is_remote(path)) file = std::make_shared<SpooledPipe>(std::move(file));

  unsigned char magic[4] = {};
  if (file->read_at(0, magic, sizeof(magic)) == 0) throw Error(file->name(), "is empty");
  if (magic[0] == 0x1f && magic[1] == 0x8b) {
    return without_mark(std::make_unique<CompressedSource>(file, start_decoder<GzipDecoder>));
  }
  if (magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd) {
    return without_mark(std::make_unique<CompressedSource>(file, start_decoder<ZstdDecoder>));
  }
  return without_mark(std::make_unique<PlainSource>(file));
}

std::string read_small_text(const std::string& path, size_t most, const std::string& what) {
  const std::unique_ptr<TextSource> file = open_text(path);
  std::string text(most + 1, '\0');
  text.resize(file->read(text.data(), text.size()));
  if (text.size() > most) throw Error(path, "is longer than " + what);
  return text;
}

}  // namespace cgpu
