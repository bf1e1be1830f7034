// The file that an editor of VS Code shows. The page asks for one part after the other, so that no message is large:
//   to the editor     { read: { at, size } }
//   from it           { part: ArrayBuffer, of: { name, size } } or { failed: "why" } (packaging/vscode/extension.js)
import { editor } from "../ui/editor";
import type { Given } from "./given_files";

const PART = 1 << 23;

type FromEditor = { part: ArrayBuffer; of: { name: string; size: number } } | { failed: string };

/** `progress` is called with the name of the file and the share of it that is there. */
export function fileOfEditor(progress: (name: string, share: number) => void): Promise<Given> {
  const parts: Blob[] = []; // the browser may keep them on the disk
  let read = 0;
  const ask = (): void => editor!.postMessage({ read: { at: read, size: PART } });
  return new Promise((done, failed) => {
    const hear = ({ data, source }: MessageEvent<FromEditor>): void => {
      if (source !== window.parent) return;
      if ("failed" in data) {
        window.removeEventListener("message", hear);
        return failed(new Error(data.failed));
      }
      if (!("part" in data)) return;
      const { part, of } = data;
      parts.push(new Blob([part]));
      read += part.byteLength;
      progress(of.name, of.size === 0 ? 1 : read / of.size);
      if (read < of.size && part.byteLength > 0) return ask();
      window.removeEventListener("message", hear);
      done({ files: [{ path: of.name, blob: new Blob(parts) }], inputs: [of.name] });
    };
    window.addEventListener("message", hear);
    ask();
  });
}
