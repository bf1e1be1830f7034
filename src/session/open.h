// Opening profiles: from the names of inputs to a session that analyses can read. The command line, the server, tests
// and bindings open by this alone. Nothing is printed here.
#pragma once

#include <string>
#include <vector>

#include "kernels/dictionary.h"
#include "model/run.h"
#include "readers/reader.h"
#include "session/opening_progress.h"
#include "session/selection/number_list.h"

namespace cgpu {

class Exchange;

struct OpenOptions {
  std::vector<std::string> inputs;  // files, folders, patterns, "-"
  std::string input_format;         // overrides the recognition by content
  std::string kernel_rules;         // file with rules for kernel classes, asked before the built-in ones
  std::string peaks;                // peak rates of the devices (hardware/stated_peaks.h)
  std::string device_model;         // what they are, in the place of what the profile says
  std::string capture;           // profile of the captures of graphs, or a folder of them; "": those beside the input
  unsigned threads = 0;          // 0: as many as the machine has
  bool strict = false;           // damaged input is an Error
  double memory = 0;             // bytes that open ranks may take; 0: half of what is available
  Exchange* exchange = nullptr;  // other processes that open ranks, too (exchange.h)
  OpeningProgress progress;
  LossWarning warn;
};

/// Opens all inputs: completed (links/complete.h), on one clock (links/clocks.h). Throws Error. Where some ranks are
/// wanted, the timelines of others may have been released (release.h), each before the next is read: clocks need what
/// stays.
Session open_session(const OpenOptions& options, const NumberList& ranks = {});

/// Only reads them: enough to say what they are (`info`, `notes`). Throws Error.
Session read_session(const OpenOptions& options);

/// Completes a run that was read (links/complete.h), with what the options say of its devices and of the captures of
/// its graphs.
void complete_run(Run& run, const OpenOptions& options, const KernelDictionary& dictionary, unsigned threads);

/// The built-in rules for kernel classes, with the user's own before them. Throws Error.
KernelDictionary dictionary_of(const OpenOptions& options);

/// How the options say to read.
ReadOptions read_options(const OpenOptions& options);

/// Passes the losses of a run to `warn`, or throws the first one under `strict`.
void report_losses(const Run& run, const OpenOptions& options);

}  // namespace cgpu
