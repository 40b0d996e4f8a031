// One experiment in a list: which text, its outcome in a word and in a sentence, when and what it cost.
import { Badge } from "../components/badge.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { Time } from "../components/time.tsx";
import { hrefOf } from "../pages.ts";
import { type ExperimentLine, OCCASIONS, describeState, describeTokens } from "./experiment-words.ts";

/** `hasSkill`: with the skill's name, where several skills are listed. */
export function ExperimentRow({ experiment, hasSkill = false }: { experiment: ExperimentLine; hasSkill?: boolean }) {
  const { id, skill, rev, why, occasion, createdAt } = experiment;
  const { name, tone } = describeState(experiment);
  const text = rev === null ? "A text that is not installed" : `Revision ${rev}`;
  return (
    <>
      <div class="item-head">
        <a class="item-text" href={hrefOf("skills", skill, "experiments", id)}>
          {hasSkill ? `${skill}: ${text.toLowerCase()}` : text}
        </a>
        <Badge tone={tone}>{name}</Badge>
      </div>
      {why !== "" && <p dir="auto">{showHidden(why)}</p>}
      <p class="item-facts">
        <Time at={createdAt} />
        <span>{OCCASIONS[occasion]}</span>
        <span>{describeTokens(experiment)}</span>
      </p>
    </>
  );
}
