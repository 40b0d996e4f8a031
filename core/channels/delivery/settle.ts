// A question that needs no answer any more, wherever it was answered: its buttons are taken away, and the message says what was decided.
// Called by send-next.ts in the chat's order.
import { type DeliveryChat, type OpenedClient } from "./ports.ts";
import { judgeFailure } from "./judge-failure.ts";
import { writeTexts } from "./make-pieces.ts";
import { type Desk, type OpenRow, attempt, end, isOpen } from "./desk.ts";

export async function takeButtonsAway(
  desk: Desk,
  row: OpenRow,
  { address }: DeliveryChat,
  { platform, client }: OpenedClient,
): Promise<boolean> {
  const { ports, rows } = desk;
  const target = row.body.target === undefined ? null : rows.find(row.body.target);
  const asked = target?.body?.asked;
  if (!target || !asked || !client.edit) return finish(desk, row, target?.n);
  const [said = ""] = await writeTexts(ports, row.body.text, platform);
  const text = `${asked.text}\n\n${said}`;
  const edited = await attempt(() =>
    client.edit!(address, asked.id, { text: isWithin(text, platform.limits.text) ? text : asked.text }),
  );
  ports.onAttempt(platform.name, edited.ok ? null : edited.failure);
  const current = rows.find(row.n);
  if (!isOpen(current)) return true;
  if (edited.ok) return finish(desk, current, target.n);
  const misses = desk.misses.get(row.chat) ?? 0;
  const judged = judgeFailure(edited.failure, { attempts: current.attempts, misses });
  if (judged.next !== "retry") return finish(desk, current, target.n);
  desk.misses.set(row.chat, judged.counts ? 0 : misses + 1);
  const attempts = current.attempts + (judged.counts ? 1 : 0);
  rows.write({ ...current, attempts, due: ports.clock.now() + judged.ms });
  return false;
}

/** The words of the question leave the ledger too. A press finds nothing any more. */
function finish(desk: Desk, row: OpenRow, target: number | undefined): boolean {
  const { ports, rows } = desk;
  ports.sql.transaction(() => {
    const question = target === undefined ? null : rows.find(target);
    if (question?.ended != null) rows.write({ ...question, body: null });
  });
  return end(desk, row, "sent", null);
}

/** In bytes, which are never fewer than a platform counts. */
function isWithin(text: string, most: number): boolean {
  return new TextEncoder().encode(text).length <= most;
}
