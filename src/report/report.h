// The report: the whole story of a run on a page, as tables first, then rendered as text, Markdown or HTML.
//
// make_report decides what is reported: which tables have something to say about this run, in which order, what of each
// is shown, and the sentences. The renderers only lay that out; the charts of the HTML page draw the same tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/run_history.h"
#include "session/wanted_table.h"
#include "table/html.h"
#include "table/table.h"
#include "table/text.h"

namespace cgpu {

/// One part of the page: a heading, a sentence or two that say what the numbers mean for this run, and its table.
struct Section {
  std::string title;
  std::string summary;  // plain text, "" for none
  Table table;          // all of it; JSON and the charts have this
  Table page;           // the rows and columns of it that the page shows; without rows the page has no such section
  std::string cut;      // what the page leaves out of the rows ("the 12 with the largest total, of 85"); "" for nothing
};

/// A copy of the viewer (serve/viewer_copy.h) that the HTML page links to.
struct LinkedViewer {
  std::string href = {};    // relative_address (history_report.h); "" for none
  bool same_times = false;  // times count from the same moment in both
};

struct Report {
  std::string title;
  std::string unknown_utilization;    // why it is not known how busy the devices were; "" where it is
  std::string verdict;                // one line (verdict.h); "" where no device did anything
  std::vector<std::string> headline;  // the few lines that one would read if one read nothing else
  std::vector<Section> sections;      // only those that have something to say
  std::vector<RunHistory> histories;  // by run; empty where the pictures over time are not wanted
  Table rank_activity;                // for pictures of many ranks over time; without rows where they are not wanted
  HtmlLinks links;                    // of texts in the tables
  LinkedViewer viewer;
  std::string tables_command = "cgpu table INPUT NAME";  // that gives all rows and columns of a table

  /// What the time is called in which a device has no work in the profile.
  std::string_view idle_word() const { return unknown_utilization.empty() ? "idle" : "nothing recorded"; }
  /// The section of the table of this name, or null.
  const Section* section_of(std::string_view table) const;
  /// The table of this name, or null.
  const Table* find(std::string_view table) const;
};

/// The tables that a report is made of; `kernel_names`: as `kernels` takes --names. `with_pictures`: also of what is
/// only drawn. `sections`: only those of these names, empty for all; throws Error naming them all at another name. A
/// report of some sections has no headline.
std::vector<WantedTable> report_tables(const std::string& kernel_names, bool with_pictures,
                                       const std::vector<std::string>& sections = {});
/// Puts these tables on a page. `histories` are for the pictures over time, which need not be drawn.
Report make_report(const Session& session, std::vector<Table> tables, std::vector<RunHistory> histories = {});
/// Of a session that is open: computes the tables too.
Report make_report(const SessionFacts& facts, const std::string& kernel_names);
Report make_report(const Session& session);

std::string render_report_text(const Report& report, const TextOptions& options);
/// One screen of it: the verdict, the first findings, utilisation, steps, what took most, and how to go on.
std::string render_overview_text(const Report& report, const TextOptions& options);
std::string render_report_markdown(const Report& report);
/// One self-contained file: opens from disk, offline, prints. Charts are inline SVG.
std::string render_report_html(const Report& report);

}  // namespace cgpu
