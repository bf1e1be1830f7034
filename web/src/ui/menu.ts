// A menu at a place of the page: arrows, Home, End and the first letter move, Enter runs, Escape and a press elsewhere
// close it. The focus goes back to where it was.
export interface MenuItem {
  readonly title: string;
  /** How a key for the same is written. */
  readonly keys?: string;
  run(): void;
}

/** Between groups of items. */
export type MenuEntry = MenuItem | "line";

let close: (() => void) | null = null;

/** `x` and `y`: CSS pixels of the window. Another open menu is closed. */
export function openMenu(label: string, entries: readonly MenuEntry[], x: number, y: number): void {
  close?.();
  const before = document.activeElement;
  const menu = document.createElement("div");
  menu.className = "menu";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", label);
  const buttons = entries.flatMap((entry) => {
    const element = entry === "line" ? lineElement() : itemElement(entry);
    menu.append(element);
    return element instanceof HTMLButtonElement ? [element] : [];
  });
  const end = () => {
    close = null;
    menu.remove();
    window.removeEventListener("pointerdown", elsewhere, true);
    window.removeEventListener("resize", end);
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  };
  const elsewhere = (event: PointerEvent) => {
    if (!menu.contains(event.target as Node)) end();
  };
  for (const [i, item] of entries.filter((entry) => entry !== "line").entries()) {
    buttons[i]!.addEventListener("click", () => {
      end();
      (item as MenuItem).run();
    });
    buttons[i]!.addEventListener("pointermove", () => buttons[i]!.focus());
  }
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  menu.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const go = (to: number) => buttons[(to + buttons.length) % buttons.length]!.focus();
    event.stopPropagation(); // the keys are not the timeline's while it is open
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(-1);
    else if (event.key === "Escape" || event.key === "Tab") end();
    else if (/^[a-z]$/i.test(event.key)) {
      const starts = (i: number) =>
        buttons[i % buttons.length]!.textContent!.toLowerCase().startsWith(event.key.toLowerCase());
      const next = buttons.findIndex((_, i) => starts(at + 1 + i));
      if (next >= 0) go(at + 1 + next);
    } else return; // Enter and the space bar press the button
    event.preventDefault();
  });
  document.body.append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(0, Math.min(x, window.innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(0, Math.min(y, window.innerHeight - height - 4))}px`;
  window.addEventListener("pointerdown", elsewhere, true);
  window.addEventListener("resize", end);
  close = end;
  buttons[0]?.focus();
}

function itemElement({ title, keys }: MenuItem): HTMLButtonElement {
  const button = document.createElement("button");
  button.setAttribute("role", "menuitem");
  button.tabIndex = -1;
  const text = document.createElement("span");
  text.textContent = title;
  button.append(text);
  if (keys) {
    const key = document.createElement("kbd");
    key.setAttribute("aria-hidden", "true");
    key.textContent = keys;
    button.append(key);
  }
  return button;
}

function lineElement(): HTMLElement {
  const line = document.createElement("div");
  line.setAttribute("role", "separator");
  return line;
}
