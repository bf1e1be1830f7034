// Profiles at addresses: `?url=ADDRESS`, twice for a comparison. The page's policy lets it connect to their hosts (site.mjs).
import type { Given } from "./given_files";

export const MOST_URLS = 2;

/** What `?url=` names, as written there. */
export const urlsOfPage = (): string[] => new URLSearchParams(location.search).getAll("url");

/** The file at an address. Fails with one line that says what to do. */
export async function fileAt(address: string): Promise<Given> {
  if (!URL.canParse(address, location.href)) throw new Error(`?url=${address} is no address.`);
  const url = new URL(address, location.href);
  if (!/^https?:$/.test(url.protocol)) {
    throw new Error(`?url= takes addresses of http and https, and ${url.href} is none: drop the file here.`);
  }
  let answer: Response;
  try {
    answer = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer" });
  } catch {
    throw new Error(
      `The browser did not get ${url.href}. Either its host cannot be reached, or it does not let other pages read the ` +
        "file (it has to answer with Access-Control-Allow-Origin), or it leads to another host, which this page may not " +
        "ask. Download the file and drop it here.",
    );
  }
  if (!answer.ok) {
    throw new Error(
      `${url.host} answered ${`${answer.status} ${answer.statusText}`.trim()} to ${url.href}: look whether the address ` +
        "is right and the file may be read without signing in.",
    );
  }
  const name = nameIn(url);
  let blob: Blob;
  try {
    blob = await answer.blob();
  } catch {
    throw new Error(`The connection to ${url.host} ended before all of ${url.href} was there: load the page again.`);
  }
  return { files: [{ path: name, blob }], inputs: [name] };
}

function nameIn(url: URL): string {
  const last = url.pathname.split("/").pop() || "profile";
  try {
    return decodeURIComponent(last).replaceAll("/", "_");
  } catch {
    return last; // a percent sign of its own
  }
}
