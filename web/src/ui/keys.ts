// What a key press means: the character that it types, wherever that is on the keyboard, or the key at a place,
// whatever is printed on it. Characters that take AltGr (Ctrl and Alt at once on Windows, Option on a Mac) count as
// typed.

type Press = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"> &
  Partial<Pick<KeyboardEvent, "getModifierState">>;

/** Without Ctrl, Alt, AltGr and Meta. */
export const plain = (event: Press): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !event.getModifierState?.("AltGraph");

/** Ctrl, or Command on a Mac; not what AltGr sends. */
export const control = (event: Press): boolean => (event.ctrlKey || event.metaKey) && !event.altKey;

/** The key at a place, named as on a keyboard for American English. */
export const at = (event: Press, code: string, shift = false): boolean =>
  plain(event) && event.code === code && event.shiftKey === shift;

/** The character, by whichever keys. */
export const types = (event: Press, character: string): boolean =>
  event.key === character && !event.metaKey && (!event.ctrlKey || event.altKey);

/** Characters that are commands: the key that types one of them is not taken for what lies there elsewhere. */
const TAKEN = "/?[]";

const taken = (event: Press): boolean => event.key.length === 1 && TAKEN.includes(event.key);

/** The character, or the key that has it on a keyboard for American English. */
export const typesOrAt = (event: Press, character: string, code: string, shift = false): boolean =>
  types(event, character) || (at(event, code, shift) && !taken(event));

/** The key that opens a context menu. */
export const isMenuKey = (event: Press): boolean =>
  event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey && plain(event));

/** The digit that is typed, or that is at the place of the key in the row of digits; null: neither. */
export function digit(event: Press): string | null {
  if (/^\d$/.test(event.key)) return plain(event) ? event.key : null;
  const found = /^Digit(\d)$/.exec(event.code);
  return found && plain(event) && !event.shiftKey && !taken(event) ? found[1]! : null;
}
