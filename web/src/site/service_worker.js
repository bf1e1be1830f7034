// The page without a network, where it comes from a web server: keeps a copy of index.html, and answers with it when the server
// cannot be reached. PAGE_HASH is the SHA-256 of the page: with a new page this file is another, so that the browser installs it.

const folder = self.registration.scope;
const OWN = `cgpu ${folder} `; // the caches are those of the origin, which can have the page in several folders
const CACHE = OWN + PAGE_HASH;
const PAGE = `${folder}index.html`;
const COPY = { cacheName: CACHE, ignoreVary: true };

async function install() {
  const { ok, status, headers, body } = await fetch(PAGE, { cache: "no-cache" });
  if (!ok) throw new Error(`${PAGE}: ${status}`);
  const bytes = await new Response(body).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hash = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  // An older page, where this file was uploaded before it: the browser tries again at the next visit.
  if (hash !== PAGE_HASH) throw new Error(`${PAGE} is not the page that this service worker was made for`);
  // Made anew, since a browser opens no page of an answer that was led on to, as some servers lead index.html to the folder.
  await (await caches.open(CACHE)).put(PAGE, new Response(bytes, { headers }));
  await self.skipWaiting();
}

async function removeOldCopies() {
  const old = (await caches.keys()).filter((name) => name.startsWith(OWN) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

const answer = (request) => fetch(request).catch(async () => (await caches.match(PAGE, COPY)) ?? Response.error());

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(removeOldCopies()));
// Nothing but the page itself: what the page asks other hosts for (`?url=`) is left to the browser and the policy of the page.
self.addEventListener("fetch", (event) => {
  const { mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (mode === "navigate" && [folder, PAGE].includes(origin + pathname)) event.respondWith(answer(event.request));
});
