// Asks the server what changed between the two profiles that it compares.
import type { SideName } from "../model/two_axes";
import { query } from "./client";
import type { AlignedOps, Changes, ComparedFlame, NameChanges, PartnerAnswer, Table, TimesOfRanks } from "./protocol";
import type { Server } from "./server";

export class ComparisonClient {
  constructor(private readonly server: Server) {}

  changes(signal?: AbortSignal): Promise<Changes> {
    return this.server.json("/api/compare", signal);
  }

  async times(signal?: AbortSignal): Promise<TimesOfRanks[]> {
    const { ranks } = await this.server.json<{ ranks: TimesOfRanks[] }>("/api/compare/times", signal);
    return ranks;
  }

  names(signal?: AbortSignal): Promise<Record<SideName, NameChanges>> {
    return this.server.json("/api/compare/names", signal);
  }

  /** What is aligned of a time of A. */
  aligned(area: { start: number; end: number; tracks: readonly number[] | null }, signal?: AbortSignal) {
    const track = area.tracks?.join(",");
    return this.server.json<AlignedOps>(
      `/api/compare/aligned${query({ from: area.start, to: area.end, track })}`,
      signal,
    );
  }

  /** A table of the comparison by its name, also one that `changes` leaves out. */
  async table(name: string, signal?: AbortSignal): Promise<Table> {
    const { tables } = await this.server.json<{ tables: Record<string, Table> }>(`/api/compare/table/${name}`, signal);
    return tables[name]!;
  }

  /** Of a part of each side, ns, or of the iterations that are compared. */
  flame(
    options: {
      view: "down" | "up";
      metric?: string;
      a_from?: number;
      a_to?: number;
      b_from?: number;
      b_to?: number;
    },
    signal?: AbortSignal,
  ): Promise<ComparedFlame> {
    return this.server.json(`/api/compare/flame${query(options)}`, signal);
  }

  /** What a slice of a side is on the other one. */
  partner(side: SideName, track: number, slice: number): Promise<PartnerAnswer> {
    return this.server.json(`/api/compare/slice${query({ side, track, slice })}`);
  }
}
