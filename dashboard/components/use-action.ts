// Something that a button does: at most once at a time, with a report when it failed.
import { useState } from "preact/hooks";
import { toast, toastError } from "./toasts.tsx";

export interface Action {
  isBusy: boolean;
  /** `done`: what to say when it has worked. */
  run(act: () => Promise<unknown>, done?: string): void;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    run(act, done) {
      if (isBusy) return;
      setBusy(true);
      act()
        .then(() => done !== undefined && toast(done), toastError)
        .finally(() => setBusy(false));
    },
  };
}
