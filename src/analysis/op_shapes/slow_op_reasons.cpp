#include "analysis/op_shapes/slow_op_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analysis/op_shapes/attention_cost.h"
#include "analysis/op_shapes/convolution_cost.h"
#include "analysis/op_shapes/count.h"
#include "analysis/op_shapes/expert_cost.h"
#include "base/ascii.h"
#include "base/contains.h"
#include "base/parse_number.h"
#include "model/argument_reader.h"

namespace cgpu {

namespace {

constexpr int64_t kNarrow = 64;       // a side of a matrix below a usual tile
constexpr int64_t kFewChannels = 16;  // less than what a matrix instruction takes at a time
constexpr int64_t kSmallHead = 64;    // elements: half of what kernels are tuned for
constexpr int64_t kShortSequence = 512;
constexpr int64_t kVector = 8;       // elements of 16 bits that one load takes
constexpr double kLostInWave = 0.2;  // share of the multiprocessors that the last wave leaves idle, over all waves

struct Tile {
  int64_t m = 0;
  int64_t n = 0;
};

/// "256x128" behind `at`.
std::optional<Tile> tile_at(std::string_view text) {
  const auto number = [&]() -> std::optional<int64_t> {
    size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    const auto value = parse_number(text.substr(0, end));
    text.remove_prefix(end);
    return value;
  };
  const auto m = number();
  if (!m || !text.starts_with('x')) return std::nullopt;
  text.remove_prefix(1);
  const auto n = number();
  constexpr int64_t kLargest = 1024;
  if (!n || *m < 8 || *n < 8 || *m > kLargest || *n > kLargest) return std::nullopt;
  return Tile{*m, *n};
}

/// What part of the result a block computes, by the names that Tensile (MT256x128x64), cuBLAS (tilesize128x128x32,
/// 128x256_64x4) and CUTLASS give.
std::optional<Tile> tile_of(std::string_view kernel) {
  for (const std::string_view prefix : {"_MT", "tilesize"}) {
    const size_t at = kernel.find(prefix);
    if (at == std::string_view::npos) continue;
    if (const auto tile = tile_at(kernel.substr(at + prefix.size()))) return tile;
  }
  for (size_t at = 1; at < kernel.size(); ++at) {
    if (kernel[at - 1] != '_' || !is_digit(kernel[at])) continue;
    if (const auto tile = tile_at(kernel.substr(at))) return tile;
  }
  return std::nullopt;
}

struct MatrixSizes {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

/// Of a product whose two factors are the last inputs of two dimensions or more.
std::optional<MatrixSizes> sizes_of(std::string_view op, const RecordedInputs& inputs) {
  std::vector<Dims> factors;
  for (size_t place = 0; place < inputs.size(); ++place) {
    const auto tensor = inputs.tensor(place);
    if (tensor && tensor->dims.size() >= 2) factors.push_back(tensor->dims);
  }
  if (factors.size() < 2) return std::nullopt;
  const bool adds_first = op.find("addmm") != std::string_view::npos || op.find("baddbmm") != std::string_view::npos;
  const size_t first = adds_first && factors.size() > 2 ? 1 : 0;
  const Dims& a = factors[first];
  const Dims& b = factors[first + 1];
  MatrixSizes sizes;
  sizes.k = a.back();
  if (b.size() >= 2 && b[b.size() - 2] == sizes.k) {
    sizes.n = b.back();
  } else if (b.back() == sizes.k) {
    sizes.n = b[b.size() - 2];  // the weight of a linear op
  } else {
    return std::nullopt;
  }
  sizes.m = a[a.size() - 2];
  for (size_t i = 0; i + 2 < a.size(); ++i) (b.size() > 2 ? sizes.batch : sizes.m) *= a[i];
  return sizes;
}

void add_product_reasons(const CostedWork& work, const RecordedInputs& inputs, std::optional<int64_t> multiprocessors,
                         std::vector<SlowOpReason>& reasons) {
  const auto sizes = sizes_of(std::get<0>(work.key), inputs);
  if (!sizes || sizes->m <= 0 || sizes->n <= 0 || sizes->k <= 0) return;
  const int64_t narrow = std::min({sizes->m, sizes->n, sizes->k});
  constexpr int64_t kTall = 32;  // times as long as wide
  if (sizes->batch == 1 && narrow <= kNarrow && std::max({sizes->m, sizes->n, sizes->k}) >= kTall * narrow) {
    reasons.push_back({fmt::format("tall and skinny ({} x {} x {})", sizes->m, sizes->n, sizes->k),
                       "Join several of them into one product, or fuse it with what makes or uses its long side"});
  }
  constexpr Tile kUsual{128, 128};
  const auto named = tile_of(work.kernel);
  const Tile tile = named.value_or(kUsual);
  const auto rounded_up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t tiles = sizes->batch * rounded_up(sizes->m, tile.m) * rounded_up(sizes->n, tile.n);
  const std::string of_tiles = fmt::format("{}{} tiles of {}x{}", named ? "" : "about ", tiles, tile.m, tile.n);
  if (multiprocessors && tiles < *multiprocessors) {
    reasons.push_back({fmt::format("{} for {} multiprocessors", of_tiles, *multiprocessors),
                       "Split the sum over K (split-K, stream-K), smaller tiles (an autotuned or Triton kernel), or a "
                       "larger batch"});
  } else if (multiprocessors) {
    const int64_t waves = rounded_up(tiles, *multiprocessors);
    const double filled = static_cast<double>(tiles) / static_cast<double>(waves * *multiprocessors);
    if (1 - filled > kLostInWave) {
      reasons.push_back({fmt::format("{} fill {} waves of {} multiprocessors to {:.0f}%", of_tiles, waves,
                                     *multiprocessors, 100 * filled),
                         "Choose sizes that fill whole waves, other tiles, or stream-K"});
    }
  }
  if (sizes->m % kVector != 0 || sizes->n % kVector != 0 || sizes->k % kVector != 0) {
    reasons.push_back(
        {fmt::format("sizes that are no multiples of {} ({} x {} x {})", kVector, sizes->m, sizes->n, sizes->k),
         "Pad them to multiples of 8, better of 64"});
  }
}

void add_convolution_reasons(const CostedWork& work, const RecordedInputs& inputs, std::vector<SlowOpReason>& reasons) {
  const bool is_backward = std::get<0>(work.key).find("backward") != std::string::npos;
  const auto input = inputs.tensor(is_backward ? 1 : 0);
  const auto weight = inputs.tensor(is_backward ? 2 : 1);
  if (!input || !weight || weight->dims.size() < 3 || input->dims.size() < weight->dims.size()) return;
  const int64_t channels = input->dims[1];
  const int64_t of_group = weight->dims[1];
  if (of_group == 1 && channels > 1 && work.cost.settings.find("transposed") == std::string::npos) {
    reasons.push_back(
        {"depthwise: a channel a group, nothing for matrix units to do",
         "Use channels_last, a kernel for depthwise convolutions, or fuse it with the pointwise one beside it"});
  } else if (std::min(of_group, weight->dims[0]) < kFewChannels) {
    reasons.push_back({fmt::format("few channels ({} to {})", channels, weight->dims[0]),
                       "Use channels_last, pad the channels to 8 or 16, fold pixels into channels (space to depth)"});
  }
  if (contains(work.kernel, "nchw")) {
    reasons.push_back({"the layout is NCHW", "Use channels_last for the model and its input"});
  }
}

void add_attention_reasons(const CostedWork& work, const RecordedInputs& inputs, std::vector<SlowOpReason>& reasons) {
  const std::string& name = std::get<0>(work.key);
  const bool is_backward = name.find("backward") != std::string::npos;
  const bool heads_first =
      name.find("scaled_dot_product") != std::string::npos || name.find("cudnn") != std::string::npos;
  const auto q = inputs.tensor(is_backward ? 1 : 0);
  if (!q || q->dims.size() < 3) return;
  const size_t rank = q->dims.size();
  const int64_t size = q->dims[rank - 1];
  const int64_t tokens = rank == 3 ? q->dims[0] : q->dims[rank - (heads_first ? 2 : 3)];
  if (size < kSmallHead) {
    reasons.push_back({fmt::format("small heads ({})", size), "Use fewer and larger heads"});
  }
  if (tokens <= kShortSequence) {
    reasons.push_back({fmt::format("short sequences ({} tokens)", tokens),
                       "Take a larger batch, or several sequences in one (variable length)"});
  } else {
    reasons.push_back(
        {fmt::format("long sequences ({} tokens)", tokens),
         "Try another implementation (FlashAttention-3, cuDNN, aiter or Composable Kernel in the place of a "
         "generic Triton kernel)"});
  }
}

void add_expert_reasons(const RecordedInputs& inputs, std::vector<SlowOpReason>& reasons) {
  const auto tokens = inputs.tensor(0);
  const auto weight = inputs.tensor(1);
  if (!tokens || !weight || tokens->dims.empty() || weight->dims.size() != 3) return;
  reasons.push_back(
      {fmt::format("{} tokens for {} experts", tokens->dims[0], weight->dims[0]),
       "Take a larger batch, so that the weights of an expert are read for more rows; narrower weights; fewer "
       "experts a device (expert parallelism)"});
}

/// Whether elements next to each other in memory belong to the tensor: no stride is 1, though some dimension is longer.
bool is_strided(const Dims& dims, const Dims& strides) {
  int64_t least = INT64_MAX;
  Count reach = 1;
  Count count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] <= 1) continue;
    least = std::min(least, strides[i]);
    reach = reach + Count(dims[i] - 1) * strides[i];
    count = count * dims[i];
  }
  return least > 1 && least != INT64_MAX && reach.value() && count.value() && *reach.value() > *count.value();
}

