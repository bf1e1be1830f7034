// The first script of the page. The policy behind it is `connect-src 'none'`; where `?url=` names hosts, this one is written in its
// place, and that becomes part of a comment (site.mjs). If this script does not run, nothing can be connected to.
import { addressesOf } from "./addresses";

const origins = new Set(addressesOf(location).urls.map(({ origin }) => origin));
if (origins.size > 0) {
  const sources = [...origins].join(" ");
  document.write(`<meta id="connections" http-equiv="Content-Security-Policy" content="connect-src ${sources}" /><!--`);
}
