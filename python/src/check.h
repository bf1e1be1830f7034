// Runs against a baseline, for Python.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gate/check.h"
#include "gate/check_options.h"
#include "session/input_options.h"
#include "table.h"

namespace cgpu::python {

class PythonCheck {
 public:
  PythonCheck(CheckResult result, CheckOptions::Inconclusive inconclusive)
      : result_(std::move(result)), inconclusive_(inconclusive) {}

  std::string outcome() const { return text_of(result_.outcome); }
  int exit_code() const { return result_.exit_code(inconclusive_); }
  std::string headline() const;
  std::string text(size_t width) const;
  std::string markdown() const;
  std::vector<PythonTable> tables() const;

 private:
  CheckResult result_;
  CheckOptions::Inconclusive inconclusive_;
};

/// Each input is a run by itself, opened as `common` says. Throws Error.
PythonCheck check(const std::vector<std::string>& baseline, const std::vector<std::string>& candidate,
                  const CheckArguments& words, const InputOptions& common);

}  // namespace cgpu::python
