// The calls that run in this session without a question, each to be revoked.
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { toastError } from "../../components/toasts.tsx";
import { change, useResource } from "../../data/resource.ts";

export function Allowances({ session }: { session: string }) {
  const list = useResource("GET /v1/sessions/{session}/allowances", { params: { session } });
  const allowances = list.value?.allowances ?? [];
  if (allowances.length === 0) return null;
  const revoke = (allowance: string) =>
    change("DELETE /v1/sessions/{session}/allowances/{allowance}", { params: { session, allowance } }, [
      `/v1/sessions/${session}/`,
    ]).catch(toastError);
  return (
    <section aria-label="Allowed without a question">
      <h2>Allowed without a question</h2>
      <ul class="allowances">
        {allowances.map(({ id, key, scope }) => (
          <li key={id}>
            <code dir="auto">{key}</code>
            <Badge>{scope === "always" ? "always" : "this session"}</Badge>
            <Button onClick={() => void revoke(id)}>Revoke</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
