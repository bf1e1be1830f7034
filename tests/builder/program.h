// The simulated program: a training loop, or the decoding loop of a language model, with gaps where they are wanted.
#pragma once

#include <string_view>
#include <vector>

#include "machine.h"
#include "models.h"
#include "options.h"

namespace cgpu::builder {

class Program {
 public:
  Program(const Options& options, const ModelSpec& model, int rank, const std::vector<Communicator>& groups,
          Machine& machine);
  void run();

 private:
  void step(int number);
  void load_data();
  void train();
  void decode(bool prefill);
  void layers();
  void forward(const OpSpec& op, size_t stream);
  void backward();
  void gradient(const OpSpec& op, int64_t sequence);
  void optimize();
  void read_loss();
  /// The gaps asked for, each at a layer of its own.
  void plant_at(int layer);
  void plant(Cause cause);
  void plant_on_host(Cause cause, int64_t until);
  void plant_on_device(Cause cause, int64_t extra);

  struct Recorded {
    const OpSpec* op;
    int64_t sequence;
  };

  const Options& options_;
  const ModelSpec& model_;
  Machine& machine_;
  size_t exchange_group_ = 0;
  int64_t sequence_ = 0;
  std::vector<Recorded> tape_;  // what backward has to undo
  std::vector<std::string_view> layer_frames_;
  std::vector<const KernelSpec*> graph_;  // the kernels of a decoding step
  KernelSpec filler_;
  KernelSpec long_filler_;
  ApiNames api_;
};

}  // namespace cgpu::builder
