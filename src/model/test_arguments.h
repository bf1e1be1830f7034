// For tests: arguments that are made event by event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/arguments.h"

namespace cgpu::test {

class MadeArguments : public ArgumentSource {
 protected:
  virtual std::vector<Argument> of(uint64_t source) = 0;

  void read_events(std::span<const uint64_t> sources, ArgumentBatch& batch) override {
    for (const uint64_t source : sources) {
      batch.begin_event();
      for (const Argument& argument : of(source)) batch.add(argument.key, argument.value, argument.json);
    }
  }
};

}  // namespace cgpu::test
