// Whether the page is in an editor of VS Code, which gives it one file (packaging/vscode).

interface EditorApi {
  postMessage(message: unknown): void;
}
declare global {
  interface Window {
    /** Of VS Code; can be called once. */
    acquireVsCodeApi?: () => EditorApi;
  }
}

export const editor: EditorApi | null = window.acquireVsCodeApi?.() ?? null;

/** Light or dark, as the editor is; null in no editor. */
export function themeOfEditor(): "light" | "dark" | null {
  const kind = document.body.dataset.vscodeThemeKind;
  if (!editor || !kind) return null;
  return kind === "vscode-dark" || kind === "vscode-high-contrast" ? "dark" : "light";
}

/** Calls `changed` when the theme of the editor has changed. */
export function watchThemeOfEditor(changed: () => void): void {
  if (editor) new MutationObserver(changed).observe(document.body, { attributeFilter: ["data-vscode-theme-kind"] });
}
