// Something that a control does: one after the other, so that a second choice waits for the first and is not lost; with a report when it
// failed. A button passes `isBusy` on and takes no second click.
import { useRef, useState } from "preact/hooks";
import { toast, toastError } from "./toasts.tsx";

export interface Action {
  isBusy: boolean;
  /** `done`: what to say when it has worked. */
  run(act: () => Promise<unknown>, done?: string): void;
}

export function useAction(): Action {
  const [running, setRunning] = useState(0);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return {
    isBusy: running > 0,
    run(act, done) {
      setRunning((before) => before + 1);
      last.current = last.current
        .then(act)
        .then(() => done !== undefined && toast(done), toastError)
        .finally(() => setRunning((before) => before - 1));
    },
  };
}
