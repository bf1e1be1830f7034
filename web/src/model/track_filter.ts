// Which tracks a filter lets through. Words match anywhere in the headings and the name; a number is a whole number,
// and is right behind the word that it is typed behind: "rank 3" is not rank 0, stream 13. Pure.

/** Of the headings that a track is under, with its name behind them. */
export type TrackFilter = (path: readonly string[]) => boolean;

const NUMBER = /^\d+$/;
const literal = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** null where nothing is filtered. */
export function trackFilter(text: string): TrackFilter | null {
  const patterns: RegExp[] = [];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (let i = 0; i < words.length; ++i) {
    let pattern = NUMBER.test(words[i]!) ? `(?<!\\d)${words[i]}` : literal(words[i]!);
    for (; i + 1 < words.length && NUMBER.test(words[i + 1]!); ++i) pattern += `[^\\p{L}\\p{N}]*${words[i + 1]}`;
    patterns.push(new RegExp(NUMBER.test(words[i]!) ? `${pattern}(?!\\d)` : pattern, "u"));
  }
  if (!patterns.length) return null;
  return (path) => {
    const name = path.join(" ").toLowerCase();
    return patterns.every((pattern) => pattern.test(name));
  };
}
