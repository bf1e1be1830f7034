// One run in a summary (summary.h): bytes that never change, wherever they are put together with those of other runs.
//
// A record is a message (base/message.h) of two frames, each compressed by itself: the run as it was recorded, with
// what other ranks must know of it (release.h) and the figures that the gate compares, which are bytes to this folder;
// and the partial results of its tables (analysis/partial_bytes.h). Nothing in it follows from the other runs of a
// session: not its number, not the offset of its clock. docs/formats/cgpu.md has the fields. The bytes are not trusted:
// sizes are bounded before anything is allocated.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/idle/host_causes.h"
#include "model/run.h"

namespace cgpu {

enum class RecordEncoding : uint8_t {
  message,     // base/message.h
  positional,  // base/positional_reader.h: as version 9 of summaries
};

struct RunRecord {
  Run run;  // released
  /// The waits for other ranks that its partial results of idle time know of.
  HostCauses::Waits waits;
  std::string figures;
  RecordEncoding encoding = RecordEncoding::message;  // of the figures
  std::vector<std::string> kept;                      // tables with a partial result
  /// Tables that are folded, but have no partial result: it would have been too large, or is of a recorded
  /// call tree.
  std::vector<std::string> left_out;
  std::vector<std::string> reduced;             // tables of whose samples only histograms are kept
  std::map<std::string, std::string> partials;  // by name of the table: of this run alone
};

std::string record_to_bytes(const RunRecord& record);

/// A record that is read: the part that is asked for is decompressed. All throw Error, beginning with `name`.
class RecordReader {
 public:
  /// `bytes` must outlive it.
  RecordReader(std::string_view bytes, RecordEncoding encoding, std::string name);

  /// Without the partial results.
  RunRecord run() const;
  std::map<std::string, std::string> partials() const;
  const std::string& name() const { return name_; }

 private:
  struct Part {
    std::string_view frame;
    uint64_t plain_size = 0;
  };
  std::string content(const Part& part) const;

  std::string name_;
  RecordEncoding encoding_;
  Part run_;
  Part partials_;
};

/// What is inside of the frame of the run, without compression around it.
std::string run_part(const RunRecord& record);
RunRecord run_of_part(std::string_view content, const std::string& name);

}  // namespace cgpu
