// Chakra execution traces (.et), which simulators replay: docs/formats/chakra.md, "What cgpu writes".
//
// One file a rank. Memory: the graph of one rank (chakra_graph.h) and the collectives of all.
#pragma once

#include <string>
#include <vector>

#include "analysis/session_facts.h"
#include "export/chakra_communication.h"
#include "export/chakra_graph.h"
#include "export/export.h"
#include "export/op_amounts.h"
#include "export/sink.h"

namespace cgpu {

class ChakraExport {
 public:
  /// Of a session that outlives it. Throws Error where no run has device ops.
  ChakraExport(const Session& session, const ExportOptions& options);

  struct File {
    size_t run = 0;
    std::string path;
  };
  /// The files to write: `path` itself for a single run; of several run.0.et, run.1.et, ... by rank, for run.et.
  std::vector<File> files(const std::string& path) const;
  void write(size_t run, Sink& sink);
  /// What was written by now, and what simulators need that the profile does not say; sentences for people.
  std::vector<std::string> summary() const;

 private:
  struct Counts {
    int64_t files = 0;
    int64_t device_ops = 0;
    int64_t host_ops = 0;
    int64_t host_parts = 0;
    int64_t dependencies = 0;
    int64_t measured = 0;  // us, of all files together
    int64_t replayed = 0;  // the same where each node begins as soon as its dependencies allow
    int64_t communications = 0;
    int64_t without_bytes = 0;
    int64_t without_partner = 0;
    int64_t of_unknown_kind = 0;
    int64_t left_out = 0;
    int64_t contradictions = 0;
    int64_t with_several_devices = 0;  // files
  };
  void count(const ChakraGraph& graph, const RunCommunication& communication);

  const Session& session_;
  const ExportOptions& options_;
  const SessionFacts facts_;
  const GroupNumbers groups_;
  Counts counts_;
};

}  // namespace cgpu
