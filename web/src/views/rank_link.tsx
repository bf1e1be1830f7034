// From a summary to the timelines of its ranks: a link to the page of these, or why there is none.
import type { JSX } from "preact";
import type { Cell, RankTrace } from "../api/protocol";
import { MOST_RANKS, parseRanks, rankPageAddress, ranksWords } from "../model/rank_page";
import type { Range } from "../model/viewport";
import { rememberSummary } from "../ui/way_back";
import { momentColumns } from "./declared";
import type { Records } from "./records";
import { around, useAsked, type ViewProps } from "./view";

interface RankLinkProps extends ViewProps {
  ranks: readonly number[];
  /** The part that the timeline shows first, in the time of the summary. */
  at?: Range | null;
}

export function RankLink({ context, ranks, at = null }: RankLinkProps): JSX.Element {
  const loaded = useAsked(context, (signal) => context.client.traces(ranks, signal), [ranks.join()]);
  const missing = loaded.state === "ready" ? loaded.value.filter(({ path }) => path === null) : [];
  const title = `Open the timeline${ranks.length === 1 ? "" : "s"} of ${ranksWords(ranks)}`;
  if (loaded.state === "loading") return <button disabled>{title}</button>;
  if (loaded.state === "failed") return <Trouble text={loaded.text} />;
  if (missing.length) return <Trouble text={missingText(missing)} />;
  return (
    <a
      class="button primary"
      href={rankPageAddress(ranks, at)}
      title={loaded.value.map(({ path }) => path).join("\n")}
      onClick={() => {
        context.navigate({}); // what is shown now is what the way back leads to
        rememberSummary();
      }}
    >
      {title}
    </a>
  );
}

function missingText(missing: readonly RankTrace[]): string {
  const [{ rank, error }] = missing as [RankTrace];
  const others = missing.length > 1 ? ` And so ${missing.length - 1} more of them.` : "";
  return `Rank ${rank}: ${error}.${others}`;
}

function Trouble({ text }: { text: string }): JSX.Element {
  return (
    <span class="trouble" role="alert" title={text}>
      {text}
    </span>
  );
}

/** From a row of a table: to the ranks that it is about, and to all that deviate as the first does. */
export function RankLinks({
  context,
  name,
  records,
  row,
}: ViewProps & { name: string; records: Records; row: readonly Cell[] }): JSX.Element | null {
  const isText = (name: string) => records.table.columns.some((each) => each.name === name && each.type === "text");
  const texts = ["rank", ...(isText("ranks") ? ["ranks"] : [])].map((column) => records.text(row, column));
  const links = [...new Set(texts)].map(parseRanks).filter((ranks) => ranks !== null);
  if (!links.length) return null;
  const isMoment = momentColumns(context.session, name).includes("start_ns") && records.has("duration_ns");
  const at = isMoment ? around(records.number(row, "start_ns"), records.number(row, "duration_ns")) : null;
  return (
    <section class="rank-links">
      {links.map((ranks) => (
        <RankLink context={context} ranks={ranks} at={at} />
      ))}
    </section>
  );
}

/** Ranks to open: typed, or chosen elsewhere. `text` is "" for none. */
export function RankChooser({
  context,
  text,
  at,
  onText,
}: ViewProps & { text: string; at: Range | null; onText: (text: string) => void }): JSX.Element {
  const ranks = parseRanks(text);
  return (
    <form
      class="toolbar rank-chooser"
      onSubmit={(event) => {
        event.preventDefault();
        event.currentTarget.querySelector<HTMLAnchorElement>("a")?.click();
      }}
    >
      <label>
        Timelines of ranks{" "}
        <input
          value={text}
          placeholder="17 or 16-19,40"
          title={`Numbers and ranges, ${MOST_RANKS} ranks at most, which are shown together`}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      {ranks ? (
        <RankLink context={context} ranks={ranks} at={at} />
      ) : (
        <span class="soft">
          {text.trim()
            ? `Numbers and ranges like 17 or 16-19,40 were expected, of ${MOST_RANKS} ranks at most`
            : "Click a row to choose its rank; Shift takes all up to there, Ctrl one more"}
        </span>
      )}
    </form>
  );
}
