// Between the page and the worker that the engine runs in.

/** A file, under the path by which the engine knows it. */
export interface GivenFile {
  path: string;
  blob: Blob;
}

/** What is opened: the inputs of each profile, one or two profiles. */
export interface Opening {
  files: readonly GivenFile[];
  profiles: readonly (readonly string[])[];
}

export type ToWorker = { open: Opening; engine: Uint8Array<ArrayBuffer> } | { ask: string; id: number };

export type FromWorker =
  | { status: string; ended: boolean }
  | { id: number; status: number; type: string; fileName: string; body: Uint8Array<ArrayBuffer> }
  | { failed: string };
