#include "session/table_engine.h"

#include <optional>
#include <utility>

#include "analysis/session_facts.h"
#include "base/allocator.h"
#include "base/threads.h"
#include "session/ranks/rank_sizes.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

namespace {

Session open_all(const ProfileSource& source) {
  Session session = source.open();
  return_freed_memory();
  return session;
}

MadeTables with_all_open(const ProfileSource& source, const std::vector<WantedTable>& wanted, RunCollector* collector) {
  MadeTables made{std::make_shared<const Session>(open_all(source)), {}, {}};
  const SessionFacts facts(*made.session);
  made.tables.resize(wanted.size());
  for_each_or_throw(threads_of(source.options()), wanted.size(),
                    [&](size_t i) { made.tables[i] = make_table(*wanted[i].analysis, facts, wanted[i].options); });
  for (uint32_t run = 0; run < made.session->runs.size(); ++run) {
    made.numbers.push_back(run);
    if (collector != nullptr) collector->collect({facts, run, run});
  }
  return made;
}

MadeTables finalize(ProcessedRanks ranks, const std::vector<WantedTable>& wanted) {
  std::vector<Table> tables;
  for (size_t i = 0; i < wanted.size(); ++i) {
    tables.push_back(ranks.partials[i] ? ranks.partials[i]->finalize({*ranks.facts, ranks.numbers})
                                       : ranks.table_of_whole(wanted[i]));
  }
  for (size_t i = 0; i < wanted.size() && ranks.has_released_timelines(); ++i) {
    if (!wanted[i].analysis->without_timelines) continue;
    if (auto table = made_of_sources(*wanted[i].analysis, *ranks.facts, wanted, tables)) tables[i] = std::move(*table);
  }
  ranks.facts.reset();
  return {std::move(ranks.session), std::move(tables), std::move(ranks.numbers)};
}

}  // namespace

MadeTables make_tables(const ProfileSource& source, const std::vector<WantedTable>& wanted, RunCollector* collector) {
  for (const WantedTable& table : wanted) check_options(table.analysis->name, table.analysis->options, table.options);
  if (const auto& summary = source.summary()) {
    std::vector<Table> tables = summary->tables(wanted);
    return {std::shared_ptr<const Session>(summary, &summary->runs()), std::move(tables), summary->numbers()};
  }
  if (auto ranks = fold_ranks(source, wanted, collector)) return finalize(std::move(*ranks), wanted);
  return with_all_open(source, wanted, collector);
}

ProcessedRanks process_ranks(const ProfileSource& source, const std::vector<WantedTable>& wanted,
                             RunCollector* collector) {
  if (auto ranks = fold_ranks(source, wanted, collector)) return std::move(*ranks);
  ProcessedRanks all;
  all.session = std::make_unique<Session>(open_all(source));
  all.facts = std::make_unique<SessionFacts>(*all.session);
  all.partials = new_partials(wanted);
  for (uint32_t run = 0; run < all.session->runs.size(); ++run) {
    all.numbers.push_back(run);
    const RunInSession in_session{*all.facts, run, run};
    collector->collect(in_session);
    for (const std::unique_ptr<Partial>& partial : all.partials) {
      if (partial) partial->update(in_session);
    }
  }
  return all;
}

}  // namespace cgpu
