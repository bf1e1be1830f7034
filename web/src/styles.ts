// All style sheets, in their order.
import "./style/base.css";
import "./style/shell.css";
import "./style/table.css";
import "./style/chart.css";
import "./style/timeline.css";
import "./style/menu.css";
import "./style/panels.css";
import "./style/views.css";
import "./style/analyses.css";
import "./style/launches.css";
import "./style/findings.css";
import "./style/verdict.css";
import "./style/rows.css";
import "./style/compare.css";
