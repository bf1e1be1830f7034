// The part below the timeline: details of the slice or statistics of the area, whichever was selected last.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../ui/hooks";
import type { ViewContext } from "../views/context";
import { AreaStatisticsPanel } from "./area";
import { Details } from "./details";

const LOWEST = 90;
const FIRST_HEIGHT = 250;

export function Drawer({ context }: { context: ViewContext }): JSX.Element | null {
  const slice = useStore(context.selection);
  const area = useStore(context.area);
  const [tab, setTab] = useState<"slice" | "area">("slice");
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const first = useRef(true);
  useEffect(() => {
    if (slice) setTab("slice");
  }, [slice]);
  useEffect(() => {
    if (area && !(first.current && slice)) setTab("area");
    first.current = false;
  }, [area]);
  if (!slice && !area) return null;
  const shown = tab === "slice" ? (slice ? "slice" : "area") : area ? "area" : "slice";

  const resize = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const [from, before] = [event.clientY, height];
    handle.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent) =>
      setHeight(Math.min(Math.max(before + from - now.clientY, LOWEST), window.innerHeight - 240));
    const end = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", end);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end);
  };
  const byKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    setHeight((old) =>
      Math.min(Math.max(old + (event.key === "ArrowUp" ? 24 : -24), LOWEST), window.innerHeight - 240),
    );
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="drawer" style={{ height: `${height}px` }}>
      <div
        class="drawer-handle"
        role="separator"
        aria-orientation="horizontal"
        aria-label="Height of the details"
        tabIndex={0}
        onPointerDown={resize}
        onKeyDown={byKey}
      />
      {slice && area && (
        <div class="drawer-tabs" role="tablist">
          <button
            role="tab"
            aria-selected={shown === "slice"}
            class={shown === "slice" ? "on" : ""}
            onClick={() => setTab("slice")}
          >
            Slice
          </button>
          <button
            role="tab"
            aria-selected={shown === "area"}
            class={shown === "area" ? "on" : ""}
            onClick={() => setTab("area")}
          >
            Area
          </button>
        </div>
      )}
      <div class="drawer-body">
        {shown === "slice" ? (
          <Details context={context} slice={slice!} />
        ) : (
          <AreaStatisticsPanel context={context} area={area!} />
        )}
      </div>
    </div>
  );
}
