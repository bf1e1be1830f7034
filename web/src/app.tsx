// From the first request to the running page: wait until the profiles are open, then show the bar and the views.
import { render, type JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { Client } from "./api/client";
import { Copy } from "./api/copy";
import type { Engine } from "./api/engine";
import { Names } from "./api/names";
import type { Session, Status } from "./api/protocol";
import { ApiError, Server } from "./api/server";
import { AppState } from "./model/app_state";
import { ProfileStates } from "./model/profile_states";
import { readRankPage } from "./model/rank_page";
import { TokenPage } from "./panels/token_page";
import { openRanks, summaryTitle } from "./rank_page";
import { Shell } from "./shell";
import { useStore } from "./ui/hooks";
import { ErrorPage, OpeningPage } from "./ui/pages";
import type { Compared, ShownProfile, View } from "./views/context";
import { viewsFor } from "./views/registry";

const ASK_AGAIN_MS = 200;
const ASK_AGAIN_LOST_MS = 1000;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A profile that is open. */
interface Opened {
  client: Client;
  names: Names;
  session: Session;
  views: readonly View[];
}

/** `engine`: answers in place of a server. */
export async function start(host: HTMLElement, engine: Engine | null = null): Promise<void> {
  const server = new Server("", engine ? null : await Copy.ofPage(), engine);
  try {
    const status = await opened(server, host);
    const page = server.isServed ? readRankPage(location.search) : null;
    if (page) {
      const ranks = await openRanks(server, host, page, status);
      if (!ranks) return await reloadWhenAnother(server, status.session);
      const profile = await openedProfile(ranks.client, status);
      profile.session.title = ranks.title;
      return run(host, server, [profile], status, summaryTitle(status));
    }
    const clients = status.profiles.map((_, number) => new Client(server, number));
    run(host, server, await Promise.all(clients.map((client) => openedProfile(client, status))), status);
  } catch (error) {
    const noToken = error instanceof ApiError && error.status === 401;
    const text = error instanceof Error ? error.message : String(error);
    render(noToken ? <TokenPage /> : <ErrorPage text={text} inputs={[]} isServed={server.isServed} />, host);
    void reloadWhenAnother(server, null);
  }
}

async function openedProfile(client: Client, status: Status): Promise<Opened> {
  const session = await client.session();
  return { client, names: new Names(client), session, views: viewsFor(session, isCompared(status)) };
}

const isCompared = (status: Status): boolean => status.against === true;
const isReady = (status: Status): boolean => status.profiles.every(({ state }) => state === "ready");

/** Shows how far the opening is until it is done; stays on the error page where it fails. */
async function opened(server: Server, host: HTMLElement): Promise<Status> {
  for (;;) {
    try {
      const status = await server.status();
      if (isReady(status)) return status;
      const failed = status.profiles.find(({ state }) => state === "error");
      if (failed) {
        const text = failed.error ?? "No reason was given.";
        const page = { text, inputs: failed.inputs, version: status.version, isServed: server.isServed };
        render(<ErrorPage {...page} />, host);
        await reloadWhenAnother(server, status.session);
      }
      render(<OpeningPage status={status.profiles.find(({ state }) => state === "opening") ?? null} />, host);
      await pause(ASK_AGAIN_MS);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw error;
      render(<OpeningPage status={null} />, host);
      await pause(ASK_AGAIN_LOST_MS);
    }
  }
}

/** Waits for another session of the server, then loads the page again. */
async function reloadWhenAnother(server: Server, session: string | null): Promise<never> {
  for (;;) {
    await pause(ASK_AGAIN_LOST_MS);
    if (!server.isServed) continue;
    try {
      const status = await server.status();
      if (session === null ? isReady(status) : status.session !== session) location.reload();
    } catch {
      // Not there yet.
    }
  }
}

/** `summary`: that the only profile is of ranks of, if it is. */
function run(host: HTMLElement, server: Server, profiles: readonly Opened[], status: Status, summary?: string): void {
  const bar = {
    read: () => location.hash,
    write(hash: string, newEntry: boolean) {
      if (`#${hash}` === location.hash || location.href === "about:srcdoc") return; // in a notebook there is no address
      if (newEntry) history.pushState(null, "", `#${hash}`);
      else history.replaceState(null, "", `#${hash}`);
    },
  };
  const states = new ProfileStates(profiles.length, bar, (number, ownBar) => {
    const { client, session, views } = profiles[number]!;
    const ids = views.map((view) => view.id);
    const slice = (track: number, index: number) => client.slice(track, index);
    return new AppState(session, ids, ownBar, { profile: number, slice });
  });
  window.addEventListener("popstate", () => states.readAddress());
  const watch = () => server.watch(() => document.visibilityState === "visible");
  document.addEventListener("visibilitychange", watch);
  watch();
  render(<OneProfile profiles={profiles} states={states} status={status} summary={summary} />, host);
}

interface OneProfileProps {
  profiles: readonly Opened[];
  states: ProfileStates;
  status: Status;
  summary?: string;
}

function OneProfile({ profiles, states, status, summary }: OneProfileProps): JSX.Element {
  const shown = useStore(states.shown);
  const profile = profiles[shown]!;
  useEffect(() => {
    document.title = `${profile.session.title || "cgpu"} \u2013 cgpu`;
  }, [shown]);
  const compared = useMemo((): Compared | null => {
    if (!isCompared(status)) return null;
    const [a, b] = profiles.map((each, number): ShownProfile => ({ ...each, state: states.all[number]! }));
    return { a: a!, b: b! };
  }, []);
  const sides = compared ? ["A: ", "B: "] : [];
  const titles = profiles.map(({ session }, number) => `${sides[number] ?? ""}${session.title}`);
  return (
    <Shell
      key={shown}
      {...profile}
      state={states.current}
      version={status.version}
      profiles={{ states, titles }}
      compared={compared}
      summary={summary}
    />
  );
}
