// The marks of the timeline by time: their names and notes, and the time from each to the next, or from one that all
// are measured from, which is then also the zero of the ruler.
import type { JSX } from "preact";
import { axisMoment, FROM_START, markMode } from "../model/axis";
import { duration, exact } from "../model/format";
import { byTime, markTitle, type Mark } from "../model/selection";
import { LONGEST_MARK_NAME, LONGEST_NOTE } from "../model/url_state";
import { fit } from "../model/viewport";
import type { TimelineSource } from "../timeline/source";
import { useStore } from "../ui/hooks";

export function Marks({ source, onClose }: { source: TimelineSource; onClose: () => void }): JSX.Element {
  const unordered = useStore(source.marks);
  const mode = useStore(source.axisMode);
  const axis = useStore(source.axis);
  const marks = byTime(unordered);
  const zero = marks.findIndex((mark) => markMode(mark) === mode);
  const change = (mark: Mark, by: Partial<Mark> | null) =>
    source.marks.set(unordered.flatMap((one) => (one !== mark ? [one] : by ? [{ ...one, ...by }] : [])));
  const since = (i: number): number | null => {
    if (zero >= 0) return i === zero ? null : marks[i]!.start - marks[zero]!.start;
    return i === 0 ? null : marks[i]!.start - marks[i - 1]!.start;
  };
  const show = ({ start, end }: Mark) => {
    const view = source.viewport.get();
    const half = (view.end - view.start) / 2;
    const viewport =
      end === null ? { start: start - half, end: start + half } : fit({ start, end }, source.session.span);
    source.navigate({ viewport });
  };
  return (
    <aside class="marks" aria-label="Marks">
      <header>
        <b>Marks</b>
        <span class="soft">
          {zero >= 0 ? `times since ${markTitle(marks[zero]!, marks)}` : "times since the mark before"}
        </span>
        <span class="gap" />
        <button onClick={() => source.marks.set([])}>Remove all</button>
        <button class="icon" aria-label="Close" onClick={onClose}>
          {"\u00d7"}
        </button>
      </header>
      <ol>
        {marks.map((mark, i) => {
          const time = since(i);
          return (
            <li>
              <div>
                <input
                  class="mark-name"
                  value={mark.name}
                  maxLength={LONGEST_MARK_NAME}
                  placeholder={`mark ${i + 1}`}
                  aria-label={`Name of mark ${i + 1}`}
                  onInput={(event) => change(mark, { name: event.currentTarget.value })}
                />
                <b class="mark-since" title={time === null ? undefined : exact(time)}>
                  {time === null ? "" : `${time >= 0 ? "+" : "-"}${duration(Math.abs(time))}`}
                </b>
                <button
                  class="icon"
                  aria-pressed={i === zero}
                  title="Measure from here, on the ruler too"
                  aria-label={`Measure from mark ${i + 1}`}
                  onClick={() => source.axisMode.set(i === zero ? FROM_START.kind : markMode(mark))}
                >
                  0
                </button>
                <button class="icon" title="Show it" aria-label={`Show mark ${i + 1}`} onClick={() => show(mark)}>
                  {"\u2192"}
                </button>
                <button
                  class="icon"
                  title="Remove it"
                  aria-label={`Remove mark ${i + 1}`}
                  onClick={() => change(mark, null)}
                >
                  {"\u00d7"}
                </button>
              </div>
              <div>
                <span class="soft mark-at">
                  {axisMoment(axis.kind === "mark" ? FROM_START : axis, mark.start)}
                  {mark.end !== null && `, ${duration(mark.end - mark.start)} long`}
                </span>
              </div>
              <input
                class="mark-note"
                value={mark.note}
                maxLength={LONGEST_NOTE}
                placeholder="Note"
                aria-label={`Note of mark ${i + 1}`}
                onInput={(event) => change(mark, { note: event.currentTarget.value })}
              />
            </li>
          );
        })}
      </ol>
    </aside>
  );
}
