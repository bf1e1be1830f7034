// What two runs make of their devices, as points under their roofs. Pure.
import type { Table } from "../api/protocol";
import { SIDES } from "../model/two_axes";
import { Records } from "./records";
import { launchesOf, type Launch } from "./roofline_model";

export interface RooflinePoint {
  /** FLOP/byte of device memory, and FLOP/s. */
  intensity: number;
  flops: number;
  /** ns of one of them. */
  duration: number;
}

/** The same work of both runs; null where a side does not have it, or nothing is known of what it computes there. */
export interface RooflinePair {
  name: string;
  /** Shapes and types, or which launch it is. */
  detail: string;
  a: RooflinePoint | null;
  b: RooflinePoint | null;
  /** ns of all of them, of the side that has more. */
  total: number;
}

/** Of the rows of compare_shapes: what ops of these shapes compute, and the bytes that they must move. */
export function pairsOfShapes(table: Table): RooflinePair[] {
  const records = new Records(table);
  return records.rows.flatMap((row) => {
    const [a, b] = SIDES.map((side) => {
      const flops = records.number(row, `flops_${side}_per_s`);
      const moved = records.number(row, `bytes_${side}_per_s`);
      return flops > 0 && moved > 0
        ? { intensity: flops / moved, flops, duration: records.number(row, `mean_${side}_ns`) }
        : null;
    }) as [RooflinePoint | null, RooflinePoint | null];
    const texts = ["shapes", "settings", "types_a"].map((column) => records.text(row, column));
    if (records.text(row, "types_b") !== texts[2] && b) texts.push(`\u2192 ${records.text(row, "types_b")}`);
    return a || b
      ? [
          {
            name: records.text(row, "name"),
            detail: texts.filter(Boolean).join(" "),
            a,
            b,
            total: Math.max(records.number(row, "total_a_ns"), records.number(row, "total_b_ns")),
          },
        ]
      : [];
  });
}

/** Of the rows of compare_launches, with the measured launches of both sides. */
export function pairsOfLaunches(table: Table, launches: Record<"a" | "b", Table>): RooflinePair[] {
  const records = new Records(table);
  const known = Object.fromEntries(
    SIDES.map((side) => [side, new Map(launchesOf(launches[side]).map((each) => [`${each.rank}/${each.id}`, each]))]),
  ) as Record<"a" | "b", Map<string, Launch>>;
  return records.rows.flatMap((row) => {
    const [a, b] = SIDES.map((side) => {
      const id = records.cell(row, `id_${side}`);
      return (id !== null && known[side].get(`${records.number(row, "rank")}/${id}`)) || null;
    }) as [Launch | null, Launch | null];
    const ids = SIDES.map((side) => records.text(row, `id_${side}`)).filter(Boolean);
    const total = Math.max(a?.duration ?? 0, b?.duration ?? 0);
    return a || b ? [{ name: records.text(row, "kernel"), detail: `launch ${ids.join(" \u2192 ")}`, a, b, total }] : [];
  });
}
