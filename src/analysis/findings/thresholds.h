// Thresholds above which the rules report something, each with its reason. A file of rules (ruleset.h) may set others.
#pragma once

#include <array>
#include <string_view>

#include "analysis/ranks/slow_links.h"

namespace cgpu {

struct Thresholds {
  /// Share of the steps' time that a finding must be able to save. Below it, noise between two runs hides the gain
  /// (docs/performance.md: medians of one program differ by 1 to 3 %).
  double noticeable = 0.03;
  /// Share from which on a finding is critical: more than the gain of a new release of most libraries.
  double critical = 0.20;
  /// Host time between two calls that is at least so long is a stall of its own; shorter, it belongs to launching ops
  /// one by one. Practitioners look at gaps from 1 ms on (nsys-ai, recipes of Nsight Systems). Where the host usually
  /// goes from call to call far faster, shorter ones are stalls, too (long_stretches.h).
  double host_stall = 1'000'000;
  /// A copy below this size takes longer to begin than to run: 64 KiB at 25 GB/s take 2.6 us, as long as a launch.
  double small_copy = 64.0 * 1024;
  /// What a small copy costs at most by itself: a call, the start of the copy, the return. Where each costs more, it is
  /// something else that waits for it.
  double small_copy_cost = 30'000;
  double many_copies = 100;
  /// Ops shorter than that are dominated by their launch (a launch takes 2 to 10 us of a host thread).
  double short_kernel = 10'000;
  double many_kernels = 100;
  /// Fewer launches do not show what a program does in the long run: 100 launches of 5 us take half a ms.
  double many_launches = 100;
  /// A device that computes for so much of its time is well used: what is left lies in its kernels.
  double computes = 0.7;
  /// A rank that causes so much of all waiting in collectives is late, not just unlucky: with equal ranks each would
  /// cause its share.
  double straggler = 0.5;
  /// Several ranks that together cause so much of it hold up the others.
  double stragglers = 0.8;
  /// Ranks whose compute times differ by more than this factor have unequal work: the spread of equal devices is a few
  /// percent.
  double unequal_work = 1.15;
  /// How much slower a transfer is than elsewhere, and from which size on transfers are compared.
  double slow_link = SlowLinkLimits().factor;
  double large_message = SlowLinkLimits().large_message;
  /// Share of the multiprocessors that get a block, below which a kernel leaves most of the device idle.
  double low_occupancy = 0.5;
  /// Share of the attainable rate below which an op is inefficient. Products, attention and passes over memory of usual
  /// sizes reach more in the runs of examples/h100; the worst that cuBLAS picks there (TF32, a product with its
  /// left factor transposed) reaches 60 %.
  double attainable = 0.6;
  /// Share of all pairs of steps in which the later one holds more memory: by chance it is a half, and above 0.9 for
  /// ten steps in one of 1,000 cases (Mann and Kendall's test).
  double growing_pairs = 0.9;
  /// So few steps say nothing about growth.
  double growth_steps = 5;
  /// Memory that fills the device within so many steps ends most runs (critical), or long ones (warning): a day of
  /// steps of 1 s has 86,400 of them.
  double steps_until_full_critical = 1'000;
  double steps_until_full = 100'000;
  /// Share of the reserved memory that is not in use at the peak from which on the allocator's blocks do not fit what
  /// is asked of them. Caching allocators round up; a few percent are usual.
  double fragmented = 0.2;
  /// Share of a device's memory that is reserved from which on fragments may be what is missing.
  double nearly_full = 0.9;
  /// Share of device ops whose launch is not in the profile from which on conclusions about the host are doubtful.
  double orphans = 0.10;
  /// Share of the sampled time, or of the time of the launches that a kernel profiler measured, from which on something
  /// is a warning; from `critical` on it is critical. Higher than `noticeable`: samples scatter.
  double sampled_share = 0.05;
};

/// A threshold by its name in a file of rules.
struct NamedThreshold {
  std::string_view name;
  double Thresholds::*value;
  std::string_view unit;  // "%" of a share, "ns", "bytes", "count" of a number or factor
};

inline constexpr std::array kThresholds{
    NamedThreshold{"noticeable", &Thresholds::noticeable, "%"},
    NamedThreshold{"critical", &Thresholds::critical, "%"},
    NamedThreshold{"host_stall", &Thresholds::host_stall, "ns"},
    NamedThreshold{"small_copy", &Thresholds::small_copy, "bytes"},
    NamedThreshold{"small_copy_cost", &Thresholds::small_copy_cost, "ns"},
    NamedThreshold{"many_copies", &Thresholds::many_copies, "count"},
    NamedThreshold{"short_kernel", &Thresholds::short_kernel, "ns"},
    NamedThreshold{"many_kernels", &Thresholds::many_kernels, "count"},
    NamedThreshold{"many_launches", &Thresholds::many_launches, "count"},
    NamedThreshold{"computes", &Thresholds::computes, "%"},
    NamedThreshold{"straggler", &Thresholds::straggler, "%"},
    NamedThreshold{"stragglers", &Thresholds::stragglers, "%"},
    NamedThreshold{"unequal_work", &Thresholds::unequal_work, "count"},
    NamedThreshold{"slow_link", &Thresholds::slow_link, "count"},
    NamedThreshold{"large_message", &Thresholds::large_message, "bytes"},
    NamedThreshold{"low_occupancy", &Thresholds::low_occupancy, "%"},
    NamedThreshold{"attainable", &Thresholds::attainable, "%"},
    NamedThreshold{"growing_pairs", &Thresholds::growing_pairs, "%"},
    NamedThreshold{"growth_steps", &Thresholds::growth_steps, "count"},
    NamedThreshold{"steps_until_full_critical", &Thresholds::steps_until_full_critical, "count"},
    NamedThreshold{"steps_until_full", &Thresholds::steps_until_full, "count"},
    NamedThreshold{"fragmented", &Thresholds::fragmented, "%"},
    NamedThreshold{"nearly_full", &Thresholds::nearly_full, "%"},
    NamedThreshold{"orphans", &Thresholds::orphans, "%"},
    NamedThreshold{"sampled_share", &Thresholds::sampled_share, "%"},
};

}  // namespace cgpu
