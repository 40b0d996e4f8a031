// The line below the composer: the model, how much of its context is used, what the session has cost, how much came from the cache.
import { formatMoney, formatNumber, formatShare, formatShort } from "../components/numbers.ts";
import { useResource } from "../data/resource.ts";
import type { Conversation } from "./session/conversation.ts";
import type { AnswerItem } from "./session/items.ts";
import type { SessionView } from "./session/session-view.ts";

export function MetaLine({ view }: { view: SessionView }) {
  const detail = view.detail.value;
  const models = useResource("GET /v1/models", {}).value;
  const last = findLastAnswer(view.conversation.value);
  if (!detail) return null;
  const offered = models && "models" in models ? models.models : [];
  const chosen = offered.find(({ name, isDefault }) =>
    detail.model === undefined ? isDefault : name === detail.model,
  );
  const read = last && readTokens(last);
  const used = read !== undefined ? read + last!.usage!.output : undefined;
  const window = chosen?.window;
  const share = used !== undefined && window !== undefined ? Math.min(1, used / window) : undefined;
  return (
    <p class="meta-line small muted">
      <span dir="auto" class="clip">
        {detail.model ?? chosen?.name ?? last?.model ?? "Default model"}
        {detail.effort && ` · ${detail.effort}`}
      </span>
      {share !== undefined && (
        <span title={`${formatNumber(used!)} of ${formatNumber(window!)} tokens`}>
          <meter
            class={share > 0.8 ? "context context-full" : "context"}
            aria-label="Context used"
            min={0}
            max={1}
            value={share}
          />
          {formatShare(share)} of {formatShort(window!)} context
        </span>
      )}
      {share === undefined && used !== undefined && <span>{formatShort(used)} tokens of context</span>}
      {detail.usage.calls > 0 && (
        <span title={`${formatNumber(detail.usage.tokens)} tokens in ${formatNumber(detail.usage.calls)} model calls`}>
          {detail.usage.usd > 0 ? formatMoney(detail.usage.usd) : "no known cost"}
        </span>
      )}
      {last?.usage && read! > 0 && last.usage.cacheRead > 0 && (
        <span title="Of the last call's prompt">{formatShare(last.usage.cacheRead / read!)} from the cache</span>
      )}
    </p>
  );
}

/** Tokens of the prompt; 0 of a call that was cut off. */
function readTokens({ usage }: AnswerItem): number {
  return usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
}

function findLastAnswer({ turns }: Conversation): AnswerItem | undefined {
  for (const { items } of turns.toReversed()) {
    const found = items.findLast((item) => item.kind === "answer" && readTokens(item) > 0);
    if (found?.kind === "answer") return found;
  }
  return undefined;
}
