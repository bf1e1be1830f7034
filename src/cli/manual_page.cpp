// cgpu manpage: the manual page, in the language of man(7). What is said of commands, options, formats and tables is
// what they declare themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "readers/formats.h"

namespace cgpu {

namespace {

/// As text that man shows as it is.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + escaped(text) + "\\fR";
}

/// A paragraph under a term that stands out to the left.
std::string entry(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, escaped(text));
}

/// "[INPUT...]": how what is without a name is given.
std::string positional(const Option& option) {
  std::string name = option.names().front();
  if (option.takes_several() && name.find("...") == std::string::npos) name += "...";
  return option.is_required() ? name : "[" + name + "]";
}

std::string described(const Option& option) {
  std::vector<std::string> names = option.names();
  for (std::string& name : names) name = option.is_named() ? bold(name) : italic(name);
  std::string term = fmt::format("{}", fmt::join(names, ", "));
  if (option.is_named() && !option.is_flag()) {
    std::vector<std::string> choices = option.choices();
    for (std::string& choice : choices) choice = bold(choice);
    term += " " + (choices.empty() ? italic("VALUE") : fmt::format("{}", fmt::join(choices, "|")));
    if (option.takes_several()) term += "...";
  }
  return entry(term, option.about() + (option.is_named() && option.is_required() ? " (required)" : ""));
}

/// The options that at least half of the commands declare in the same words: described once.
std::vector<std::string> common_options(const std::vector<Verb>& verbs) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const Verb& verb : verbs) {
    for (const Option& option : verb.options()) {
      const std::string text = described(option);
      auto at = std::find_if(counts.begin(), counts.end(), [&](const auto& known) { return known.first == text; });
      if (at == counts.end()) at = counts.insert(at, {text, 0});
      if (option.is_named()) ++at->second;
    }
  }
  std::vector<std::string> common;
  for (const auto& [text, count] : counts) {
    if (2 * count >= verbs.size()) common.push_back(text);
  }
  return common;
}

std::string command_section(const Verb& verb, const std::vector<std::string>& common) {
  std::string call = "cgpu " + verb.name() + " [OPTIONS]";
  std::string own;
  std::vector<std::string> shared;
  for (const Option& option : verb.options()) {
    if (!option.is_named()) call += " " + positional(option);
    const std::string text = described(option);
    if (std::find(common.begin(), common.end(), text) == common.end()) {
      own += text;
    } else if (const std::string name = option.names().back(); name != "--help") {
      shared.push_back(bold(name));
    }
  }
  std::string section = fmt::format(".SS \"{}\"\n{}\n{}", escaped(call), escaped(verb.about()), own);
  if (!shared.empty()) section += fmt::format(".PP\nCommon options: {}.\n", fmt::join(shared, ", "));
  return section;
}

std::string formats() {
  std::vector<std::string_view> names;
  for (const Format& format : all_formats()) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

constexpr const char* kBegin = R"(.\" Written by `cgpu manpage`.
.TH CGPU 1 "" "cgpu {version}" "User Commands"
.SH NAME
cgpu \- {about}
.SH SYNOPSIS
.B cgpu
.IR INPUT ...
.br
.B cgpu
.I COMMAND
.RI [ OPTIONS ]
.RI [ INPUT ...]
.SH DESCRIPTION
.B cgpu
opens the profile of a program that runs on CPUs and GPUs (or NPUs), whichever profiler wrote it, and says where the time
went, why the device was idle, what bounds the run, and what changed between two runs.
Without a command it reports.
.PP
.I INPUT
is a file, a folder with the profiles of one run, a pattern in quotes, or
.B \-
for standard input.
Several inputs are ranks of one run.
The content says what a file is, not its name; the formats are
{formats}.
.PP
Results go to standard output, everything else to standard error.
)";

constexpr const char* kEnd = R"(.SH "EXIT STATUS"
.TP
0
Success; of
.BR check :
no regression
.TP
1
Of
.BR check :
a regression
.TP
2
A wrong call, or an input that cannot be read, told in one line
.TP
3
Of
.BR check :
inconclusive; more runs decide
.RB ( \-\-inconclusive
makes it 0 or 1)
.TP
4
Of
.BR check :
the runs did not do the same
.RB ( \-\-allow
names what may differ)
.TP
5
Of
.BR merge :
the summary was written, of a part of the inputs
.RB ( \-\-allow\-missing
says how many may be left out)
.SH ENVIRONMENT
.TP
.B COLUMNS
Width of text where standard output is no terminal (100 without it)
.TP
.B NO_COLOR
Where it is not empty, text has no colours
.TP
.B TMPDIR
Folder for what is kept of standard input, of compressed databases, and of the collectives of thousands of ranks (without it
.IR /tmp )
.TP
.B PATH
Where
.B nsys
is looked for, which exports reports of Nsight Systems
.TP
.BR DISPLAY ", " WAYLAND_DISPLAY
Where neither is set,
.B view
opens no browser
.SH FILES
.TP
.I capture_traces
A folder beside an input, with profiles of the captures of the graphs that it replays
.TP
.I ~/.local/state/cgpu/sql_history
What was asked at the prompt of
.B sql
(under
.B XDG_STATE_HOME
where that is set)
.SH EXAMPLES
)";

constexpr std::pair<const char*, const char*> kExamples[] = {
    {"cgpu trace.json.gz", "The report of a run"},
    {"cgpu report trace.json.gz -o page.html", "The same as a page with charts"},
    {"cgpu diagnose trace.json.gz", "What slows the run down, and what that costs"},
    {"cgpu table trace.json.gz kernels --where 'total_ns > 1ms' --sort total_ns", "The kernels that take longest"},
    {"cgpu compare before.json.gz after.json.gz", "What changed between two runs"},
    {"cgpu summarize before.json.gz -o before.cgpu", "A small file, to be kept as a baseline"},
    {"cgpu check --baseline before.cgpu --candidate after.json.gz --tolerance 3%", "Whether a run is slower than it"},
    {"cgpu sql trace.json.gz \"SELECT name, total_ns FROM kernels LIMIT 5\"", "A question in SQL"},
    {"cgpu view trace.json.gz", "The timeline and all tables, in the browser"},
};

std::string manual_page(const CommandLine& line) {
  const std::string about = line.about();  // "cgpu: what it is"
  const std::vector<Verb> verbs = line.verbs();
  const std::vector<std::string> common = common_options(verbs);

  std::string page = fmt::format(kBegin, fmt::arg("version", CGPU_VERSION),
                                 fmt::arg("about", escaped(about.substr(about.find(' ') + 1))),
                                 fmt::arg("formats", escaped(formats())));
  page += ".SH COMMANDS\n";
  for (const Verb& verb : verbs) page += command_section(verb, common);
  page += ".SH \"COMMON OPTIONS\"\n";
  for (const std::string& option : common) page += option;
  page += entry(bold("--version"), "Without a command: the version, and what the program was built with");
  page +=
      ".SH TABLES\nWhat \\fBcgpu table\\fR shows. \\fBcgpu table \\-\\-list \\-\\-format json\\fR has their columns.\n";
  for (const Analysis& analysis : all_analyses()) page += entry(bold(analysis.name), analysis.about);
  page += kEnd;
  for (const auto& [command, meaning] : kExamples) page += entry(bold(command), meaning);
  return page;
}

}  // namespace

void add_manpage_verb(CommandLine& line) {
  Verb verb = line.add_verb("manpage", "The manual page: cgpu manpage | man -l -");
  verb.set_action([&line] { write_output("", [&](std::ostream& out) { out << manual_page(line); }); });
}

}  // namespace cgpu
