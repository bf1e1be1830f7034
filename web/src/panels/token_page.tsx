// What is shown where the server wants a token that this browser has not given.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Logo } from "../ui/pages";

export function TokenPage(): JSX.Element {
  const [said, setSaid] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault(); // the page's policy lets no form be sent
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token")).trim();
    setSaid((await isToken(token)) ? "" : "This is not the token.");
  };
  return (
    <main class="page">
      <Logo />
      <h1>This address needs a token</h1>
      <p>
        <code>cgpu view</code> has printed an address that ends in <code>?token={"\u2026"}</code>. Open that one, or
        type the token here; the browser then remembers it.
      </p>
      <form class="token-form" onSubmit={(event) => void submit(event)}>
        <input type="password" name="token" required autofocus autocomplete="off" aria-label="Token" />
        <button type="submit">Open the profile</button>
      </form>
      <p role="alert">{said}</p>
    </main>
  );
}

/** Opens the page with the token, if it is the right one. */
async function isToken(token: string): Promise<boolean> {
  try {
    const answer = await fetch("/api/status", { headers: { Authorization: `Bearer ${token}` } });
    if (!answer.ok) return false;
  } catch {
    return false; // letters that no header can hold, or nobody there
  }
  location.assign(`/?token=${encodeURIComponent(token)}${location.hash}`);
  return true;
}
