// The border of the column with the names of the tracks, which is dragged, or moved by the arrow keys. The width holds
// for all timelines and is remembered in this browser.
const KEY = "cgpu.labels";
const LEAST = 90; // CSS pixels
const MOST_SHARE = 0.6; // of the window
const STEP = 16;

const root = document.documentElement;
const widthNow = (): number => parseFloat(getComputedStyle(root).getPropertyValue("--head"));

function setWidth(wanted: number): void {
  const width = Math.round(Math.max(LEAST, Math.min(wanted, window.innerWidth * MOST_SHARE)));
  root.style.setProperty("--head", `${width}px`);
  try {
    localStorage.setItem(KEY, String(width));
  } catch {
    // Then it holds until the page is closed.
  }
}

function restore(): void {
  try {
    const width = Number(localStorage.getItem(KEY));
    if (width > 0 && !root.style.getPropertyValue("--head")) setWidth(width);
  } catch {
    // As at first.
  }
}

/** A double click, or Home, brings back the width that the window has at first. */
function reset(): void {
  root.style.removeProperty("--head");
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was remembered.
  }
}

export function labelBorder(): HTMLElement {
  restore();
  const border = document.createElement("div");
  border.className = "label-border";
  border.tabIndex = 0;
  border.setAttribute("role", "separator");
  border.setAttribute("aria-orientation", "vertical");
  border.setAttribute("aria-label", "Width of the names of tracks");
  const report = () => border.setAttribute("aria-valuenow", String(widthNow()));
  report();
  border.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault(); // else it selects text
    const offset = event.clientX - widthNow();
    border.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent) => setWidth(now.clientX - offset);
    const end = () => {
      border.removeEventListener("pointermove", move);
      border.removeEventListener("pointerup", end);
      border.removeEventListener("pointercancel", end);
      report();
    };
    border.addEventListener("pointermove", move);
    border.addEventListener("pointerup", end);
    border.addEventListener("pointercancel", end);
  });
  border.addEventListener("dblclick", () => {
    reset();
    report();
  });
  border.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") setWidth(widthNow() - STEP);
    else if (event.key === "ArrowRight") setWidth(widthNow() + STEP);
    else if (event.key === "Home") reset();
    else return;
    report();
    event.preventDefault();
    event.stopPropagation();
  });
  return border;
}
