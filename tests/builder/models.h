// The programs that the builder can imitate: which ops a layer runs and which kernels they launch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"

namespace cgpu::builder {

enum class Api { runtime, runtime_ex, driver };  // which of the launching calls starts the kernel

struct KernelSpec {
  std::string_view name;
  int64_t duration = 0;  // ns, typical
  int grid = 1;
  int block = 1;
  int registers = 32;
  int shared = 0;
  Api api = Api::runtime;
};

enum class Collective { none, all_reduce, all_gather, reduce_scatter, all_to_all };

/// A framework op as a module calls it: `outer` calls `inner`, which launches the kernels.
struct OpSpec {
  std::string_view outer;
  std::string_view inner;  // may be empty: then `outer` launches
  std::string_view frame;  // the Python frame around it
  std::string_view dims;   // "Input Dims" and "Input type" as JSON
  std::string_view types;
  std::string_view node;  // of the autograd graph, empty where there is no gradient
  std::vector<KernelSpec> forward;
  std::vector<KernelSpec> backward;
  Collective collective = Collective::none;
  int64_t elements = 0;  // of the collective, per rank
};

struct ModelSpec {
  std::string_view name;
  std::string_view module;  // class of a layer
  int layers = 0;           // usual number
  std::vector<OpSpec> head;
  std::vector<OpSpec> layer;
  std::vector<OpSpec> tail;
  std::vector<KernelSpec> optimizer;
  bool trains = true;         // else it decodes
  int layers_per_bucket = 0;  // gradients of so many layers are reduced at once; 0: no reduction
  int64_t bucket_elements = 0;
  int64_t input_bytes = 0;
  int64_t activation_bytes = 0;  // kept per layer from forward to backward
};

ModelSpec model_spec(const Options& options);

/// The kernel that runs a collective.
std::string_view collective_kernel(Collective collective, Era era, Vendor vendor);

std::string_view text_of(Model model);
std::string_view text_of(Era era);
std::string_view text_of(Vendor vendor);

}  // namespace cgpu::builder
