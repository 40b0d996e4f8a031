// Something that a form or a button does and that may be refused: the reason is shown beside it. Where a report in the corner is enough,
// use-action.ts.
import { useState } from "preact/hooks";

export interface Attempt {
  /** It is under way. */
  isBusy: boolean;
  /** Why the last attempt failed. */
  error: unknown;
  /** True: it has worked. */
  run(act: () => Promise<unknown>): Promise<boolean>;
}

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function run(act: () => Promise<unknown>): Promise<boolean> {
    setBusy(true);
    setError(undefined);
    try {
      await act();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, error, run };
}
