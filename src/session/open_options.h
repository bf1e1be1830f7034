// What profiles are opened with, besides the part of them that is wanted (selection/selection.h).
#pragma once

#include <string>
#include <vector>

#include "session/opening_progress.h"

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
  Exchange* exchange = nullptr;  // other processes that open ranks, too (ranks/exchange.h)
  OpeningProgress progress;
  LossWarning warn;
};

}  // namespace cgpu
