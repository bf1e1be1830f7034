// The module cgpu._cgpu: what the package cgpu (python/cgpu) is made of. Texts that people read, defaults and documents
// are the package's; here is what needs the library.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/table_list.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/remote_file.h"
#include "can_be_opened.h"
#include "comparison/tables/compare_findings.h"
#include "comparison/words/change_words.h"
#include "export.h"
#include "library/run_check.h"
#include "library/run_comparison.h"
#include "library/run_summary.h"
#include "opening.h"
#include "progress.h"
#include "report/finding_paragraphs.h"
#include "report/report.h"
#include "report/verdict.h"
#include "runs.h"
#include "session/opened_profile.h"
#include "session/selection/selection.h"
#include "session/summaries/summary_session.h"
#include "sql.h"
#include "sql/database.h"
#include "table.h"
#include "table/text.h"
#include "view.h"
#include "words.h"
#include "work.h"

namespace cgpu::python {

namespace nb = nanobind;

namespace {

using OptionValues = std::map<std::string, std::vector<std::string>>;  // {""} for a flag

TableOptions options_of(const OptionValues& values) {
  TableOptions options;
  for (const auto& [name, given] : values) options.set(name, given);
  return options;
}

RowChoice choice_of(const std::string& where, const std::string& sort, size_t top) {
  return {where.empty() ? Filter() : Filter::parse(where), sort, top};
}

/// Says it as the command line does.
const Analysis& analysis_called(const std::string& name) {
  if (name.starts_with("compare_")) throw Error(name + " is a table of two runs: cgpu.compare(a, b).table(...)");
  return find_analysis(name);
}

class PythonSession {
 public:
  PythonSession(OpenedProfile profile, std::vector<std::string> warnings)
      : profile_(std::move(profile)), warnings_(std::move(warnings)) {}

