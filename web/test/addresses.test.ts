import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf, shown } from "../src/site/addresses";

const PAGE = "https://example.org/cgpu/index.html";
const of = (...addresses: string[]) => {
  const search = `?${addresses.map((address) => `url=${encodeURIComponent(address)}`).join("&")}`;
  return addressesOf({ search, href: PAGE + search });
};
const origins = (...addresses: string[]) => of(...addresses).urls.map(({ origin }) => origin);

test("hosts that a policy can name", () => {
  assert.deepEqual(of(), { urls: [], problem: "" });
  assert.deepEqual(origins("https://ci.example.org/a.json?x=1", "http://10.0.0.1:8000/b"), [
    "https://ci.example.org",
    "http://10.0.0.1:8000",
  ]);
  assert.deepEqual(origins("run.json.gz"), ["https://example.org"]);
  assert.deepEqual(origins("http://LOCALHOST:80/"), ["http://localhost"]);
  assert.deepEqual(origins("https://b\u00fccher.example/"), ["https://xn--bcher-kva.example"]);
});

test("a host that a policy could take for others is refused, and then no host may be asked", () => {
  const refused = [
    "http://*/a",
    "http://*.example.org/a",
    "http://a'b/",
    'http://a"b/',
    "http://a;default-src/",
    "http://a;connect-src *",
    "http://a,b/",
    "http://a b/",
    "http://a(b)/",
    "http://a_b/",
    "http://example.org./",
    "http://[::1]:8000/",
    "http://",
    "http:///",
    "http://a:99999/",
    "ftp://example.org/a",
    "file:///etc/hosts",
    "javascript:alert(1)",
    "data:text/plain,a",
    "blob:https://example.org/0",
    "https://user@example.org/a",
    "https://user:secret@example.org/a",
    "https://:secret@example.org/a",
  ];
  for (const address of refused) {
    for (const given of [
      of(address),
      of("https://example.org/good", address),
      of(address, "https://example.org/good"),
    ]) {
      assert.deepEqual(given.urls, [], address);
      assert.match(given.problem, /^\?url= .*\.$/, address);
      assert.ok(!given.problem.includes("secret"), given.problem);
    }
  }
  assert.match(
    of("https://user:secret@example.org/a?token=secret").problem,
    /user name .* https:\/\/example\.org\/a\./,
  );
  assert.match(of("http://a/", "http://b/", "http://c/").problem, /3 times/);
  assert.deepEqual(of("http://a/", "http://b/", "http://c/").urls, []);
});

test("an address is shown without what signs it", () => {
  const [url] = of("https://example.org/a/run.json?X-Signature=secret&user=me#part").urls;
  assert.equal(shown(url!), "https://example.org/a/run.json");
});
