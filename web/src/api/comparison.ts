// Asks the server what changed between the two profiles that it compares.
import type { SideName } from "../model/two_axes";
import { query } from "./client";
import type { Changes, NameChanges, PartnerAnswer, TimePoints } from "./protocol";
import type { Server } from "./server";

export class ComparisonClient {
  constructor(private readonly server: Server) {}

  changes(signal?: AbortSignal): Promise<Changes> {
    return this.server.json("/api/compare", signal);
  }

  times(signal?: AbortSignal): Promise<TimePoints> {
    return this.server.json("/api/compare/times", signal);
  }

  names(signal?: AbortSignal): Promise<Record<SideName, NameChanges>> {
    return this.server.json("/api/compare/names", signal);
  }

  /** What a slice of a side is on the other one. */
  partner(side: SideName, track: number, slice: number): Promise<PartnerAnswer> {
    return this.server.json(`/api/compare/slice${query({ side, track, slice })}`);
  }
}
