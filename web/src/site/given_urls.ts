// Profiles at addresses: `?url=ADDRESS`, twice for a comparison. The page's policy lets it connect to their hosts (policy.ts).
import { shown } from "./addresses";
import type { Given } from "./given_files";

const OPTIONS: RequestInit = { credentials: "omit", referrerPolicy: "no-referrer" };

/** The file at an address. Fails with one line that says what to do. */
export async function fileAt(url: URL): Promise<Given> {
  let answer: Response;
  try {
    answer = await fetch(url, OPTIONS);
  } catch {
    throw new Error(
      `The browser did not get ${shown(url)}. ${await reasonOfFailure(url)} Download the file and drop it here.`,
    );
  }
  if (!answer.ok) {
    throw new Error(
      `${url.host} answered ${`${answer.status} ${answer.statusText}`.trim()} to ${shown(url)}: look whether the address ` +
        "is right and the file may be read without signing in.",
    );
  }
  const name = nameIn(url);
  let blob: Blob;
  try {
    blob = await answer.blob();
  } catch {
    throw new Error(`The connection to ${url.host} ended before all of ${shown(url)} was there: load the page again.`);
  }
  return { files: [{ path: name, blob }], inputs: [name] };
}

/** The browser gives no reason; whether the address leads on to another is seen when that is not followed. */
async function reasonOfFailure(url: URL): Promise<string> {
  const leadsOn = await fetch(url, { ...OPTIONS, redirect: "manual" }).then(
    ({ type }) => type === "opaqueredirect",
    () => false,
  );
  return leadsOn
    ? "The address leads on to another one. Where that has another host, the policy of this page refuses it: give ?url= that address."
    : "Either its host cannot be reached, or it does not let other pages read the file (it has to answer with " +
        "Access-Control-Allow-Origin).";
}

function nameIn(url: URL): string {
  const last = url.pathname.split("/").pop() || "profile";
  try {
    return decodeURIComponent(last).replaceAll("/", "_");
  } catch {
    return last; // a percent sign of its own
  }
}
