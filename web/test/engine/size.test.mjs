// The engine is small enough for a page: at most 3 MB as servers send it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import { ENGINE, skipEngine } from "./support.mjs";

const MOST_BYTES = 3e6;
const QUALITY = 9; // a few percent larger than the best, much sooner

test("at most 3 MB by brotli", { skip: skipEngine }, () => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const { length } = brotliCompressSync(readFileSync(ENGINE), { params });
  assert.ok(length <= MOST_BYTES, `${(length / 1e6).toFixed(2)} MB`);
});
