// What a person does with a turn that has ended: send it again, branch from it, say whether it was right.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { toast, toastError } from "../../components/toasts.tsx";
import { call } from "../../data/api.ts";
import type { Turn } from "../session/conversation.ts";

interface TurnActionsProps {
  session: string;
  turn: Turn;
  /** Sends the turn's message once more, in a branch. */
  onRetry: () => Promise<void>;
  onBranch: () => Promise<void>;
}

export function TurnActions({ session, turn, onRetry, onBranch }: TurnActionsProps) {
  const [isBusy, setBusy] = useState(false);
  const [rated, setRated] = useState<"up" | "down" | null>(null);
  if (turn.end?.stats?.modelCalls === 0) return null;
  const run = (action: () => Promise<void>) => {
    setBusy(true);
    action()
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  const rate = (rating: "up" | "down") =>
    run(async () => {
      await call("POST /v1/sessions/{session}/turns/{n}/rating", { params: { session, n: turn.n }, body: { rating } });
      setRated(rating);
      toast(rating === "up" ? "Rated as right." : "Rated as wrong. Say in a message what would have been right.");
    });
  return (
    <>
      <Button kind="quiet" icon="retry" label="Try again in a branch" isBusy={isBusy} onClick={() => run(onRetry)} />
      <Button kind="quiet" icon="branch" label="Branch from here" isBusy={isBusy} onClick={() => run(onBranch)} />
      <Button
        kind="quiet"
        icon="thumb_up"
        label="This was right"
        aria-pressed={rated === "up"}
        isBusy={isBusy}
        onClick={() => rate("up")}
      />
      <Button
        kind="quiet"
        icon="thumb_down"
        label="This was wrong"
        aria-pressed={rated === "down"}
        isBusy={isBusy}
        onClick={() => rate("down")}
      />
    </>
  );
}
