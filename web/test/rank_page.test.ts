// The address of the page of ranks of a summary, and the ways to write ranks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_RANKS, parseRanks, rankPageAddress, ranksText, ranksWords, readRankPage } from "../src/model/rank_page";
import { randomNumbers } from "./mock/profile.mjs";

test("ranks are numbers and ranges", () => {
  assert.deepEqual(parseRanks("17"), [17]);
  assert.deepEqual(parseRanks(" 20-23, 17,21 "), [17, 20, 21, 22, 23]);
  assert.deepEqual(parseRanks("3 \u2013 4"), [3, 4]);
  for (const wrong of ["", " ", "x", "1,", ",1", "-1", "1-", "4-3", "1.5", "1 2", "9999999999", "1--2"]) {
    assert.equal(parseRanks(wrong), null, wrong);
  }
});

test("no more ranks than the server opens together", () => {
  assert.equal(parseRanks(`1-${MOST_RANKS}`)?.length, MOST_RANKS);
  assert.equal(parseRanks(`0-${MOST_RANKS}`), null);
  assert.equal(parseRanks("0-999999999"), null); // at once
  assert.equal(parseRanks(Array.from({ length: MOST_RANKS + 1 }, (_, i) => 2 * i).join(",")), null);
});

test("what is written is read again", () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 200; ++round) {
    const ranks = [...new Set(Array.from({ length: 1 + Math.floor(random() * 30) }, () => Math.floor(random() * 60)))];
    ranks.sort((a, b) => a - b);
    assert.deepEqual(parseRanks(ranksText(ranks)), ranks);
    const at = random() < 0.5 ? null : { start: Math.floor(random() * 1e9) - 5e8, end: 1e9 };
    assert.deepEqual(readRankPage(rankPageAddress(ranks, at)), { ranks, at });
  }
  assert.equal(ranksText([1, 2, 4, 6, 7, 8]), "1-2,4,6-8");
  assert.equal(ranksWords([7]), "rank 7");
  assert.equal(ranksWords([1, 4, 5, 6]), "ranks 1, 4-6");
});

test("an address may come from anywhere", () => {
  assert.equal(readRankPage(""), null);
  assert.equal(readRankPage("?token=x"), null);
  assert.deepEqual(readRankPage("?ranks="), { ranks: null, at: null });
  assert.deepEqual(readRankPage("?ranks=<b>&at=5~1"), { ranks: null, at: null });
  assert.deepEqual(readRankPage("?ranks=3&at=x"), { ranks: [3], at: null });
});
