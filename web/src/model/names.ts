// Names that do not fit: which of their shorter forms is written, where they are cut, and what tells those apart that
// begin alike. The short forms themselves come from the server. Pure.

const LEAST_TELLING = 10; // letters
const MOST_DIFFERENCE = 32;
const KEPT_END = 12;
const KEPT_BEGIN = 12;
const LONGEST_WORD = 24;

/** "a::b::kernel" -> "a::b::kernel", "b::kernel": without namespaces as far as what is left says something. */
export function narrower(short: string): string[] {
  const forms = [short];
  for (let at = short.indexOf("::"); at >= 0; at = short.indexOf("::", at + 2)) {
    const rest = short.slice(at + 2);
    if (rest.length >= LEAST_TELLING) forms.push(rest);
  }
  return forms;
}

function alike(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) ++i;
  return i;
}

/** How many letters each name has in common with the one, among the others, that begins most like it. */
function commonBeginnings(names: readonly string[]): Map<string, number> {
  const sorted = [...new Set(names)].sort();
  const common = new Map<string, number>();
  sorted.forEach((name, i) => {
    const before = i > 0 ? alike(sorted[i - 1]!, name) : 0;
    const after = i + 1 < sorted.length ? alike(name, sorted[i + 1]!) : 0;
    common.set(name, Math.max(before, after));
  });
  return common;
}

/** Where the word begins that a place lies in, or the one in brackets around it; the place where that is far. */
function wordBefore(name: string, place: number): number {
  for (let at = place; at > Math.max(0, place - LONGEST_WORD); --at) if (/[<,(: ]/.test(name[at - 1]!)) return at;
  return place;
}

/**
 * Where a name is cut in two, of which the first part gives way: its end stays, or what tells it from those that begin
 * alike, if that comes sooner. By name.
 */
export function cuts(names: readonly string[]): Map<string, number> {
  const result = new Map<string, number>();
  for (const [name, common] of commonBeginnings(names)) {
    const end = Math.max(0, name.length - KEPT_END);
    const difference = wordBefore(name, common);
    result.set(name, difference < KEPT_BEGIN ? end : Math.min(end, difference));
  }
  return result;
}

const LEAST_HEAD = 0.25; // of the room
const ELLIPSIS = "\u2026";

/**
 * A name as far as it fits: whole, else cut at `place`, of which the first part gives way down to a share of the room.
 * What still does not fit is at the end.
 */
export function cutName(name: string, place: number, room: number, measure: (text: string) => number): string {
  if (place <= 0 || measure(name) <= room) return name;
  const [head, end] = [name.slice(0, place), name.slice(place)];
  const left = Math.max(room - measure(ELLIPSIS) - measure(end), room * LEAST_HEAD);
  let [from, to] = [0, head.length]; // letters that fit; one more than can
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if (measure(head.slice(0, middle)) <= left) from = middle;
    else to = middle - 1;
  }
  return from === head.length ? name : head.slice(0, from) + ELLIPSIS + end;
}

/** Labels for names: the short ones, and where these are the same, with what tells the names apart. */
export function apart(names: readonly { full: string; short: string }[]): string[] {
  const alikes = new Map<string, Set<string>>();
  for (const { full, short } of names) alikes.set(short, (alikes.get(short) ?? new Set()).add(full));
  return names.map(({ full, short }) => {
    const group = alikes.get(short)!;
    if (group.size < 2) return short;
    const common = commonBeginnings([...group]).get(full)!;
    const rest = full.slice(wordBefore(full, common));
    return `${short} \u2026${rest.length > MOST_DIFFERENCE ? `${rest.slice(0, MOST_DIFFERENCE)}\u2026` : rest}`;
  });
}

const DEVICE = /^((?:GPU|NPU|Device) \d+: )(?:NVIDIA |AMD Instinct |AMD |Intel\(R\) )?(.+)$/;
const MOST_END = 12; // letters
const LEAST_BEGIN = 14; // no narrower than the style keeps it
const SHORT = 18;

/**
 * The name of a track or heading for a narrow column. Of a device the index and the model tell it from others, which is its beginning
 * without the vendor: one part. The numbers at the end tell other names apart: two parts, of which the first gives way.
 */
export function trackNameParts(text: string): string[] {
  const device = DEVICE.exec(text);
  if (device) return [device[1]! + device[2]!];
  const letters = [...text];
  if (letters.length <= SHORT) return [text];
  const end = letters.splice(Math.max(LEAST_BEGIN, letters.length - MOST_END)).join("");
  return end ? [letters.join(""), end] : [text];
}
