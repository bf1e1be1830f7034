// The addresses that `?url=` names. The policy of the page (policy.ts) and what it asks for (given_urls.ts) both follow from these.

/** `problem` is one line for the user; there are no `urls` then, so that nothing is asked. */
export interface Addresses {
  urls: readonly URL[];
  problem: string;
}

const MOST_URLS = 2;

/** What a policy can name as one host: browsers ignore IPv6 there, and `*` would be every host. */
const ORIGIN = /^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/;

/** An address as it is shown: a query can have a signature by which anybody can read the file. */
export const shown = (url: URL): string => url.origin + url.pathname;

export function addressesOf({ search, href }: { search: string; href: string }): Addresses {
  const given = new URLSearchParams(search).getAll("url");
  if (given.length > MOST_URLS) {
    return { urls: [], problem: `?url= is given ${given.length} times: once opens a profile, twice compares two.` };
  }
  const urls: URL[] = [];
  for (const address of given) {
    const url = parsed(address, href);
    const problem = url ? problemOf(url) : "?url= is given something that is no address of http or https.";
    if (!url || problem) return { urls: [], problem };
    urls.push(url);
  }
  return { urls, problem: "" };
}

function parsed(address: string, base: string): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

function problemOf(url: URL): string {
  if (!/^https?:$/.test(url.protocol)) {
    return `?url= takes addresses of http and https, not of ${url.protocol.slice(0, -1)}: drop the file here.`;
  }
  if (url.username || url.password) {
    return `?url= takes no user name and no password, as in the address of ${shown(url)}. Download the file and drop it here.`;
  }
  if (!ORIGIN.test(url.origin)) {
    return (
      `?url= takes hosts of letters, digits, dots and hyphens, and IPv4, not ${url.host}: the policy of the page cannot ` +
      "name others. Download the file and drop it here."
    );
  }
  return "";
}
