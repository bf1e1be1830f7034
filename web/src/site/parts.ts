// What is in the page as text: the engine, its worker, licences, examples and, in a copy of the viewer, its profile (site.mjs,
// src/serve/engine_copy.h); each base64, most of them of gzip.

function bytesOf(id: string): Uint8Array<ArrayBuffer> | null {
  const text = document.getElementById(id)?.textContent;
  return text ? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) : null;
}

const unpacked = (id: string): Response =>
  new Response(new Blob([bytesOf(id)!]).stream().pipeThrough(new DecompressionStream("gzip")));

export async function engineOfPage(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await unpacked("engine").arrayBuffer());
}

/** The licences of what is in the page. */
export const licencesOfPage = (): Promise<string> => unpacked("licences").text();

/** The address of the worker's script. */
export function workerOfPage(): string {
  return URL.createObjectURL(new Blob([bytesOf("worker")!], { type: "text/javascript" }));
}

/** An example, as a file. */
export function exampleOfPage(name: string): File | null {
  const bytes = bytesOf(`example:${name}`);
  return bytes && new File([bytes], name);
}

/** A profile that the page is a copy of. */
export interface OwnProfile {
  /** What was opened. */
  name: string;
  /** The command that opens the profile itself. */
  made_by: string;
  bytes: Blob;
}

/** Null in a page that is no copy. */
export function profileOfPage(): OwnProfile | null {
  const [about, bytes] = [bytesOf("about"), bytesOf("profile")];
  if (!about || !bytes) return null;
  return { ...(JSON.parse(new TextDecoder().decode(about)) as Omit<OwnProfile, "bytes">), bytes: new Blob([bytes]) };
}
