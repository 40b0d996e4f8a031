// A word for a state. The colour only repeats what the word says.
export function Badge({
  tone = "plain",
  children,
}: {
  tone?: "plain" | "good" | "bad" | "warn" | "accent";
  children: string;
}) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
