// A word for a state. The colour only repeats what the word says.
export type Tone = "plain" | "good" | "bad" | "warn" | "accent";

/** What a page calls a state that the API names by a code: a table has one for each. */
export interface StateWord {
  name: string;
  tone: Tone;
}

export function Badge({ tone = "plain", children }: { tone?: Tone; children: string }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
