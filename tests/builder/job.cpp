#include "job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
constexpr int64_t kPassing = 100 * kMicrosecond;
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

Job::Group Job::tensor_group(int rank) const {
  const int number = rank / options_.tensor_ranks;
  const int first = number * options_.tensor_ranks;
  return {1 + number, "mesh_tp", first, std::min(first + options_.tensor_ranks, options_.ranks), 1};
}

Job::Group Job::all_group(int rank) const {
  const int place = rank % kRanksOfMachine;
  return {tensor_group(options_.ranks - 1).number + 1 + place, "mesh_dp_replicate", place, options_.ranks,
          kRanksOfMachine};
}

Job::Group Job::pod_group(int rank) const {
  constexpr int kRanksOfPod = kRanksOfMachine * kMachinesOfPod;
  const int pod = rank / kRanksOfPod;
  const Group all = all_group(rank);
  return {all.number + kRanksOfMachine * (1 + pod), "mesh_dp_shard", pod * kRanksOfPod + all.first,
          std::min((pod + 1) * kRanksOfPod, options_.ranks), kRanksOfMachine};
}

Job::Group Job::pipeline_group(int rank) const {
  const int first = rank % ranks_of_stage();
  const Group last_pod = pod_group(options_.ranks - 1);
  return {last_pod.number - last_pod.first % kRanksOfMachine + kRanksOfMachine + first, "mesh_pp", first,
          options_.ranks, ranks_of_stage()};
}

void Job::meet(const Group& group, int64_t takes) {
  int64_t last = 0;
  for (int rank = group.first; rank < group.end; rank += group.stride) last = std::max(last, now_[at(rank)]);
  for (int rank = group.first; rank < group.end; rank += group.stride) run(rank, last + takes - now_[at(rank)]);
}

void Job::pass_on(int rank, int64_t takes) {
  const int next = rank + ranks_of_stage();
  const int64_t done = std::max(now_[at(rank)], now_[at(next)]) + takes;
  for (const int partner : {rank, next}) run(partner, done - now_[at(partner)]);
}

size_t Job::ops_a_step(int rank) const {
  return at(3 * options_.layers + 3) + (receives(rank) ? 1 : 0) + (sends(rank) ? 1 : 0);
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
      const bool slow =
          slow_machine_ == rank / kRanksOfMachine || options_.slow_rack == rank / kRanksOfMachine / kMachinesOfRack;
      now_[at(rank)] += about(kLoading) + (slow ? kSlowLoading : 0);
      steps_[at(rank)].push_back({begin, now_[at(rank)]});
      now_[at(rank)] += kLaunch;
    }
    for (int first = 0; first < options_.ranks; first += ranks_of_stage()) {
      const int end = first + ranks_of_stage();
      for (int layer = 0; layer < options_.layers; ++layer) {
        for (int rank = first; rank < end; ++rank) {
          const bool straggles = std::find(stragglers_.begin(), stragglers_.end(), rank) != stragglers_.end() ||
                                 options_.slow_stage == first / ranks_of_stage();
          run(rank, about(straggles ? kProduct * 13 / 10 : kProduct));
          run(rank, about(kAddition));
        }
        for (int rank = first; rank < end; rank += options_.tensor_ranks) {
          const bool slow_group = options_.slow_tensor_group == rank / options_.tensor_ranks;
          meet(tensor_group(rank), kOfMachine + (slow_group ? kSlowLink / options_.layers : 0));
        }
      }
      for (int rank = first; rank < end && sends(rank); ++rank) pass_on(rank, kPassing);
    }
    for (int rank = 0; rank < options_.ranks; ++rank) run(rank, about(kOptimizer));
    for (int pod = 0; pod < machines_; pod += kMachinesOfPod) {
      const bool slow = slow_link_ && *slow_link_ >= pod && *slow_link_ < pod + kMachinesOfPod;
      for (int place = 0; place < kRanksOfMachine; ++place) {
        meet(pod_group(pod * kRanksOfMachine + place), kOfPod + (slow ? kSlowLink : 0));
      }
    }
    for (int place = 0; place < kRanksOfMachine; ++place) meet(all_group(place), kOfAll);
  }
}

