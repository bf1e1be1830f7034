#include "export/sink.h"

#include <isa-l/igzip_lib.h>

#include <ostream>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cgpu {

namespace {

class PlainSink final : public Sink {
 public:
  explicit PlainSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  void write(std::string_view bytes) override { write_(bytes); }

 private:
  std::function<void(std::string_view)> write_;
};

class GzipSink final : public Sink {
 public:
  explicit GzipSink(std::function<void(std::string_view)> write)
      : write_(std::move(write)), level_(ISAL_DEF_LVL1_DEFAULT), output_(size_t{1} << 18) {
    isal_deflate_init(&stream_);
    stream_.level = 1;
    stream_.level_buf = level_.data();
    stream_.level_buf_size = static_cast<uint32_t>(level_.size());
    stream_.gzip_flag = IGZIP_GZIP;
  }

  void write(std::string_view bytes) override {
    constexpr size_t kMost = size_t{1} << 30;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kMost, bytes.size()))) deflate(bytes.substr(0, kMost));
  }

  void finish() override {
    stream_.end_of_stream = 1;
    deflate({});
  }

 private:
  void deflate(std::string_view bytes) {
    // The library reads from where it says it would write: it does not change the input.
    stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uint32_t>(bytes.size());
    do {
      stream_.next_out = output_.data();
      stream_.avail_out = static_cast<uint32_t>(output_.size());
      isal_deflate(&stream_);
      write_({reinterpret_cast<const char*>(output_.data()), output_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0 || stream_.avail_in > 0);
  }

  std::function<void(std::string_view)> write_;
  isal_zstream stream_;
  std::vector<uint8_t> level_;
  std::vector<uint8_t> output_;
};

}  // namespace

std::unique_ptr<Sink> plain_sink(std::function<void(std::string_view)> write) {
  return std::make_unique<PlainSink>(std::move(write));
}
std::unique_ptr<Sink> gzip_sink(std::function<void(std::string_view)> write) {
  return std::make_unique<GzipSink>(std::move(write));
}

std::unique_ptr<Sink> sink_of_file(std::ostream& out, const std::string& name) {
  const auto write = [&out, name](std::string_view bytes) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out) throw Error(name, "cannot be written completely: is there space left?");
  };
  return name.ends_with(".gz") ? gzip_sink(write) : plain_sink(write);
}

}  // namespace cgpu
