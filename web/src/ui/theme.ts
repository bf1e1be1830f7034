// Light or dark: as the editor is that the page is in, or what the system prefers, until the user says otherwise; remembered in this browser.
import { Store } from "../model/store";
import { themeOfEditor, watchThemeOfEditor } from "./editor";

export type Theme = "light" | "dark";

const KEY = "cgpu.theme";

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // storage is switched off
  }
}

const system = window.matchMedia("(prefers-color-scheme: dark)");
const preferred = (): Theme => themeOfEditor() ?? (system.matches ? "dark" : "light");

export const theme = new Store<Theme>(remembered() ?? preferred());

function apply(value: Theme): void {
  document.documentElement.dataset.theme = value;
}

apply(theme.get());
theme.subscribe(apply);
const follow = (): void => {
  if (!remembered()) theme.set(preferred());
};
system.addEventListener("change", follow);
watchThemeOfEditor(follow);

export function toggleTheme(): void {
  const next: Theme = theme.get() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Then it holds until the page is closed.
  }
  theme.set(next);
}
