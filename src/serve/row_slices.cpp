#include "serve/row_slices.h"

#include <map>
#include <tuple>

#include "analysis/columns.h"
#include "analysis/launch_calls.h"
#include "analysis/merged_names.h"
#include "kernels/names.h"
#include "links/collective_series.h"

namespace cgpu {

namespace {

using Visit = std::function<void(size_t run, SliceIndex slice, uint32_t row)>;
using Keys = std::vector<std::vector<Cell>>;
using IsWanted = bool (*)(SliceKind);

/// The kinds of slices whose names are the rows of a table; null for a table of another kind.
IsWanted kinds_of(std::string_view table) {
  static const std::map<std::string_view, IsWanted> kinds = {
      {"kernels", is_kernel},
      {"ops", [](SliceKind kind) { return kind == SliceKind::framework_op; }},
      {"api", is_call},
      {"os_calls", [](SliceKind kind) { return kind == SliceKind::os_call; }},
      {"ranges", [](SliceKind kind) { return kind == SliceKind::annotation; }},
      {"launches", is_call},
      {"slices", [](SliceKind kind) { return kind != SliceKind::profiler_span; }},
  };
  const auto found = kinds.find(table);
  return found == kinds.end() ? nullptr : found->second;
}

/// By slice, whether it launched a device op.
std::vector<bool> launchers_of(const Timeline& timeline) {
  std::vector<bool> launched(timeline.slices.size());
  for (const LaunchingCall& call : launching_calls(timeline)) launched[call.call] = true;
  return launched;
}

Keys visit_names(const Session& session, std::string_view table, bool base_names, const Visit& visit) {
  const IsWanted is_wanted = kinds_of(table);
  MergedNames names(base_names && table == "kernels" ? base_kernel_name : MergedNames::Spelling());
  std::vector<uint32_t> row_of;  // by merged number
  Keys keys;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    const std::vector<bool> launchers = table == "launches" ? launchers_of(timeline) : std::vector<bool>();
    std::vector<bool> has_kind;  // by category
    for (const Category& category : timeline.categories) has_kind.push_back(is_wanted(category.kind));
    names.enter(timeline.names);
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!has_kind[timeline.slices.category[slice]] || !is_plausible(timeline, slice)) continue;
      if (!launchers.empty() && !launchers[slice]) continue;
      const StringId number = names.number(timeline.slices.name[slice]);
      while (row_of.size() <= number) row_of.push_back(UINT32_MAX);
      if (row_of[number] == UINT32_MAX) {
        row_of[number] = static_cast<uint32_t>(keys.size());
        keys.push_back({cell(names.text(number))});
      }
      visit(run, slice, row_of[number]);
    }
  }
  return keys;
}

Keys visit_transfers(const Session& session, const Visit& visit) {
  const auto memory = [](MemoryKind kind) { return kind == MemoryKind::none ? Cell() : cell(text_of(kind)); };
  std::map<std::tuple<CopyKind, MemoryKind, MemoryKind>, uint32_t> rows;
  Keys keys;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    const DeviceOps& ops = timeline.device_ops;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (kind != SliceKind::memcpy && kind != SliceKind::memset) return;
      const auto [row, is_new] =
          rows.try_emplace({ops.copy[op], ops.source[op], ops.destination[op]}, static_cast<uint32_t>(keys.size()));
      if (is_new) keys.push_back({cell(text_of(ops.copy[op])), memory(ops.source[op]), memory(ops.destination[op])});
      visit(run, slice, row->second);
    });
  }
  return keys;
}

Keys visit_collectives(const Session& session, const Visit& visit) {
  Keys keys;
  for (const CollectiveSeries& series : device_collectives(session)) {
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart& part : member.parts) {
        visit(member.run, part.slice, static_cast<uint32_t>(keys.size()));
      }
    }
    keys.push_back({series.name, cell(series.group)});
  }
  return keys;
}

}  // namespace

std::vector<std::string> row_columns(std::string_view table) {
  if (table == "transfers") return {"kind", "src_memory", "dst_memory"};
  if (table == "collectives") return {"name", "group"};
  if (kinds_of(table) != nullptr) return {"name"};
  return {};
}

Keys visit_rows(const Session& session, std::string_view table, bool base_names, const Visit& visit) {
  if (table == "transfers") return visit_transfers(session, visit);
  if (table == "collectives") return visit_collectives(session, visit);
  return visit_names(session, table, base_names, visit);
}

}  // namespace cgpu
