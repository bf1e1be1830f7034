#include "session/summaries/run_record.h"

#include <utility>

#include "base/compress.h"
#include "base/decompress.h"
#include "base/to_size.h"
#include "session/summaries/summary_messages.h"

namespace cgpu {

namespace {

/// No frame of a record holds as much; what claims to is not read.
constexpr uint64_t kMostFrameBytes = uint64_t{256} << 20;

RunRecord positional_run(std::string_view content, const std::string& name) {
  PositionalReader bytes(content, name);
  RunRecord record;
  record.encoding = RecordEncoding::positional;
  record.run = read_run(bytes);
  wait_members(bytes, record.waits);
  bytes(record.figures, record.left_out, record.reduced);
  if (!bytes.at_end()) bytes.fail("holds more than it should");
  return record;
}

}  // namespace

std::string run_part(const RunRecord& record) {
  MessageWriter message;
  message.one([&] { write_run(message, record.run); });
  wait_members(message, record.waits);
  message(record.figures, record.left_out, record.reduced, record.kept);
  return message.take();
}

RunRecord run_of_part(std::string_view content, const std::string& name) {
  MessageReader message(content, name);
  RunRecord record;
  message.one([&] { record.run = read_run(message); });
  wait_members(message, record.waits);
  message(record.figures, record.left_out, record.reduced, record.kept);
  return record;
}

std::string record_to_bytes(const RunRecord& record) {
  MessageWriter partials;
  partials(record.partials);
  const std::string run = run_part(record);
  MessageWriter message;
  message(static_cast<uint64_t>(run.size()), compress_zstd(run), static_cast<uint64_t>(partials.bytes().size()),
          compress_zstd(partials.bytes()));
  return message.take();
}

RecordReader::RecordReader(std::string_view bytes, RecordEncoding encoding, std::string name)
    : name_(std::move(name)), encoding_(encoding) {
  if (encoding == RecordEncoding::message) {
    MessageReader message(bytes, name_);
    message(run_.plain_size, run_.frame, partials_.plain_size, partials_.frame);
  } else {
    PositionalReader head(bytes, name_);
    uint64_t run_size = 0;
    uint64_t partials_size = 0;
    head(run_.plain_size, run_size, partials_.plain_size, partials_size);
    const std::string_view frames = head.rest();
    if (run_size > frames.size() || partials_size != frames.size() - run_size) {
      head.fail("holds a record of impossible size");
    }
    run_.frame = frames.substr(0, to_size(run_size));
    partials_.frame = frames.substr(run_.frame.size());
  }
  if (run_.plain_size > kMostFrameBytes || partials_.plain_size > kMostFrameBytes) {
    throw Error(name_, "holds a record of impossible size");
  }
}

std::string RecordReader::content(const Part& part) const {
  auto plain = decompress_zstd(part.frame, to_size(part.plain_size));
  if (!plain || plain->size() != part.plain_size)
    throw Error(name_, "is damaged: it does not decompress; make it again");
  return std::move(*plain);
}

RunRecord RecordReader::run() const {
  const std::string plain = content(run_);
  if (encoding_ == RecordEncoding::message) return run_of_part(plain, name_);
  RunRecord record = positional_run(plain, name_);
  for (const auto& [table, partial] : partials()) record.kept.push_back(table);  // which it does not list
  return record;
}

std::map<std::string, std::string> RecordReader::partials() const {
  const std::string plain = content(partials_);
  std::map<std::string, std::string> partials;
  if (encoding_ == RecordEncoding::message) {
    MessageReader message(plain, name_);
    message(partials);
  } else {
    PositionalReader bytes(plain, name_);
    bytes(partials);
    if (!bytes.at_end()) bytes.fail("holds more than it should");
  }
  return partials;
}

}  // namespace cgpu
