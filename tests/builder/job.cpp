#include "job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kineto_writer.h"
#include "random.h"

namespace cgpu::builder {

namespace {

constexpr int64_t kMicrosecond = 1000;
constexpr int64_t kEpoch = 1'760'000'000'000'000'000;  // ns since 1970
constexpr int64_t kLoading = 1000 * kMicrosecond;
constexpr int64_t kSlowLoading = 3000 * kMicrosecond;
constexpr int64_t kProduct = 400 * kMicrosecond;
constexpr int64_t kAddition = 50 * kMicrosecond;
constexpr int64_t kOptimizer = 300 * kMicrosecond;
constexpr int64_t kOfMachine = 100 * kMicrosecond;  // a collective, from when the last rank has entered it
constexpr int64_t kOfPod = 400 * kMicrosecond;
constexpr int64_t kSlowLink = 600 * kMicrosecond;  // more than that
constexpr int64_t kOfAll = 800 * kMicrosecond;
constexpr int64_t kLaunch = 12 * kMicrosecond;  // from one to the next
constexpr int64_t kMostOffset = 5000 * kMicrosecond;

size_t at(int number) {
  return static_cast<size_t>(number);
}

}  // namespace

Job::Job(const JobOptions& options)
    : options_(options), machines_((options.ranks + kRanksOfMachine - 1) / kRanksOfMachine) {
  const int n = options_.ranks;
  if (!options_.healthy) {
    if (!options_.without_stragglers) stragglers_ = {n / 3, 2 * n / 3 + 1};
    // The first of its pod: of members that come last together the first counts as the last.
    if (!options_.without_slow_machine) slow_machine_ = machines_ / 2 / kMachinesOfPod * kMachinesOfPod;
    if (!options_.without_slow_link) slow_link_ = machines_ / 4;
    missing_ = {n / 5, n - 1};
    duplicated_ = {n / 7};
  }
  Random random(options_.seed);
  for (int machine = 0; machine < machines_; ++machine) {
    offsets_.push_back(machine == 0 ? 0 : random.between(-kMostOffset, kMostOffset));
  }
  for (int machine = 0; machine < machines_; ++machine) {
    rates_.push_back(machine == 0 ? 0 : random.between(-options_.drift_ppm, options_.drift_ppm));
  }
  simulate();
}

int64_t Job::on_clock(int rank, int64_t time) const {
  return time + clock_offset(rank) + (time - kMostOffset) * rates_[machine_of(rank)] / 1'000'000;
}

int64_t Job::clock_drift(int rank) const {
  const Op& last = ops_[at(rank)].back();
  const int64_t end = last.begin + last.duration;
  return on_clock(rank, end) - end - clock_offset(rank);
}

void Job::run(int rank, int64_t takes) {
  ops_[at(rank)].push_back({now_[at(rank)], takes});
  now_[at(rank)] += takes;
}

void Job::meet_machine(int machine, int64_t takes) {
  const int first = machine * kRanksOfMachine;
  const int end = std::min(first + kRanksOfMachine, options_.ranks);
  const int64_t last = *std::max_element(now_.begin() + first, now_.begin() + end);
  for (int rank = first; rank < end; ++rank) run(rank, last + takes - now_[at(rank)]);
}

void Job::meet_between(int first_machine, int end_machine, int64_t takes) {
  const int end = std::min(end_machine * kRanksOfMachine, options_.ranks);
  for (int first = first_machine * kRanksOfMachine; first < first_machine * kRanksOfMachine + kRanksOfMachine;
       ++first) {
    int64_t last = 0;
    for (int rank = first; rank < end; rank += kRanksOfMachine) last = std::max(last, now_[at(rank)]);
    for (int rank = first; rank < end; rank += kRanksOfMachine) run(rank, last + takes - now_[at(rank)]);
  }
}

void Job::simulate() {
  Random random(options_.seed + 1);
  const auto about = [&](int64_t time) { return time + random.between(-time / 100, time / 100); };
  now_.assign(at(options_.ranks), kMostOffset);
  steps_.resize(at(options_.ranks));
  ops_.resize(at(options_.ranks));
  for (int step = 0; step < options_.steps; ++step) {
    for (int rank = 0; rank < options_.ranks; ++rank) {
      const int64_t begin = now_[at(rank)];
      const bool slow = slow_machine_ == rank / kRanksOfMachine;
      now_[at(rank)] += about(kLoading) + (slow ? kSlowLoading : 0);
      steps_[at(rank)].push_back({begin, now_[at(rank)]});
      now_[at(rank)] += kLaunch;
    }
    for (int layer = 0; layer < options_.layers; ++layer) {
      for (int rank = 0; rank < options_.ranks; ++rank) {
        const bool straggles = std::find(stragglers_.begin(), stragglers_.end(), rank) != stragglers_.end();
        run(rank, about(straggles ? kProduct * 13 / 10 : kProduct));
        run(rank, about(kAddition));
      }
      for (int machine = 0; machine < machines_; ++machine) meet_machine(machine, kOfMachine);
    }
    for (int rank = 0; rank < options_.ranks; ++rank) run(rank, about(kOptimizer));
    for (int pod = 0; pod < machines_; pod += kMachinesOfPod) {
      const bool slow = slow_link_ && *slow_link_ >= pod && *slow_link_ < pod + kMachinesOfPod;
      meet_between(pod, std::min(pod + kMachinesOfPod, machines_), kOfPod + (slow ? kSlowLink : 0));
    }
    meet_between(0, machines_, kOfAll);
  }
}

std::string Job::trace_of(int rank) const {
  StringSink sink;
  KinetoWriter writer(sink);
  const int machine = rank / kRanksOfMachine;
  const auto slice = [&](const char* category, const std::string& name, const Row& row, int64_t begin, int64_t duration,
                         const Members& args) {
    const int64_t shown = on_clock(rank, begin);
    writer.slice(category, name, row, shown, on_clock(rank, begin + duration) - shown, args);
  };
  Members distributed;
  distributed.add("backend", "nccl").add("rank", rank).add("world_size", options_.ranks);
  Members header;
  header.add("schemaVersion", 1).raw("distributedInfo", "{" + distributed.text() + "}");
  header.add("host_name", fmt::format("node-{:04}", machine)).add("baseTimeNanoseconds", kEpoch);
  header.raw("deviceProperties", R"([{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84929347584,
    "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132}])");
  writer.begin(header);
  const Row thread{std::to_string(1000 + rank), std::to_string(1000 + rank)};
  const Row compute{"0", "7"};
  const Row communication{"0", "20"};
  int64_t correlation = 0;
  const auto launch = [&](const char* op, int64_t& host, const Op& ran, const char* kernel, const Row& stream,
                          Members args) {
    slice("cpu_op", op, thread, host, kLaunch - 2 * kMicrosecond, {});
    Members call;
    call.add("correlation", ++correlation);
    slice("cuda_runtime", "cudaLaunchKernel", thread, host + kMicrosecond, 5 * kMicrosecond, call);
    args.add("device", 0).raw("stream", stream.tid).add("correlation", correlation);
    slice("kernel", kernel, stream, ran.begin, ran.duration, args);
    host += kLaunch;
  };
  std::map<int, int64_t> sequence;  // by group
  const auto collective = [&](const char* name, int group, int size, int64_t elements) {
    Members args;
    args.add("Collective name", name).add("In msg nelems", elements).add("Out msg nelems", elements);
    args.add("Seq", ++sequence[group])
        .add("Group size", size)
        .add("dtype", "BFloat16")
        .add("Process Group Name", std::to_string(group));
    return args;
  };
  const char* all_reduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const char* reduce_scatter = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const int place = rank % kRanksOfMachine;
  const int pod = machine / kMachinesOfPod;
  const int in_pod = std::min(kMachinesOfPod, machines_ - pod * kMachinesOfPod);
  const int on_machine = std::min(kRanksOfMachine, options_.ranks - machine * kRanksOfMachine);
  for (int step = 0; step < options_.steps; ++step) {
    const auto& [begin, loaded] = steps_[at(rank)][at(step)];
    const Op* op = &ops_[at(rank)][at(step) * ops_a_step()];
    const Op& last = op[ops_a_step() - 1];
    const int64_t end = last.begin + last.duration;
    slice("user_annotation", fmt::format("ProfilerStep#{}", step), thread, begin, end - begin, {});
    slice("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", thread, begin,
          loaded - begin, {});
    int64_t host = loaded;
    for (int layer = 0; layer < options_.layers; ++layer) {
      launch("aten::mm", host, *op++, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas", compute,
             Members().raw("grid", "[16, 8, 1]").raw("block", "[384, 1, 1]"));
      launch("aten::add_", host, *op++,
             "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>>(int)",
             compute, Members().raw("grid", "[4096, 1, 1]").raw("block", "[128, 1, 1]"));
      launch("c10d::allreduce_", host, *op++, all_reduce, communication,
             collective("allreduce", 1 + machine, on_machine, 16 << 20));
    }
    launch("Optimizer.step#AdamW.step", host, *op++,
           "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>>(int)", compute, {});
    launch("c10d::_reduce_scatter_base_", host, *op++, reduce_scatter, communication,
           collective("_reduce_scatter_base", 1 + machines_ + kRanksOfMachine * (1 + pod) + place, in_pod, 64 << 20));
    launch("c10d::allreduce_", host, *op, all_reduce, communication,
           collective("allreduce", 1 + machines_ + place, machines_, 16 << 20));
    slice("cuda_runtime", "cudaDeviceSynchronize", thread, host, end - host, {});
  }
  writer.end();
  return sink.text();
}

}  // namespace cgpu::builder