void add_layout_reasons(const RecordedInputs& inputs, std::vector<SlowOpReason>& reasons) {
  for (size_t place = 0; place < inputs.size(); ++place) {
    const auto tensor = inputs.tensor(place);
    const auto strides = inputs.strides(place);
    if (!tensor || !strides || !is_strided(tensor->dims, *strides)) continue;
    reasons.push_back(
        {fmt::format("an input with strides [{}]", fmt::join(*strides, ", ")), "Make it contiguous where it is made"});
    return;
  }
}

}  // namespace

std::vector<SlowOpReason> slow_op_reasons(const CostedWork& work, std::optional<int64_t> multiprocessors) {
  std::vector<SlowOpReason> reasons;
  const std::vector<uint64_t> source = {work.profile->timeline.slices.source[work.example]};
  ArgumentReader reader(work.profile->arguments.get(), 0, InputKeys::wanted());
  const InputKeys keys(reader);
  const std::string& name = std::get<0>(work.key);
  reader.for_each(source, [&](size_t, std::span<const ArgumentView> arguments) {
    const RecordedInputs inputs(keys.texts(arguments));
    if (is_attention(name)) {
      add_attention_reasons(work, inputs, reasons);
    } else if (is_convolution(name)) {
      add_convolution_reasons(work, inputs, reasons);
    } else if (is_expert_product(name)) {
      add_expert_reasons(inputs, reasons);
    } else if (!work.cost.peak.empty()) {
      add_product_reasons(work, inputs, multiprocessors, reasons);
    } else {
      add_layout_reasons(inputs, reasons);
    }
  });
  return reasons;
}

}  // namespace cgpu
