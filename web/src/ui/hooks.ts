// What the panels need beyond preact.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Readable } from "../model/store";

/** The value of a store; draws again when it changes. */
export function useStore<T>(store: Readable<T>): T {
  const [value, setValue] = useState<T>(() => store.get());
  useEffect(() => {
    setValue(() => store.get());
    return store.subscribe((next) => setValue(() => next));
  }, [store]);
  return value;
}

/** The size of an element in CSS pixels, kept up to date; 0 x 0 before it is on the page. */
export function useSize<E extends Element>() {
  const ref = useRef<E>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { width, height } = element.getBoundingClientRect();
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
}

export type Loaded<T> =
  { state: "loading"; last?: T } | { state: "ready"; value: T } | { state: "failed"; text: string };

/** Loads something again whenever one of `inputs` changes; an answer that is no longer wanted is dropped. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  useEffect(() => {
    const stop = new AbortController();
    setLoaded((old) => ({
      state: "loading",
      last: old.state === "ready" ? old.value : old.state === "loading" ? old.last : undefined,
    }));
    load(stop.signal).then(
      (value) => !stop.signal.aborted && setLoaded({ state: "ready", value }),
      (error: unknown) =>
        !stop.signal.aborted &&
        setLoaded({ state: "failed", text: error instanceof Error ? error.message : String(error) }),
    );
    return () => stop.abort();
  }, inputs);
  return loaded;
}
