// What every renderer has to hold for hostile names, and the look of each format on a small table.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/json_text.h"
#include "table/csv.h"
#include "table/filter.h"
#include "table/html.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/text.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {
namespace {

Table sample() {
  Table table("kernels", "One row a kernel name");
  table.columns = {{"name", ColumnType::text, "", "Full name"},
                   {"count", ColumnType::integer, "count", "Launches"},
                   {"total_ns", ColumnType::integer, "ns", "Sum"},
                   {"pct", ColumnType::real, "%", "Of all kernels"}};
  table.append({"void gemm<float, 128>(float const*)", int64_t{1234}, int64_t{12345678}, 87.5});
  table.append({"copy|kernel", int64_t{2}, int64_t{789}, {}});
  table.append({"memset", int64_t{1}, {}, 12.5});
  return table;
}

TEST(Text, Layout) {
  EXPECT_EQ(render_text(sample(), {.width = 80}),
            "One row a kernel name\n"
            "name                                 count    total       %\n"
            "-----------------------------------  -----  -------  ------\n"
            "void gemm<float, 128>(float const*)  1,234  12.3 ms  87.50%\n"
            "copy|kernel                              2   789 ns       -\n"
            "memset                                   1        -  12.50%\n");
}

TEST(Text, NarrowShortensNamesAndCutsRows) {
  EXPECT_EQ(render_text(sample(), {.width = 40, .max_rows = 1}),
            "One row a kernel name\n"
            "name              count    total       %\n"
            "----------------  -----  -------  ------\n"
            "void ge...onst*)  1,234  12.3 ms  87.50%\n"
            "... 2 more rows (--top 0 shows all)\n");
}

TEST(Text, LeavesOutColumnsFromTheRight) {
  EXPECT_EQ(render_text(sample(), {.width = 30, .max_rows = 1}),
            "One row a kernel name\n"
            "name            count    total\n"
            "--------------  -----  -------\n"
            "void g...nst*)  1,234  12.3 ms\n"
            "... 2 more rows (--top 0 shows\n"
            "all)\n"
            "Columns left out: pct\n"
            "(--format csv or json shows\n"
            "all)\n");
}

TEST(Text, LeavesOutTheLeastImportantColumnFirst) {
  Table table = sample();
  table.columns[1].weight = ColumnWeight::detail;
  table.columns[3].weight = ColumnWeight::main;
  const auto heading = [&](size_t width) {
    const std::string text = render_text(table, {.width = width, .max_rows = 1, .bare = true});
    std::istringstream words(text.substr(0, text.find('\n')));
    return std::vector<std::string>{std::istream_iterator<std::string>(words), {}};
  };
  EXPECT_EQ(heading(80), (std::vector<std::string>{"name", "count", "total", "%"}));
  EXPECT_EQ(heading(34), (std::vector<std::string>{"name", "total", "%"}));
  EXPECT_EQ(heading(20), (std::vector<std::string>{"name", "%"}));
}

TEST(Text, CutsNamesBeforeItLeavesOutFigures) {
  const std::string text = render_text(sample(), {.width = 34, .max_rows = 1});
  EXPECT_EQ(text.substr(text.find('\n') + 1, 35), "name        count    total       %\n") << text;
}

TEST(Text, FiguresHaveTheUnitOfTheirRow) {
  Table table("compare_summary", "");
  table.columns = {{"name", ColumnType::text, "", "", ColumnRole::key},
                   {"unit", ColumnType::text, "", "", ColumnRole::text},
                   {"a", ColumnType::real, "", ""},
                   {"ratio", ColumnType::real, "", ""}};
  table.append({"time_ns", "ns", 1.5e6, 2.0});
  table.append({"flops", "FLOP", 2.5e12, Cell()});
  table.append({"device_ops", "count", 1092.0, 1.0});
  EXPECT_EQ(render_text(table, {.width = 80, .bare = true}),
            "name                 a  ratio\n"
            "----------  ----------  -----\n"
            "time_ns        1.50 ms      2\n"
            "flops       2.50 TFLOP      -\n"
            "device_ops       1,092      1\n");
}

TEST(Text, ColorOnlyWhereAsked) {
  const std::string plain = render_text(sample(), {.width = 80});
  std::string color = render_text(sample(), {.width = 80, .color = true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(color.find("\x1b[1mname\x1b[0m"), std::string::npos);
  EXPECT_NE(color.find("\x1b[2m-\x1b[0m"), std::string::npos);
  for (const std::string code : {"\x1b[0m", "\x1b[1m", "\x1b[2m"}) {
    for (size_t at; (at = color.find(code)) != std::string::npos;) color.erase(at, code.size());
  }
  EXPECT_EQ(color, plain);
}

TEST(Text, EmptyTables) {
  Table table = sample();
  table.clear_rows();
  EXPECT_EQ(render_text(table, {}),
            "One row a kernel name\n"
            "name  count  total  %\n"
            "----  -----  -----  -\n"
            "(no rows)\n");
}

TEST(Text, SaysWhyThereAreNoRows) {
  const Table table("t", "about", {{"name", ColumnType::text, "", "a"}});
  const std::string text = render_text(table, {.why_empty = "the profile has no ops"});
  EXPECT_NE(text.find("(no rows: the profile has no ops)"), std::string::npos) << text;
}

TEST(Text, TreesAreIndented) {
  Table table("t", "about",
              {{"depth", ColumnType::integer, "", "d", ColumnRole::depth},
               {"kind", ColumnType::text, "", "k", ColumnRole::text},
               {"name", ColumnType::text, "", "n", ColumnRole::key}});
  for (int64_t depth = 0; depth < 3; ++depth) table.append({depth, "k", "n" + std::to_string(depth)});
  EXPECT_EQ(render_text(table, {.width = 40, .bare = true}),
            "depth  kind  name\n"
            "-----  ----  ------\n"
            "    0  k     n0\n"
            "    1  k       n1\n"
            "    2  k         n2\n");
  table.append({int64_t{1'000'000}, "k", "deep"});  // does not push the others out of the picture
  const std::string text = render_text(table, {.width = 40, .bare = true});
  EXPECT_NE(text.find("  k     n2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  k             deep\n"), std::string::npos) << text;
}

TEST(EveryRenderer, CountsRowsThatWereNotMade) {
  Table table = sample();
  take_top(table, 1);
  for (const size_t top : {size_t{0}, size_t{1}}) {
    EXPECT_EQ(render_text(table, {.width = 80, .max_rows = top, .more_rows = 2}),
              render_text(sample(), {.width = 80, .max_rows = 1}));
    EXPECT_EQ(render_markdown(table, top, 2), render_markdown(sample(), 1));
  }
}

TEST(Text, Wrap) {
  EXPECT_EQ(wrap_text("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrap_text("abcdefghij kl", 4), "abcd\nefgh\nij\nkl\n");
  EXPECT_EQ(wrap_text("", 4), "\n");
}

TEST(Csv, Quotes) {
  Table table = sample();
  table.append({"a \"b\"\nc", int64_t{-1}, int64_t{9007199254740993}, 0.1});
  table.append({"", {}, {}, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(render_csv(table),
            "name,count,total_ns,pct\n"
            "\"void gemm<float, 128>(float const*)\",1234,12345678,87.5\n"
            "copy|kernel,2,789,\n"
            "memset,1,,12.5\n"
            "\"a \"\"b\"\"\nc\",-1,9007199254740993,0.1\n"
            "\"\",,,\n");
}

TEST(Csv, GuardsTextsThatSpreadsheetsAndTerminalsActOn) {
  Table table("t", "");
  table.columns = {{"=name", ColumnType::text, "", ""}, {"value", ColumnType::integer, "", ""}};
  for (const char* text : {"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "-3.5e2", "plain", "a=b", "\t=1", "\r=1",
                           "\n=1", "\x1b[31mred", "two\nlines"}) {
    table.append({text, int64_t{-1}});
  }
  EXPECT_EQ(render_csv(table),
            "'=name,value\n'=cmd|' /C calc'!A0,-1\n'+1+1,-1\n'-2+3,-1\n'@SUM(A1),-1\n-3.5e2,-1\nplain,-1\na=b,-1\n"
            "\\t=1,-1\n\\r=1,-1\n\"'\n=1\",-1\n\\x1b[31mred,-1\n\"two\nlines\",-1\n");
  EXPECT_TRUE(render_csv(table, CsvText::exact).starts_with("=name,value\n=cmd|"));
}

TEST(Json, Document) {
  Table table = sample();
  table.clear_rows();
  table.columns.resize(2);
  table.append({"a\"b", int64_t{1}});
  table.append({"\x01\xff", {}});
  table.sorted_by = "-count";
  EXPECT_EQ(render_json("table", {"x.json"}, {table}),
            "{\"schema\": \"cgpu/1\", \"command\": \"table\", \"inputs\": [\"x.json\"], \"tables\": {\n"
            "\"kernels\": {\"about\": \"One row a kernel name\", \"sorted_by\": \"-count\", \"columns\": [\n"
            "{\"name\": \"name\", \"type\": \"text\", \"unit\": \"\", \"about\": \"Full name\"},\n"
            "{\"name\": \"count\", \"type\": \"int\", \"unit\": \"count\", \"about\": \"Launches\"}\n"
            "], \"rows\": [\n"
            "[\"a\\\"b\", 1],\n"
            "[\"\\u0001\uFFFD\", null]\n"
            "]}\n"
            "}}\n");
}

TEST(Markdown, Table) {
  Table table = sample();
  table.map_text(0, [](std::string_view name) { return std::string(name == "memset" ? "a *b* @c\n`d`" : name); });
  EXPECT_EQ(render_markdown(table),
            "One row a kernel name\n\n"
            "| name | count | total | % |\n"
            "| --- | ---: | ---: | ---: |\n"
            "| void gemm&#60;float, 128&#62;(float const&#42;) | 1,234 | 12.3 ms | 87.50% |\n"
            "| copy&#124;kernel | 2 | 789 ns | - |\n"
            "| <code>a &#42;b&#42; &#64;c&#92;n&#96;d&#96;</code> | 1 | - | 12.50% |\n");
  EXPECT_EQ(escape_markdown("at::native"), "<code>at::native</code>");
  EXPECT_EQ(escape_markdown("__x__ a_b"), "&#95;&#95;x&#95;&#95; a_b");
  EXPECT_EQ(escape_markdown("http://www.x.y"), "http&#58;//www&#46;x.y");
}

TEST(Html, Table) {
  Table table = sample();
  table.map_text(0, [](std::string_view name) { return std::string(name == "copy|kernel" ? "<script>" : name); });
  EXPECT_EQ(
      render_html_table(table, 2),
      "<table class=\"cgpu-table\" data-table=\"kernels\">\n"
      "<caption>One row a kernel name</caption>\n"
      "<thead><tr><th class=\"text\" title=\"Full name\">name</th><th class=\"number\" title=\"Launches\">count</th>"
      "<th class=\"number\" title=\"Sum\">total</th><th class=\"number\" title=\"Of all kernels\">%</th></tr></thead>\n"
      "<tbody>\n"
      "<tr><td class=\"text\">void gemm&lt;float, 128&gt;(float const*)</td>"
      "<td class=\"number\" title=\"1234\">1,234</td><td class=\"number\" title=\"12345678 ns\">12.3 ms</td>"
      "<td class=\"number\" title=\"87.5 %\">87.50%</td></tr>\n"
      "<tr><td class=\"text\">&lt;script&gt;</td><td class=\"number\">2</td>"
      "<td class=\"number\">789 ns</td><td class=\"number absent\">-</td></tr>\n"
      "</tbody>\n"
      "<tfoot><tr><td colspan=\"4\">... 1 more row</td></tr></tfoot>\n"
      "</table>\n");
}

TEST(Html, TextsWithAnAddressAreLinks) {
  const std::string html = render_html_table(sample(), 0, {{"copy|kernel", "a?b=\"1\"&c"}, {"1,234", "number"}});
  EXPECT_NE(html.find("<td class=\"text\"><a href=\"a?b=&quot;1&quot;&amp;c\">copy|kernel</a></td>"),
            std::string::npos);
  EXPECT_EQ(html.find("<a"), html.rfind("<a"));
}

// Random tables of hostile text.

std::string hostile_text(std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {"a",
                                                  "void gemm<float>(",
                                                  "\x1b[31m",
                                                  "\n",
                                                  "\r\n",
                                                  "\"",
                                                  "'",
                                                  ",",
                                                  ";",
                                                  "|",
                                                  "<script>alert(1)</script>",
                                                  "\u202e",
                                                  "\u200f",
                                                  "\xff",
                                                  "\xc3",
                                                  "\xed\xa0\x80",
                                                  "\u4e2d\u6587",
                                                  "e\u0301",
                                                  "\U0001f680",
                                                  std::string(1, '\0'),
                                                  "\t",
                                                  "\u0085",
                                                  "&amp;",
                                                  "`x`",
                                                  "*b*",
                                                  "--",
                                                  "\\|",
                                                  "at::native::",
                                                  " ",
                                                  "=1+1",
                                                  "\x7f",
                                                  "\ufeff",
                                                  "@me",
                                                  "]]>",
                                                  "\u0301"};
  std::string text;
  for (size_t n = random() % 12; n > 0; --n) text += pieces[random() % pieces.size()];
  if (random() % 40 == 0) text += std::string(3000, 'x');
  return text;
}

Table hostile_table(std::mt19937_64& random) {
  static const std::vector<std::string> units = {"", "ns", "%", "bytes", "GB/s", "count", "FLOP/s", "furlong", "sec"};
  Table table("t", hostile_text(random));
  for (size_t n = 1 + random() % 12; n > 0; --n) {
    table.columns.push_back({hostile_text(random), static_cast<ColumnType>(random() % 3),
                             units[random() % units.size()], hostile_text(random)});
  }
  for (size_t n = random() % 8; n > 0; --n) {
    Row row;
    for (const Column& column : table.columns) {
      if (random() % 6 == 0) {
        row.emplace_back();
      } else if (column.type == ColumnType::text) {
        row.emplace_back(hostile_text(random));
      } else if (column.type == ColumnType::integer) {
        row.emplace_back(static_cast<int64_t>(random()) >> random() % 64);
      } else {
        row.emplace_back(std::bit_cast<double>(random()));
      }
    }
    table.append(std::move(row));
  }
  return table;
}

/// Fields of a CSV text; absent (nothing at all) is distinguished from "" by the flag.
struct CsvField {
  std::string text;
  bool quoted = false;
};

std::vector<std::vector<CsvField>> parse_csv(const std::string& csv) {
  std::vector<std::vector<CsvField>> records(1, std::vector<CsvField>(1));
  bool inside = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    CsvField& field = records.back().back();
    if (csv[i] == '"') {
      if (inside && i + 1 < csv.size() && csv[i + 1] == '"') {
        field.text += csv[++i];
      } else {
        inside = !inside;
        field.quoted = true;
      }
    } else if (!inside && csv[i] == ',') {
      records.back().emplace_back();
    } else if (!inside && csv[i] == '\n') {
      records.emplace_back(1);
    } else {
      field.text += csv[i];
    }
  }
  records.pop_back();
  return records;
}

void check_csv(const Table& table) {
  const auto records = parse_csv(render_csv(table, CsvText::exact));
  ASSERT_EQ(records.size(), table.row_count() + 1);
  for (size_t c = 0; c < table.columns.size(); ++c) EXPECT_EQ(records[0][c].text, table.columns[c].name);
  for (size_t r = 0; r < table.row_count(); ++r) {
    ASSERT_EQ(records[r + 1].size(), table.columns.size());
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = table.cell(r, c);
      const CsvField& field = records[r + 1][c];
      if (is_absent(cell)) {
        EXPECT_TRUE(field.text.empty() && !field.quoted);
      } else if (const auto* integer = std::get_if<int64_t>(&cell)) {
        EXPECT_EQ(std::stoll(field.text), *integer);
      } else if (const auto* real = std::get_if<double>(&cell)) {
        EXPECT_EQ(std::strtod(field.text.c_str(), nullptr), *real);
      } else {
        EXPECT_EQ(field.text, std::get<std::string>(cell));
      }
    }
  }
}

void check_json(const Table& table, const std::string& input) {
  const std::string text = render_json("table", {input}, {table});
  for (const char c : text) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  const nlohmann::json document = nlohmann::json::parse(text);
  EXPECT_EQ(document["inputs"][0].get<std::string>(), valid_utf8(input));
  const nlohmann::json& parsed = document["tables"]["t"];
  EXPECT_EQ(parsed["about"].get<std::string>(), valid_utf8(table.about));
  ASSERT_EQ(parsed["columns"].size(), table.columns.size());
  ASSERT_EQ(parsed["rows"].size(), table.row_count());
  for (size_t c = 0; c < table.columns.size(); ++c) {
    EXPECT_EQ(parsed["columns"][c]["name"].get<std::string>(), valid_utf8(table.columns[c].name));
    for (size_t r = 0; r < table.row_count(); ++r) {
      const Cell& cell = table.cell(r, c);
      const nlohmann::json& value = parsed["rows"][r][c];
      if (is_absent(cell)) {
        EXPECT_TRUE(value.is_null());
      } else if (const auto* integer = std::get_if<int64_t>(&cell)) {
        EXPECT_EQ(value.get<int64_t>(), *integer);
      } else if (const auto* real = std::get_if<double>(&cell)) {
        EXPECT_EQ(value.get<double>(), *real);
      } else {
        EXPECT_EQ(value.get<std::string>(), valid_utf8(std::get<std::string>(cell)));
      }
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void check_text(const Table& table, size_t width) {
  const std::string text = render_text(table, {.width = width});
  for (const std::string& line : lines_of(text)) {
    EXPECT_LE(display_width(line), width);
    EXPECT_EQ(printable(line), line) << "valid UTF-8 and nothing invisible";
  }
}

void check_markdown(const Table& table) {
  const std::vector<std::string> lines = lines_of(render_markdown(table));
  const size_t first = table.about.empty() ? 0 : 2;
  ASSERT_EQ(lines.size(), first + 2 + table.row_count());
  for (size_t i = first; i < lines.size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(std::count(lines[i].begin(), lines[i].end(), '|')), table.columns.size() + 1);
    EXPECT_EQ(lines[i].find("<s"), std::string::npos);
    EXPECT_EQ(lines[i].find_first_of("\x1b`*"), std::string::npos);
  }
}

void check_html(const Table& table) {
  const std::string html = render_html_table(table);
  size_t tags = 0;
  for (size_t at = 0; (at = html.find('<', at)) != std::string::npos; ++at) ++tags;
  const size_t cells = table.columns.size() * (table.row_count() + 1);
  const size_t rows = table.row_count() + 1;
  EXPECT_EQ(tags, 2 * (cells + rows + 3 + (table.about.empty() ? 0 : 1)));  // table, thead, tbody, caption
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
}

/// The rows [begin, end) of a table.
Table part_of(Table table, size_t begin, size_t end) {
  std::vector<uint32_t> rows;
  for (size_t row = begin; row < end; ++row) rows.push_back(static_cast<uint32_t>(row));
  table.take(rows);
  return table;
}

/// A table that comes in three batches, one of which may have no rows, is written as the whole one.
void check_batches(const Table& table, size_t first, size_t second) {
  std::vector<Table> batches = {part_of(table, 0, first), part_of(table, first, second),
                                part_of(table, second, table.row_count())};
  std::ostringstream csv;
  CsvWriter csv_writer(csv);
  for (const Table& batch : batches) csv_writer.add(batch);
  EXPECT_EQ(csv.str(), render_csv(table));

  Table another = sample();
  std::ostringstream json;
  JsonWriter json_writer(json, "table", {"x"});
  json_writer.add(another);
  for (const Table& batch : batches) json_writer.add_batch(batch);
  json_writer.end_table();
  json_writer.finish();
  EXPECT_EQ(json.str(), render_json("table", {"x"}, {another, table}));
}

TEST(EveryRenderer, HoldsForHostileTables) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 500; ++round) {
    const Table table = hostile_table(random);
    SCOPED_TRACE(round);
    check_csv(table);
    check_json(table, hostile_text(random));
    const size_t first = random() % (table.row_count() + 1);
    check_batches(table, first, first + random() % (table.row_count() - first + 1));
    for (const size_t width : {40, 41, 80, 123, 400}) check_text(table, width);
    check_text(table, 20 + random() % 381);
    check_markdown(table);
    check_html(table);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace cgpu
