// A copy of the viewer in one file (src/serve/static_copy.h): the answers that were recorded, in place of a server. They
// are in the page as one text: base64 of gzip of all answers, their index, and its length.
import { writeSort } from "../ui/row_order";
import { CopySlices } from "./copy_slices";
import type { NameBlock, Session, Table } from "./protocol";
import { activityTile, counterTile, finerSlices } from "./made_tiles";

interface Entry {
  offset: number;
  size: number;
  /** All finer tiles can be made of it. */
  complete: boolean;
}

interface Index {
  made_by: string;
  answers: [key: string, offset: number, size: number, complete?: number][];
}

const NOT_FOUND = 404;
const HIGHEST_LEVEL = 53;
const NAMES_IN_BLOCK = 4096;

export class Copy {
  readonly #entries = new Map<string, Entry>();
  /** Made when they are first asked for. */
  #slices: CopySlices | null = null;

  private constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    index: Index,
  ) {
    this.madeBy = index.made_by;
    for (const [key, offset, size, complete] of index.answers) {
      this.#entries.set(key, { offset, size, complete: complete === 1 });
    }
  }

  /** The command line that opens the profile itself. */
  readonly madeBy: string;

  /** The copy in this page; null where it comes from a server. */
  static async ofPage(): Promise<Copy | null> {
    const text = document.getElementById("copy")?.textContent;
    return text ? Copy.unpack(text) : null;
  }

  static async unpack(text: string): Promise<Copy> {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const end = bytes.length - 4;
    const length = new DataView(bytes.buffer).getUint32(end, true);
    const index = JSON.parse(new TextDecoder().decode(bytes.subarray(end - length, end))) as Index;
    return new Copy(bytes, index);
  }

  /** What a server would have answered to this path. */
  answer(path: string): Response {
    const what = path.replace(/^\/api\/(p\/0\/)?/, "");
    const [name, query = ""] = what.split("?") as [string, string?];
    const parameters = new URLSearchParams(query);
    const found =
      this.#recorded(what) ??
      (name === "tile" ? this.#tile(parameters) : null) ??
      (name === "counter" || name === "activity" ? this.#ofColumns(name, parameters) : null) ??
      (name.startsWith("table/") ? this.#table(name, parameters) : null) ??
      (name === "distributions" ? this.#withoutTop(name, parameters) : null) ??
      this.#ofSlices(name, parameters);
    if (found) return new Response(found);
    const error = `This is not in this copy. The profile itself has it: ${this.madeBy}`;
    return new Response(JSON.stringify({ error }), { status: NOT_FOUND });
  }

  #ofSlices(name: string, parameters: URLSearchParams): string | null {
    if (!["search", "neighbor", "row", "area"].includes(name)) return null;
    const slices = (this.#slices ??= this.#readSlices());
    const found = slices[name as "search" | "neighbor" | "row" | "area"](parameters);
    return found && JSON.stringify(found);
  }

  #readSlices(): CopySlices {
    const blocks: string[][] = [];
    const nameOf = (id: number): string => {
      const block = Math.floor(id / NAMES_IN_BLOCK);
      blocks[block] ??= (this.#json(`names/${block}`) as NameBlock).names;
      return blocks[block][id % NAMES_IN_BLOCK] ?? "";
    };
    const tiles = [...this.#entries].flatMap(([key, entry]) => {
      const place = /^tile(\d+)\/(\d+)\/(\d+)$/.exec(key);
      if (!place || !entry.complete) return [];
      const [track, level, index] = place.slice(1).map(Number) as [number, number, number];
      return [{ track, level, index, bytes: this.#bytesOf(entry).buffer }];
    });
    return new CopySlices(tiles, this.#json("session") as Session, nameOf);
  }

  #json(key: string): unknown {
    return JSON.parse(new TextDecoder().decode(this.#recorded(key)!));
  }

  #bytesOf(entry: Entry): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(entry.offset, entry.offset + entry.size);
  }

  #recorded(key: string): Uint8Array<ArrayBuffer> | null {
    const entry = this.#entries.get(key);
    return entry ? this.#bytesOf(entry) : null;
  }

  #withoutTop(name: string, parameters: URLSearchParams): Uint8Array<ArrayBuffer> | null {
    parameters.delete("top");
    return this.#recorded(`${name}?${parameters}`);
  }

  /** As it was recorded, else made of the nearest coarser one, if that holds all slices. */
  #tile(parameters: URLSearchParams): ArrayBuffer | null {
    const [track, level, index] = placeOf(parameters);
    for (let above = 0; level + above <= HIGHEST_LEVEL; ++above) {
      const ancestor = Math.floor(index / 2 ** above);
      const entry = this.#entries.get(`tile${track}/${level + above}/${ancestor}`);
      if (!entry) continue;
      const bytes = this.#bytesOf(entry).buffer;
      if (above === 0) return bytes;
      return entry.complete ? finerSlices(bytes, level + above, ancestor, level, index) : null;
    }
    return null;
  }

  #ofColumns(name: "counter" | "activity", parameters: URLSearchParams): ArrayBuffer | null {
    const [track, level, index] = placeOf(parameters);
    const bytes = this.#recorded(`columns${track}`);
    if (!bytes) return null;
    const columns: Float64Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = new DataView(bytes.buffer).getUint32(at, true);
      columns.push(new Float64Array(bytes.buffer, at + 8, size));
      at += 8 + 8 * size;
    }
    return name === "counter" ? counterTile(columns, level, index) : activityTile(columns, level, index);
  }

  /** A whole table, sorted, filtered and cut here. Nothing where that needs the server. */
  #table(name: string, parameters: URLSearchParams): string | null {
    const recorded = this.#recorded(name);
    if (!recorded) return null;
    const answer = JSON.parse(new TextDecoder().decode(recorded)) as {
      tables: Record<string, Table>;
      short?: unknown[];
    };
    const table = Object.values(answer.tables)[0]!;
    const columnOf = (wanted: string) => table.columns.findIndex((column) => column.name === wanted);
    let rows = table.rows.map((cells, number) => ({ cells, short: answer.short?.[number] ?? null }));
    for (const [key, value] of parameters) {
      if (key === "sort") {
        const column = columnOf(value.replace(/^[+-]/, ""));
        if (column < 0) return null;
        const numbers = table.columns[column]!.type !== "text";
        const ascending = value.startsWith("+") || (!numbers && !value.startsWith("-"));
        rows.sort((a, b) => ordered(a.cells[column], b.cells[column], ascending));
        table.sorted_by = writeSort(table.columns[column]!.name, !ascending);
      } else if (key === "where") {
        const [, name = "", not, pattern = ""] = /^(\w+) (!?)~ '(.*)'$/.exec(value) ?? [];
        const column = columnOf(name);
        if (column < 0) return null;
        const wanted = new RegExp(pattern, "i");
        rows = rows.filter(({ cells }) => wanted.test(String(cells[column] ?? "")) !== (not === "!"));
      } else if (key !== "top" && key !== "short") {
        return null;
      }
    }
    const top = Number(parameters.get("top") ?? 0);
    if (top > 0) rows = rows.slice(0, top);
    table.rows = rows.map(({ cells }) => cells);
    return JSON.stringify({ ...answer, short: answer.short && rows.map(({ short }) => short) });
  }
}

function placeOf(parameters: URLSearchParams): [track: number, level: number, index: number] {
  const number = (key: string) => Number(parameters.get(key));
  return [number("track"), number("level"), number("index")];
}

type Cell = Table["rows"][number][number];

/** As the server sorts: what is absent last. */
function ordered(a: Cell | undefined, b: Cell | undefined, ascending: boolean): number {
  if (a == null || b == null) return Number(a == null) - Number(b == null);
  return a === b ? 0 : a < b === ascending ? -1 : 1;
}
