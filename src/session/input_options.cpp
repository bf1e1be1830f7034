#include "session/input_options.h"

#include "session/open_options.h"
#include "session/selection/selection.h"

namespace cgpu {

OpenOptions InputOptions::open() const {
  OpenOptions open;
  open.inputs = inputs;
  open.input_format = input_format;
  open.kernel_rules = kernel_rules;
  open.capture = capture;
  open.peaks = peaks;
  open.device_model = device_model;
  open.threads = threads;
  open.strict = strict;
  return open;
}

Selection InputOptions::selection() const {
  Selection selection;
  if (!from.empty()) selection.from = parse_time(from, "--from");
  if (!to.empty()) selection.to = parse_time(to, "--to");
  if (!step.empty()) selection.steps = parse_number_range(step, "--step");
  if (!rank.empty()) selection.ranks = NumberList(rank, "--rank");
  if (!device.empty()) selection.devices = NumberList(device, "--device");
  selection.profile = profile;
  return selection;
}

}  // namespace cgpu
