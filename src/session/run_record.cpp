#include "session/run_record.h"

#include <utility>

#include "base/compress.h"
#include "base/decompress.h"
#include "session/summary_archive.h"

namespace cgpu {

namespace {

/// No part of a record is as large; what claims to be is not read.
constexpr uint64_t kMostPartBytes = uint64_t{256} << 20;

}  // namespace

std::string run_part(const RunRecord& record) {
  ByteWriter bytes;
  write_run(bytes, record.run);
  bytes(static_cast<uint64_t>(record.waits.size()));
  for (const HostCauses::Wait& wait : record.waits) bytes(wait.thread, wait.time.begin, wait.time.end);
  bytes(record.figures, record.left_out, record.reduced);
  return bytes.take();
}

RunRecord run_of_part(std::string_view content, const std::string& name) {
  ByteReader bytes(content, name);
  RunRecord record;
  record.run = read_run(bytes);
  uint64_t count = 0;
  for (bytes(count); count > 0; --count) {
    HostCauses::Wait& wait = record.waits.emplace_back();
    bytes(wait.thread, wait.time.begin, wait.time.end);
  }
  bytes(record.figures, record.left_out, record.reduced);
  if (!bytes.at_end()) bytes.fail("holds more than it should");
  return record;
}

std::string record_to_bytes(const RunRecord& record) {
  ByteWriter partials;
  partials(record.partials);
  const std::string run = run_part(record);
  const std::string run_frame = compress_zstd(run);
  const std::string partials_frame = compress_zstd(partials.bytes());
  ByteWriter head;
  head(static_cast<uint64_t>(run.size()), static_cast<uint64_t>(run_frame.size()),
       static_cast<uint64_t>(partials.bytes().size()), static_cast<uint64_t>(partials_frame.size()));
  return head.bytes() + run_frame + partials_frame;
}

RecordReader::RecordReader(std::string_view bytes, std::string name) : name_(std::move(name)) {
  ByteReader head(bytes, name_);
  uint64_t run_size = 0;
  uint64_t partials_size = 0;
  head(run_.plain_size, run_size, partials_.plain_size, partials_size);
  const std::string_view frames = head.rest();
  if (run_size > frames.size() || partials_size != frames.size() - run_size || run_.plain_size > kMostPartBytes ||
      partials_.plain_size > kMostPartBytes) {
    head.fail("holds a record of impossible size");
  }
  run_.frame = frames.substr(0, run_size);
  partials_.frame = frames.substr(run_size);
}

std::string RecordReader::content(const Part& part) const {
  auto plain = decompress_zstd(part.frame, part.plain_size);
  if (!plain || plain->size() != part.plain_size)
    throw Error(name_, "is damaged: it does not decompress; make it again");
  return std::move(*plain);
}

RunRecord RecordReader::run() const {
  return run_of_part(content(run_), name_);
}

std::map<std::string, std::string> RecordReader::partials() const {
  const std::string plain = content(partials_);
  ByteReader bytes(plain, name_);
  std::map<std::string, std::string> partials;
  bytes(partials);
  if (!bytes.at_end()) bytes.fail("holds more than it should");
  return partials;
}

}  // namespace cgpu
