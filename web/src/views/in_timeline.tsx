// From a measured launch to the kernel of that name and shape on the timeline, where there is one.
import type { JSX } from "preact";
import { rangeOf } from "../model/selection";
import { fit } from "../model/viewport";
import type { LaunchId } from "./choices";
import { latest, useAsked, type ViewProps } from "./view";

export function InTimeline({ context, launch }: ViewProps & { launch: LaunchId }): JSX.Element | null {
  const { session } = context;
  const found = latest(
    useAsked(
      context,
      (signal) =>
        session.views.includes("timeline")
          ? context.client.launchSlices(launch.rank, launch.id, signal)
          : Promise.resolve(null),
      [launch.rank, launch.id],
    ),
  );
  const slice = found?.slices[0];
  if (!found || !slice || found.id !== launch.id || found.rank !== launch.rank) return null;
  return (
    <button
      class="in-timeline"
      title={`The first with the same ${found.match}; the profiler measured it alone, not there`}
      onClick={() => context.navigate({ view: "timeline", slice, viewport: fit(rangeOf(slice), session.span) })}
    >
      Show in the timeline
    </button>
  );
}
