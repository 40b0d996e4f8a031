// Changes of instruction files (AGENTS.md, SOUL.md) that the agent wants and the person decides: what is there, and what would be.
import { Button } from "../../components/button.tsx";
import { Diff } from "../../components/diff.tsx";
import { Icon } from "../../components/icon.tsx";
import { ErrorNote, Loaded } from "../../components/states.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import { change, useResource } from "../../data/resource.ts";

export function FileApprovals({ session }: { session: string }) {
  const list = useResource("GET /v1/sessions/{session}/approvals", { params: { session } });
  const waiting = list.value?.approvals.filter(({ kind, state }) => kind === "file" && state === "waiting") ?? [];
  return (
    <>
      {waiting.map(({ id }) => (
        <FileApproval key={id} session={session} approval={id} />
      ))}
    </>
  );
}

function FileApproval({ session, approval }: { session: string; approval: string }) {
  const found = useResource("GET /v1/sessions/{session}/approvals/{approval}", { params: { session, approval } });
  const { isBusy, error, run } = useAttempt();
  const decide = (approve: boolean) => {
    const asked = { params: { session, approval }, body: { approve } };
    return run(() => change("POST /v1/sessions/{session}/approvals/{approval}", asked, [`/v1/sessions/${session}/`]));
  };
  return (
    <Loaded of={found}>
      {(asked) =>
        asked.kind === "file" && (
          <section class="ask ask-open" aria-label={`The agent asks to change ${asked.path}`}>
            <h2>
              <Icon name="file" /> <span dir="auto">May {asked.path} say this?</span>
            </h2>
            <p class="muted small">The agent follows this file in later conversations, so its change waits for you.</p>
            <Diff name={asked.path} before={asked.current} after={asked.content} />
            {error !== undefined && <ErrorNote error={error} />}
            <div class="ask-actions">
              <Button kind="primary" isBusy={isBusy} onClick={() => void decide(true)}>
                Approve
              </Button>
              <Button isBusy={isBusy} onClick={() => void decide(false)}>
                Reject
              </Button>
            </div>
          </section>
        )
      }
    </Loaded>
  );
}