/// The groups of the rank, as PyTorch lists them: of the group of all ranks it names none.
std::string Job::distributed_info(int rank) const {
  std::string groups;
  const auto add = [&](const Group& group, const std::vector<int>& ranks) {
    Members members;
    members.add("pg_name", std::to_string(group.number)).add("pg_desc", group.description);
    members.add("backend_config", "cuda:nccl").add("pg_size", group.size());
    members.raw("ranks", fmt::format("[{}]", fmt::join(ranks, ", ")));
    groups += (groups.empty() ? "{" : ", {") + members.text() + "}";
  };
  add({0, "default_pg", 0, options_.ranks, 1}, {});
  for (Group group : {tensor_group(rank), pod_group(rank), all_group(rank), pipeline_group(rank)}) {
    std::vector<int> ranks;
    for (int each = group.first; each < group.end; each += group.stride) ranks.push_back(each);
    if (options_.undescribed) group.description = "undefined";
    if (ranks.size() > 1) add(group, ranks);
  }
  Members info;
  info.add("backend", "nccl").add("rank", rank).add("world_size", options_.ranks).raw("pg_config", "[" + groups + "]");
  return "{" + info.text() + "}";
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
  Members header;
  header.add("schemaVersion", 1).raw("distributedInfo", distributed_info(rank));
  header.add("host_name", options_.racks
                              ? fmt::format("x{}c0s{}b0n0", 1000 + machine / kMachinesOfRack, machine % kMachinesOfRack)
                              : fmt::format("node-{:04}", machine));
  header.add("baseTimeNanoseconds", kEpoch);
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
  const auto communication_of = [&](const char* name, const Group& group, int64_t elements) {
    Members args;
    args.add("Collective name", name).add("In msg nelems", elements).add("Out msg nelems", elements);
    args.add("Group size", group.size())
        .add("dtype", "BFloat16")
        .add("Process Group Name", std::to_string(group.number));
    return args;
  };
  const auto collective = [&](const char* name, const Group& group, int64_t elements) {
    Members args = communication_of(name, group, elements);
    return args.add("Seq", ++sequence[group.number]);
  };
  const auto transfer = [&](const char* name, const char* partner, int with) {
    Members args = communication_of(name, pipeline_group(rank), 4 << 20);
    return args.add(partner, with);
  };
  const char* all_reduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const char* reduce_scatter = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  const char* send_recv = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
  for (int step = 0; step < options_.steps; ++step) {
    const auto& [begin, loaded] = steps_[at(rank)][at(step)];
    const Op* op = &ops_[at(rank)][at(step) * ops_a_step(rank)];
    const Op& last = op[ops_a_step(rank) - 1];
    const int64_t end = last.begin + last.duration;
    slice("user_annotation", fmt::format("ProfilerStep#{}", step), thread, begin, end - begin, {});
    slice("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", thread, begin,
          loaded - begin, {});
    int64_t host = loaded;
    if (receives(rank)) {
      launch("c10d::recv_", host, *op++, send_recv, communication,
             transfer("recv", "Src Rank", rank - ranks_of_stage()));
    }
    for (int layer = 0; layer < options_.layers; ++layer) {
      launch("aten::mm", host, *op++, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas", compute,
             Members().raw("grid", "[16, 8, 1]").raw("block", "[384, 1, 1]"));
      launch("aten::add_", host, *op++,
             "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>>(int)",
             compute, Members().raw("grid", "[4096, 1, 1]").raw("block", "[128, 1, 1]"));
      launch("c10d::allreduce_", host, *op++, all_reduce, communication,
             collective("allreduce", tensor_group(rank), 16 << 20));
    }
    if (sends(rank)) {
      launch("c10d::send", host, *op++, send_recv, communication,
             transfer("send", "Dst Rank", rank + ranks_of_stage()));
    }
    launch("Optimizer.step#AdamW.step", host, *op++,
           "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>>(int)", compute, {});
    launch("c10d::_reduce_scatter_base_", host, *op++, reduce_scatter, communication,
           collective("_reduce_scatter_base", pod_group(rank), 64 << 20));
    launch("c10d::allreduce_", host, *op, all_reduce, communication,
           collective("allreduce", all_group(rank), 16 << 20));
    slice("cuda_runtime", "cudaDeviceSynchronize", thread, host, end - host, {});
  }
  writer.end();
  return sink.text();
}

}  // namespace cgpu::builder
