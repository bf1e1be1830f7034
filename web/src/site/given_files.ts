// What the user gave: files or folders, dropped or chosen, with the paths by which the engine is to know them.
import type { GivenFile } from "../engine/messages";

/** One profile: what is opened as one, all together or a rank each. */
export interface Given {
  files: GivenFile[];
  inputs: string[];
}

const ofFiles = (files: readonly File[]): Given => ({
  files: files.map((file) => ({ path: file.name, blob: file })),
  inputs: files.map((file) => file.name),
});

/** Of an element `<input type="file">`: files, or the folder that was chosen. */
export function chosenFiles(input: HTMLInputElement): Given {
  const files = [...(input.files ?? [])];
  if (!input.webkitdirectory) return ofFiles(files);
  const paths = files.map((file) => ({ path: file.webkitRelativePath, blob: file }));
  return { files: paths, inputs: [...new Set(paths.map(({ path }) => path.split("/")[0]!))] };
}

/** Of the File System Access API, which TypeScript does not know. */
interface DroppedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** Must be called while the event is handled: it has its files only until then. */
export async function droppedFiles(data: DataTransfer): Promise<Given> {
  const items: DroppedItem[] = [...data.items].filter(({ kind }) => kind === "file");
  const given: Given = { files: [], inputs: [] };
  const pending = items.map((item) => {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    return entry?.isDirectory
      ? filesOfFolder(item, entry as FileSystemDirectoryEntry).then((files) => ({ name: entry.name, files }))
      : file && { name: file.name, files: [{ path: file.name, blob: file }] };
  });
  for (const one of await Promise.all(pending)) {
    if (!one) continue;
    given.files.push(...one.files);
    given.inputs.push(one.name);
  }
  return given;
}

/** Chromium reads the entries of no folder for a page that is a file; it has handles, which others have not. */
async function filesOfFolder(item: DroppedItem, entry: FileSystemDirectoryEntry): Promise<GivenFile[]> {
  const handle = await item.getAsFileSystemHandle?.();
  return handle ? filesOfHandle(handle as FileSystemDirectoryHandle, entry.name) : filesOfEntry(entry, entry.name);
}

async function filesOfHandle(folder: FileSystemDirectoryHandle, path: string): Promise<GivenFile[]> {
  const files: GivenFile[] = [];
  for await (const one of folder.values()) {
    const at = `${path}/${one.name}`;
    if (one instanceof FileSystemFileHandle) files.push({ path: at, blob: await one.getFile() });
    else files.push(...(await filesOfHandle(one, at)));
  }
  return files;
}

async function filesOfEntry(folder: FileSystemDirectoryEntry, path: string): Promise<GivenFile[]> {
  const reader = folder.createReader();
  const files: GivenFile[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (entries.length === 0) return files;
    for (const entry of entries) {
      const at = `${path}/${entry.name}`;
      if (entry.isDirectory) files.push(...(await filesOfEntry(entry as FileSystemDirectoryEntry, at)));
      else files.push({ path: at, blob: await fileOf(entry as FileSystemFileEntry) });
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((done, failed) =>
    entry.file(done, () =>
      failed(
        new Error(`The browser does not read ${entry.fullPath}, in a folder that was dropped: choose the folder.`),
      ),
    ),
  );
}

/** Two runs to compare, whose files may have the same names: those of the second are then in a folder of their own. */
export function beside(a: Given, b: Given): { files: GivenFile[]; profiles: string[][] } {
  const taken = new Set(a.inputs);
  const clash = b.inputs.some((input) => taken.has(input));
  const under = (path: string): string => (clash ? `after/${path}` : path);
  return {
    files: [...a.files, ...b.files.map(({ path, blob }) => ({ path: under(path), blob }))],
    profiles: [a.inputs, b.inputs.map(under)],
  };
}
