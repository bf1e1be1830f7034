// The way from the timeline of a rank back to what was shown of the summary, remembered in the tab.
const KEY = "cgpu.summary";

/** Called when the page of the summary is left. */
export function rememberSummary(): void {
  try {
    sessionStorage.setItem(KEY, location.hash);
  } catch {
    // Then the way leads to its beginning.
  }
}

export function summaryAddress(): string {
  try {
    return `./${sessionStorage.getItem(KEY) ?? ""}`;
  } catch {
    return "./";
  }
}
