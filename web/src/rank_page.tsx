// The page of the timelines of ranks (model/rank_page.ts), from the first request to the open profile.
import { render } from "preact";
import { Client } from "./api/client";
import type { RanksStatus, Status } from "./api/protocol";
import { ApiError, type Server } from "./api/server";
import { ranksWords, type RankPage } from "./model/rank_page";
import { EMPTY_URL_STATE, writeUrlState } from "./model/url_state";
import { fileName, OpeningPage, RanksErrorPage } from "./ui/pages";

const ASK_AGAIN_MS = 200;
const UNAVAILABLE = 503;
const GONE = 410;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** What the summary is called. */
export const summaryTitle = ({ profiles }: Status): string => {
  const { inputs } = profiles[0]!;
  return inputs.length === 1 ? fileName(inputs[0]!) : `${inputs.length} summaries`;
};

/** The ranks, once they are open, and what to call them. Null where they cannot be opened, which the page says then. */
export async function openRanks(
  server: Server,
  host: HTMLElement,
  page: RankPage,
  status: Status,
): Promise<{ client: Client; title: string } | null> {
  const summary = summaryTitle(status);
  const title = page.ranks ? `${ranksWords(page.ranks)} of ${summary}` : summary;
  const fail = (text: string): null => {
    render(<RanksErrorPage title={title} text={text} summary={summary} />, host);
    return null;
  };
  if (!page.ranks) return fail("The address names no ranks: ?ranks=17, or ?ranks=16-19,40, of 32 at most.");
  for (;;) {
    try {
      const client = new Client(server, await new Client(server, 0).open(page.ranks));
      const last = await settled(client, host, title);
      if (last.state === "error") return fail(last.error ?? "No reason was given.");
      showFirst(page, last);
      return { client, title };
    } catch (error) {
      const code = error instanceof ApiError ? error.status : 0;
      // Others are on the way, or were opened in the meantime.
      if (code !== UNAVAILABLE && code !== GONE) return fail(error instanceof Error ? error.message : String(error));
      render(<OpeningPage title={title} status={null} what="Waiting until other ranks are open" />, host);
      await pause(ASK_AGAIN_MS);
    }
  }
}

/** Shows how far the opening is until it is done. */
async function settled(client: Client, host: HTMLElement, title: string): Promise<RanksStatus> {
  for (;;) {
    const status = await client.status();
    if (status.state !== "opening") return status;
    render(<OpeningPage title={title} status={status} />, host);
    await pause(ASK_AGAIN_MS);
  }
}

/** An address without a fragment begins with the part of the summary that led here. */
function showFirst({ at }: RankPage, { start }: RanksStatus): void {
  if (!at || start === null || location.hash) return;
  const viewport = { start: at.start - start, end: at.end - start };
  history.replaceState(null, "", `#${writeUrlState({ ...EMPTY_URL_STATE, view: "timeline", viewport })}`);
}
