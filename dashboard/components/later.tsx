// A component whose code is not part of its page's own: it is loaded when it is first shown, or some time before.
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure } from "./states.tsx";

export interface Later<P> {
  Component: ComponentType<P>;
  /** Loads the code, once. An attempt that fails says nothing: showing the component tries again. */
  load(): Promise<void>;
}

/** `placeholder` is shown until the code has arrived. */
export function later<P extends object>(read: () => Promise<ComponentType<P>>, placeholder: VNode): Later<P> {
  let loaded: ComponentType<P> | undefined;
  const load = async () => void (loaded ??= await read());

  function Component(props: P) {
    const [, setLoaded] = useState(loaded !== undefined);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (loaded) return;
      load().then(
        () => setLoaded(true),
        () =>
          setError(
            new Error("This part of the page could not be loaded. The server may be away, or has a newer version."),
          ),
      );
    }, []);
    if (error) return <Failure error={error} retry={() => location.reload()} />;
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : placeholder;
  }

  return { Component, load: () => load().catch(() => {}) };
}
