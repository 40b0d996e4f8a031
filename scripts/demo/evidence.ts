// Says in words what a lesson's citations point to. Pure.

const NAMES: Record<string, [one: string, many: string]> = {
  principal: ["your request", "of your messages"],
  outcome: ["tool result", "tool results"],
  own: ["answer of the agent", "answers of the agent"],
  content: ["text it read", "texts it read"],
};

/** `<session>/<entry>#<source>` … as "your request and 7 tool results". */
export function describeEvidence(citations: string[]): string {
  const counts = new Map<string, number>();
  for (const citation of citations) {
    const source = citation.split("#")[1] ?? "";
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  const parts = Object.entries(NAMES).flatMap(([source, [one, many]]) => {
    const count = counts.get(source) ?? 0;
    if (count === 0) return [];
    if (count > 1) return [`${count} ${many}`];
    return [source === "principal" ? one : `one ${one}`];
  });
  const last = parts.pop() ?? "none";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}
