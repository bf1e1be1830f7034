// For tests: an exchange whose workers are in this process, and do their tasks one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/ranks/exchange.h"
#include "session/ranks/rank_worker.h"

namespace cgpu::test {

class ExchangeInProcess final : public Exchange {
 public:
  explicit ExchangeInProcess(unsigned workers, MakeCollector make_collector = nullptr)
      : workers_(workers), make_collector_(std::move(make_collector)) {}

  unsigned workers() const override { return workers_; }
  unsigned processes_on_machine() const override { return 1 + workers_; }
  unsigned threads() const override { return 1; }
  void set_open_file(const std::string& file) override { opened_ += file.empty() ? 0 : 1; }
  void deal(const std::string& job, const std::function<std::optional<Task>()>& next,
            const std::function<void(uint32_t, const std::string&)>& answered) override {
    ExchangeInProcess none(0);
    std::vector<std::unique_ptr<RankWorker>> workers;
    for (unsigned i = 0; i < workers_; ++i) {
      workers.push_back(std::make_unique<RankWorker>(job, none, make_collector_));
    }
    for (std::optional<Task> task = next(); task; task = next()) {
      answered(task->id, workers[answers_++ % workers_]->answer(task->bytes));
    }
  }

  /// Ranks that the root has opened, and that workers have.
  size_t opened() const { return opened_; }
  size_t answers() const { return answers_; }

 private:
  const unsigned workers_;
  const MakeCollector make_collector_;
  size_t opened_ = 0;
  size_t answers_ = 0;
};

}  // namespace cgpu::test
