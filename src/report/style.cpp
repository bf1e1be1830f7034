// The style sheet of the page: light and dark, screen and paper. The colours are the eight that Okabe and Ito chose so
// that people with any colour vision can tell them apart (Color Universal Design, 2008), yellow darkened for white
// paper, some lightened for a dark screen.
#include "report/figure.h"

namespace cgpu {

std::string_view page_style() {
  return R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2024; --soft: #5b636b; --line: #d8dde2; --band: #f5f7f9;
  --track: #eceff2; --idle: #d3d8dd; --blue: #0072b2; --orange: #e69f00; --green: #009e73; --yellow: #cdb800;
  --vermillion: #d55e00; --purple: #b8609a; --sky: #56b4e9; --grey: #8b949c; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181b; --ink: #e4e8eb; --soft: #9aa4ad; --line: #343a40; --band: #1d2125; --track: #24292e;
    --idle: #3d454c; --blue: #3d9bdc; --orange: #f0ad1e; --green: #20b98c; --yellow: #e6d646; --vermillion: #ee7a29;
    --purple: #d78cbb; --sky: #8ccdf5; --grey: #7f8992; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 20px 48px; max-width: 1180px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 12px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 40px 0 6px; padding-top: 10px; border-top: 1px solid var(--line); }
h2 code { float: right; font-size: 12px; font-weight: 400; line-height: 27px; color: var(--soft); }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
p.summary { max-width: 92ch; }
p.cut, footer { color: var(--soft); font-size: 13px; }
footer { margin-top: 40px; padding-top: 10px; border-top: 1px solid var(--line); }
p.verdict { margin: 0 0 12px; font-size: 17px; font-weight: 600; }
ol.first-findings { margin: 0 0 16px; padding-left: 22px; }
ol.first-findings li { margin: 6px 0; }
ol.first-findings b { font-weight: 500; margin-right: 10px; }
.saving { display: inline-block; width: 140px; height: 9px; margin-right: 8px; background: var(--band); }
.saving i { display: block; height: 100%; background: var(--blue); }
ul.headline { margin: 0 0 16px; padding: 14px 18px 14px 34px; background: var(--band); border-left: 4px solid var(--blue);
  overflow-wrap: anywhere; }
ul.headline li { margin: 3px 0; }
ul.headline ul { margin: 2px 0 8px; padding: 0; list-style: none; }
ul.headline ul span { display: inline-block; min-width: 5.5em; margin-right: .6em; text-align: right; font-variant-numeric: tabular-nums; }
nav { font-size: 13px; line-height: 1.9; }
nav a { color: var(--soft); margin-right: 14px; white-space: nowrap; }
figure { margin: 16px 0 18px; break-inside: avoid; }
figcaption { font-weight: 600; font-size: 14px; }
ul.legend { list-style: none; margin: 2px 0 8px; padding: 0; font-size: 12.5px; color: var(--soft); }
ul.legend li { display: inline-block; margin-right: 16px; }
.swatch { display: inline-block; width: 11px; height: 11px; margin-right: 5px; vertical-align: -1px; }
svg.chart { display: block; overflow: visible; }
svg text { fill: var(--ink); font-size: 12.5px; }
svg text.label { unicode-bidi: isolate; }
svg text.value, svg text.tick { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
svg text.inside { fill: #fff; font-size: 12px; font-weight: 600; paint-order: stroke; stroke: #0008; stroke-width: 2px; }
line.grid { stroke: var(--line); }
line.step { stroke: var(--ink); stroke-opacity: .55; stroke-dasharray: 3 2; }
line.level { stroke: var(--orange); stroke-width: 2px; }
path { shape-rendering: crispEdges; }
path.curve { fill: none; stroke: var(--blue); stroke-width: 1.6px; vector-effect: non-scaling-stroke; }
path.curve2 { fill: none; stroke: var(--orange); stroke-width: 1.6px; vector-effect: non-scaling-stroke; }
path.area { fill: var(--blue); fill-opacity: .15; }
.c-track { fill: var(--track); background: var(--track); }
.c-idle { fill: var(--idle); background: var(--idle); }
.c-blue { fill: var(--blue); background: var(--blue); }
.c-orange { fill: var(--orange); background: var(--orange); }
.c-green { fill: var(--green); background: var(--green); }
.c-yellow { fill: var(--yellow); background: var(--yellow); }
.c-vermillion { fill: var(--vermillion); background: var(--vermillion); }
.c-purple { fill: var(--purple); background: var(--purple); }
.c-sky { fill: var(--sky); background: var(--sky); }
.c-grey { fill: var(--grey); background: var(--grey); }
.s1 { opacity: .3; }
.s2 { opacity: .55; }
.s3 { opacity: .78; }
.hit { fill: transparent; }
.hit:hover { stroke: var(--ink); }
.more1 { fill: var(--vermillion); background: var(--vermillion); fill-opacity: .2; }
.less1 { fill: var(--blue); background: var(--blue); fill-opacity: .2; }
.more2 { fill: var(--vermillion); background: var(--vermillion); fill-opacity: .4; }
.less2 { fill: var(--blue); background: var(--blue); fill-opacity: .4; }
.more3 { fill: var(--vermillion); background: var(--vermillion); fill-opacity: .6; }
.less3 { fill: var(--blue); background: var(--blue); fill-opacity: .6; }
.more4 { fill: var(--vermillion); background: var(--vermillion); fill-opacity: .8; }
.less4 { fill: var(--blue); background: var(--blue); fill-opacity: .8; }
.more5 { fill: var(--vermillion); background: var(--vermillion); fill-opacity: 1; }
.less5 { fill: var(--blue); background: var(--blue); fill-opacity: 1; }
/* A wide table has the page from the left edge of the text to the right edge of the window. */
.scroll { overflow-x: auto; width: max-content; min-width: 100%;
  max-width: calc(100vw - max(20px, (100vw - 1180px) / 2) - 24px); }
.beside { display: flex; flex-wrap: wrap; gap: 8px 48px; align-items: flex-start; }
.beside figure { flex: 1 1 460px; }
.beside .scroll { margin-top: 34px; width: auto; min-width: 0; max-width: 100%; }
table { border-collapse: collapse; font-size: 13px; margin: 0 0 6px; }
caption { caption-side: bottom; text-align: left; color: var(--soft); font-size: 12px; padding-top: 5px; }
th, td { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; text-align: left; vertical-align: bottom; color: var(--soft); }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.text { max-width: 560px; overflow-wrap: break-word; unicode-bidi: isolate; }
table[data-table^="history"] td.text { white-space: nowrap; }
table[data-table="history_change_points"] td.text:last-child { white-space: normal; max-width: 420px; }
table[data-table="history_parts"] td.text:nth-child(3) { white-space: normal; }
table[data-table="info"] td.text { max-width: 900px; }
table[data-table="info"] td:first-child { white-space: nowrap; overflow-wrap: normal; }
table[data-table="api"] td:first-child, table[data-table="launches"] td:first-child,
table[data-table="notes"] td:first-child { min-width: 170px; }
td a { color: var(--blue); }
td.absent { color: var(--soft); }
tbody tr:hover { background: var(--band); }
table[data-table="kernels"] td.text:first-child, table[data-table="ops"] td.text:first-child,
table[data-table="ranges"] td.text:first-child { max-width: 400px; min-width: 200px; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; }
table[data-table="kernels"] td:nth-child(2) { white-space: nowrap; }
details { font-size: 12.5px; color: var(--soft); margin-bottom: 6px; }
details li { overflow-wrap: anywhere; unicode-bidi: isolate; margin: 3px 0; }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; --band: #f3f5f7; --track: #eceff2; --idle: #d3d8dd;
    --blue: #0072b2; --orange: #e69f00; --green: #009e73; --yellow: #cdb800; --vermillion: #d55e00; --purple: #b8609a;
    --sky: #56b4e9; --grey: #8b949c; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav { display: none; }
  h2, p.summary, figcaption, ul.legend { break-after: avoid; }
  details:not([open]) { display: none; }
  table[data-table] td.text:first-child { min-width: 0; max-width: 210px; }
  h2 { margin-top: 22px; }
  tr { break-inside: avoid; }
  table { font-size: 8.5pt; }
  th, td { padding-right: 10px; }
  .scroll { overflow: visible; width: auto; max-width: none; }
  @page { margin: 14mm; }
}
)css";
}

}  // namespace cgpu
