// Profiles from the page that opened this one or has it in a frame. It sends "PING" until "PONG" comes back, then
//   { cgpu: { files: [{ name, buffer }], against: [{ name, buffer }] } }     (`against`: a second run to compare, if any)
// Pages of any origin may: they can show a profile here, and nothing of it or of the page goes back to them.
import type { Given } from "./given_files";

/** Calls `take` with the first message that has profiles, and listens no longer; `say` with what is wrong with others. The
 * function that it returns ends it. */
export function hearProfiles(take: (given: Given[]) => void, say: (problem: string) => void): () => void {
  const end = (): void => window.removeEventListener("message", hear);
  const hear = ({ data, source }: MessageEvent<unknown>): void => {
    if (!source || source === window || (source !== window.opener && source !== window.parent)) return;
    if (data === "PING") return (source as Window).postMessage("PONG", "*");
    if (typeof data !== "object" || data === null || !("cgpu" in data)) return;
    const { files, against } = (data.cgpu ?? {}) as { files?: unknown; against?: unknown };
    const given = (against === undefined ? [files] : [files, against]).map(givenOf);
    if (!given.every((one) => one !== null)) {
      return say(
        "The page that opened this one sent no files: it has to send { cgpu: { files: [{ name, buffer }] } }.",
      );
    }
    end();
    take(given);
  };
  window.addEventListener("message", hear);
  return end;
}

function givenOf(sent: unknown): Given | null {
  if (!Array.isArray(sent) || sent.length === 0) return null;
  const files = sent.map((file: { name?: unknown; buffer?: unknown } | null) => {
    const { name, buffer } = file ?? {};
    const isGiven =
      typeof name === "string" && name !== "" && (buffer instanceof ArrayBuffer || buffer instanceof Blob);
    return isGiven ? { path: name, blob: new Blob([buffer]) } : null;
  });
  if (!files.every((file) => file !== null)) return null;
  return { files, inputs: [...new Set(files.map(({ path }) => path.split("/")[0]!))] };
}