  /// Throws Error where it has been closed, or is a copy of what a fork has spoilt.
  const OpenedProfile& profile() const {
    if (!profile_) throw Error("the session is closed");
    made_.check();
    return *profile_;
  }
  /// The same tables in SQL.
  const PythonSql& sql() {
    if (!sql_) sql_.emplace(SqlRuns(profile()));
    return *sql_;
  }
  bool is_closed() const { return !profile_; }
  void close() {
    profile_.reset();
    sql_.reset();
  }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::optional<OpenedProfile> profile_;
  std::optional<PythonSql> sql_;  // from when it is first asked
  Forkable made_;
  std::vector<std::string> warnings_;
};

using OptionWords = std::map<std::string, std::string>;

InputOptions input_options(const OptionWords& words) {
  const std::map<std::string, std::string InputOptions::*> members = {{"input_format", &InputOptions::input_format},
                                                                      {"kernel_rules", &InputOptions::kernel_rules},
                                                                      {"peak", &InputOptions::peaks},
                                                                      {"device_model", &InputOptions::device_model},
                                                                      {"capture", &InputOptions::capture},
                                                                      {"from", &InputOptions::from},
                                                                      {"to", &InputOptions::to},
                                                                      {"step", &InputOptions::step},
                                                                      {"rank", &InputOptions::rank},
                                                                      {"device", &InputOptions::device},
                                                                      {"profile", &InputOptions::profile}};
  InputOptions options;
  for (const auto& [word, value] : words) options.*members.at(word) = value;
  return options;
}

std::vector<std::string> texts_of(const std::vector<nb::bytes>& all) {
  std::vector<std::string> texts;
  for (const nb::bytes& each : all) texts.emplace_back(each.c_str(), each.size());
  return texts;
}

std::unique_ptr<PythonSession> open(const InputOptions& options, const nb::object& progress) {
  ToldProgress told(progress);
  return work(
      [options, tell = told.teller()](const Stopped& stopped) {
        std::vector<std::string> warnings;
        OpenedProfile profile(
            options,
            [&](OpeningPhase phase, double share) {
              if (*stopped) throw Stop();
              tell(phase, share);
            },
            [&](const std::string& line) { warnings.push_back(valid_utf8(line)); });
        return std::make_unique<PythonSession>(std::move(profile), std::move(warnings));
      },
      [&] { told.pass_on(); });
}

PythonTable table(const PythonSession& session, const std::string& name, const std::string& where,
                  const std::string& sort, size_t top, const OptionValues& values) {
  return work([profile = session.profile(), name, where, sort, top, values](const Stopped&) {
    const Analysis& analysis = analysis_called(name);
    const TableOptions options = options_of(values);
    check_options(analysis.name, analysis.options, options);
    RowChoice choice = choice_of(where, sort, top);
    if (analysis.events == nullptr) return PythonTable(profile.table(analysis, options, choice));
    return PythonTable(std::make_shared<const ChosenEvents>(profile, analysis, options, std::move(choice)));
  });
}

/// The run in one line.
std::string verdict(const PythonSession& session) {
  return work([profile = session.profile()](const Stopped&) {
    if (profile.is_summary()) {
      const SummarySession& kept = profile.summary_session();
      return valid_utf8(verdict_of(kept.session(), kept.tables(verdict_tables())));
    }
    const SessionFacts& facts = profile.facts("diagnose");
    std::vector<Table> tables;
    for (const WantedTable& wanted : verdict_tables())
      tables.push_back(make_table(*wanted.analysis, facts, wanted.options));
    return valid_utf8(verdict_of(facts.session(), tables));
  });
}

std::unique_ptr<Report> report(const PythonSession& session, const std::string& names) {
  return work([profile = session.profile(), names](const Stopped&) {
    if (!profile.is_summary()) return std::make_unique<Report>(make_report(profile.facts("report"), names));
    const SummarySession& kept = profile.summary_session();
    return std::make_unique<Report>(make_report(kept.session(), kept.tables(report_tables(names, true))));
  });
}

/// Of None, an int of 64 bits, a float, a str or bytes.
SqlValue sql_value(nb::handle value) {
  if (nb::isinstance<nb::int_>(value)) return nb::cast<int64_t>(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<double>(value);
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (!nb::isinstance<nb::bytes>(value)) return std::monostate();
  const auto bytes = nb::cast<nb::bytes>(value);
  const auto* begin = static_cast<const uint8_t*>(bytes.data());
  return std::vector<uint8_t>(begin, begin + bytes.size());
}

/// Of a dict by name, or a list.
SqlParameters sql_parameters(const nb::object& given) {
  if (nb::isinstance<nb::dict>(given)) {
    std::map<std::string, SqlValue> by_name;
    for (const auto& [name, value] : nb::cast<nb::dict>(given)) {
      by_name.emplace(nb::cast<std::string>(name), sql_value(value));
    }
    return by_name;
  }
  std::vector<SqlValue> in_turn;
  for (const nb::handle value : nb::cast<nb::list>(given)) in_turn.push_back(sql_value(value));
  return in_turn;
}

/// Several profiles, by name, in SQL.
std::unique_ptr<PythonSql> sql_of(const nb::dict& sessions) {
  std::vector<std::pair<std::string, OpenedProfile>> profiles;
  for (const auto& [name, session] : sessions) {
    profiles.emplace_back(nb::cast<std::string>(name), nb::cast<const PythonSession&>(session).profile());
  }
  return std::make_unique<PythonSql>(SqlRuns(std::move(profiles)));
}

class PythonComparison {
 public:
  PythonComparison(const PythonSession& a, const PythonSession& b, const std::string& step)
      : compared_(work([first = a.profile(), second = b.profile(), step](const Stopped&) {
          return RunComparison(first, second, step);
        })) {}

  std::string words() const {
    return work([compared = compared()](const Stopped&) { return valid_utf8(compared.words()); });
  }
  PythonTable table(const std::string& name, const std::string& where, const std::string& sort, size_t top,
                    const OptionValues& values) const {
    return work([compared = compared(), name, where, sort, top, values](const Stopped&) {
      return PythonTable(compared.table(name, options_of(values), choice_of(where, sort, top)));
    });
  }

 private:
  const RunComparison& compared() const {
    made_.check();
    return compared_;
  }

  RunComparison compared_;
  Forkable made_;
};

/// Each input is a run by itself, opened as `common` says.
RunCheck check(const std::vector<std::string>& baseline, const std::vector<std::string>& candidate,
               const CheckArguments& arguments, const InputOptions& common) {
  return work([=](const Stopped& stopped) { return RunCheck(baseline, candidate, arguments, common, until(stopped)); });
}

using ColumnWords = std::tuple<std::string, std::string, std::string, std::string, std::string>;

ColumnType column_type(const std::string& text) {
  for (const ColumnType type : {ColumnType::integer, ColumnType::real, ColumnType::text}) {
    if (text == text_of(type)) return type;
  }
  throw Error(text + ": is no type of a column");
}

ColumnRole column_role(const std::string& text) {
  for (const ColumnRole role : {ColumnRole::key, ColumnRole::measure, ColumnRole::depth, ColumnRole::moment}) {
    if (text == text_of(role)) return role;
  }
  return ColumnRole::text;
}

/// The columns as columns_of has them, the values of each, and their weights as weights_of has them, or none.
PythonTable make_table(const std::string& name, const std::string& about, const std::string& per,
                       const std::vector<ColumnWords>& columns, const std::vector<nb::list>& values,
                       const std::vector<int>& weights) {
  Table declared(name, about);
  declared.per = per;
  for (const auto& [column, type, unit, meaning, role] : columns) {
    declared.columns.push_back({column, column_type(type), unit, meaning, column_role(role)});
  }
  for (size_t column = 0; column < std::min(columns.size(), weights.size()); ++column) {
    declared.columns[column].weight = static_cast<ColumnWeight>(weights[column]);
  }
  if (columns.size() != values.size()) throw Error("table " + name + ": each column needs values");
  return PythonTable::of_values(std::move(declared), values);
}

class RowReader {
 public:
  explicit RowReader(NextBatch next) : next_(std::make_shared<NextBatch>(std::move(next))) {}
  /// None at the end.
  nb::object next() {
    const auto batch = work([next = next_](const Stopped&) { return (*next)(); });
    return batch ? nb::object(rows_of(*batch)) : nb::none();
  }

 private:
  std::shared_ptr<NextBatch> next_;
};

std::vector<ColumnWords> columns_of(const PythonTable& table) {
  std::vector<ColumnWords> columns;
  for (const Column& column : table.declared().columns) {
    columns.emplace_back(valid_utf8(column.name), text_of(column.type), valid_utf8(column.unit),
                         valid_utf8(column.about), text_of(column.role));
  }
  return columns;
}

/// By which text that is too wide leaves out columns.
std::vector<int> weights_of(const PythonTable& table) {
  std::vector<int> weights;
  for (const Column& column : table.declared().columns) weights.push_back(static_cast<int>(column.weight));
  return weights;
}

/// The exceptions of the library as those of Python; the texts of both are one line.
PyObject* error_type = nullptr;

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyErr_SetString(error_type, valid_utf8(in_words_of_python(error.what())).c_str());
  } catch (const OutOfMemory& error) {
    PyErr_SetString(PyExc_MemoryError, valid_utf8(error.what()).c_str());
  }
}

}  // namespace

NB_MODULE(_cgpu, m) {
  prepare_for_forks();
  nb::set_leak_warnings(false);  // a program may end while a thread still has a table
  error_type =
      PyErr_NewExceptionWithDoc("cgpu.Error", "What went wrong, in one line that a user can act on.", nullptr, nullptr);
  m.attr("Error") = nb::borrow(error_type);
  nb::register_exception_translator(translate);
  m.attr("version") = CGPU_VERSION;
  m.def("end_work", &end_work, nb::call_guard<WithoutGil>());
  m.def("serve_files_at", &serve_files_at, nb::arg("socket"));

  nb::class_<PythonTable>(m, "Table")
      .def_prop_ro("name", [](const PythonTable& table) { return valid_utf8(table.declared().name); })
      .def_prop_ro("about", [](const PythonTable& table) { return valid_utf8(table.declared().about); })
      .def_prop_ro("per", [](const PythonTable& table) { return table.declared().per; })
      .def_prop_ro("columns", &columns_of)
      .def_prop_ro("weights", &weights_of)
      .def("__len__", &PythonTable::row_count)
      .def("stream", &PythonTable::stream)
      .def("schema", &PythonTable::schema)
      .def("text", &PythonTable::text, nb::arg("width"), nb::arg("rows"))
      .def("html", &PythonTable::html, nb::arg("rows"))
      .def("read", [](const PythonTable& table) { return RowReader(table.read()); });

  nb::class_<RowReader>(m, "RowReader").def("next", &RowReader::next);

  nb::class_<PythonSession>(m, "Session")
      .def_prop_ro("is_closed", &PythonSession::is_closed)
      .def_prop_ro("warnings", &PythonSession::warnings)
      .def("close", &PythonSession::close)
      .def(
          "tables",
          [](const PythonSession& session, bool computed) {
            return work([profile = session.profile(), computed](const Stopped&) {
              return PythonTable(computed ? profile.tables_with_rows() : profile.tables());
            });
          },
          nb::arg("computed"))
      .def(
          "export",
          [](const PythonSession& session, const nb::bytes& path, const std::string& format, bool arguments,
             const std::string& metric) {
            export_profile(session.profile(), {path.c_str(), path.size()}, format, arguments, metric);
          },
          nb::arg("path"), nb::arg("format"), nb::arg("arguments"), nb::arg("metric"))
      .def("table", &table, nb::arg("name"), nb::arg("where"), nb::arg("sort"), nb::arg("top"), nb::arg("options"))
      .def("report", &report, nb::arg("names"))
      .def("verdict", &verdict)
      .def(
          "view",
          [](const PythonSession& session, size_t most_bytes, bool arguments, const std::string& engine_page) {
            const std::string page = work([=, profile = session.profile()](const Stopped& stopped) {
              return viewer_page(profile, most_bytes, arguments, engine_page, stopped);
            });
            return nb::bytes(page.data(), page.size());
          },
          nb::arg("most_bytes"), nb::arg("arguments"), nb::arg("engine_page"))
      .def(
          "sql",
          [](PythonSession& session, const std::string& statement, const nb::object& parameters, size_t top,
             const std::string& timeout) {
            return session.sql().query(statement, sql_parameters(parameters), top, timeout);
          },
          nb::arg("statement"), nb::arg("parameters"), nb::arg("top"), nb::arg("timeout"));

  nb::class_<PythonSql>(m, "Sql").def(
      "query",
      [](const PythonSql& sql, const std::string& statement, const nb::object& parameters, size_t top,
         const std::string& timeout) { return sql.query(statement, sql_parameters(parameters), top, timeout); },
      nb::arg("statement"), nb::arg("parameters"), nb::arg("top"), nb::arg("timeout"));

  nb::class_<Report>(m, "Report")
      .def_prop_ro("title", [](const Report& report) { return valid_utf8(report.title); })
      .def(
          "text",
          [](const Report& report, size_t width) {
            TextOptions options;
            options.width = width;
            return valid_utf8(render_report_text(report, options));
          },
          nb::arg("width"), nb::call_guard<WithoutGil>())
      .def(
          "markdown", [](const Report& report) { return valid_utf8(render_report_markdown(report)); },
          nb::call_guard<WithoutGil>())
      .def(
          "html", [](const Report& report) { return valid_utf8(render_report_html(report)); },
          nb::call_guard<WithoutGil>())
      .def("tables", [](const Report& report) {
        std::vector<PythonTable> tables;
        for (const Section& section : report.sections) tables.emplace_back(section.table);
        return tables;
      });

  nb::class_<PythonComparison>(m, "Comparison")
      .def(nb::init<const PythonSession&, const PythonSession&, const std::string&>(), nb::arg("a"), nb::arg("b"),
           nb::arg("step"))
      .def("words", &PythonComparison::words)
      .def("table", &PythonComparison::table, nb::arg("name"), nb::arg("where"), nb::arg("sort"), nb::arg("top"),
           nb::arg("options"));

  m.def(
      "open",
      [](const std::vector<nb::bytes>& inputs, const OptionWords& words, unsigned threads, bool strict,
         const nb::object& progress) {
        InputOptions options = input_options(words);
        options.inputs = texts_of(inputs);
        options.threads = threads;
        options.strict = strict;
        return open(options, progress);
      },
      nb::arg("inputs"), nb::arg("words"), nb::arg("threads"), nb::arg("strict"), nb::arg("progress").none());
  nb::class_<RunCheck>(m, "Check")
      .def_prop_ro("outcome", &RunCheck::outcome)
      .def_prop_ro("exit_code", &RunCheck::exit_code)
      .def_prop_ro("headline", [](const RunCheck& check) { return valid_utf8(check.headline()); })
      .def(
          "text", [](const RunCheck& check, size_t width) { return valid_utf8(check.text(width)); }, nb::arg("width"))
      .def("markdown", [](const RunCheck& check) { return valid_utf8(check.markdown()); })
      .def("tables", [](const RunCheck& check) {
        return std::vector<PythonTable>(check.tables().begin(), check.tables().end());
      });
  m.def(
      "check",
      [](const std::vector<nb::bytes>& baseline, const std::vector<nb::bytes>& candidate, const std::string& tolerance,
         const std::string& floor, const std::vector<std::string>& allow, const std::string& inconclusive,
         const std::string& metric, const OptionWords& words) {
        return check(texts_of(baseline), texts_of(candidate), {tolerance, floor, allow, inconclusive, metric},
                     input_options(words));
      },
      nb::arg("baseline"), nb::arg("candidate"), nb::arg("tolerance"), nb::arg("floor"), nb::arg("allow"),
      nb::arg("inconclusive"), nb::arg("metric"), nb::arg("words"));
  m.def(
      "summarize",
      [](const std::vector<nb::bytes>& inputs, const OptionWords& words, bool with_host) {
        InputOptions options = input_options(words);
        options.inputs = texts_of(inputs);
        const std::string summary =
            work([=](const Stopped& stopped) { return summary_of_run(options, with_host, until(stopped)); });
        return nb::bytes(summary.data(), summary.size());
      },
      nb::arg("inputs"), nb::arg("words"), nb::arg("with_host"));
  m.def(
      "merge",
      [](const std::vector<std::tuple<nb::bytes, nb::bytes>>& parts, size_t allow_missing) {
        std::vector<SummaryPart> summaries;
        for (const auto& [bytes, input] : parts) {
          summaries.push_back({{bytes.c_str(), bytes.size()}, {input.c_str(), input.size()}});
        }
        const MergedSummary merged =
            work([summaries = std::move(summaries), allow_missing](const Stopped& stopped) mutable {
              return merge_summaries(std::move(summaries), allow_missing, until(stopped));
            });
        std::vector<std::string> warnings;
        for (const std::string& line : merged.warnings) warnings.push_back(valid_utf8(line));
        return std::tuple(nb::bytes(merged.bytes.data(), merged.bytes.size()), std::move(warnings));
      },
      nb::arg("parts"), nb::arg("allow_missing"));
  nb::class_<PythonFigures>(m, "Figures")
      .def_prop_ro("properties", &PythonFigures::properties)
      .def_prop_ro("metric", &PythonFigures::metric);
  m.def(
      "figures",
      [](const nb::bytes& input, const std::string& metric, const OptionWords& words) {
        return figures({input.c_str(), input.size()}, metric, input_options(words));
      },
      nb::arg("input"), nb::arg("metric"), nb::arg("words"));
  m.def(
      "compare_runs",
      [](const std::vector<const PythonFigures*>& runs, const std::vector<std::string>& names,
         const std::vector<std::string>& properties, const std::string& by) {
        ToldTables told = compare_runs(runs, names, properties, by);
        return std::tuple(std::move(told.words), std::move(told.tables));
      },
      nb::arg("runs"), nb::arg("names"), nb::arg("properties"), nb::arg("by"));
  m.def(
      "history",
      [](const std::vector<nb::bytes>& inputs, const OptionWords& words) {
        ToldTables told = history(texts_of(inputs), input_options(words));
        return std::tuple(std::move(told.words), std::move(told.tables));
      },
      nb::arg("inputs"), nb::arg("words"));
  m.def(
      "can_be_opened",
      [](const nb::bytes& path) {
        return can_be_opened({path.c_str(), path.size()});
      },
      nb::arg("path"), nb::call_guard<WithoutGil>());
  m.def("make_table", &make_table, nb::arg("name"), nb::arg("about"), nb::arg("per"), nb::arg("columns"),
        nb::arg("values"), nb::arg("weights"));
  m.def("nanoseconds", &parse_time, nb::arg("time"), nb::arg("of"));
  m.def("sql", &sql_of, nb::arg("sessions"));
  m.def("limit_sql", &limit_sql);
  m.def("tables", [] { return PythonTable(list_of_tables(declared_tables())); });
  m.def("comparison_tables", [] { return PythonTable(RunComparison::tables()); });
  m.def("finding_changes", [](const PythonTable& before, const PythonTable& after) {
    return valid_utf8(finding_words(compare_findings(before.in_memory(), after.in_memory())).plain());
  });
  m.def("wrapped", [](const std::string& line, size_t width) { return valid_utf8(wrap_text(line, width)); });
  m.def("findings_text", [](const PythonTable& findings, size_t width) {
    return valid_utf8(findings_as_text(findings.in_memory(), {.width = width}));
  });
}

}  // namespace cgpu::python
