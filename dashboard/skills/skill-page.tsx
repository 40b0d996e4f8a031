// One skill: what it is and why it is there, what can be done with it, and its parts: text, history, evidence, experiments.
import { Badge } from "../components/badge.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Failure, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { ProblemError } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { ExperimentsPart } from "../experiments/experiments-part.tsx";
import { EvidencePart } from "./evidence-part.tsx";
import { HistoryPart } from "./history-part.tsx";
import { MadeBy } from "./maker.tsx";
import { SkillActions } from "./skill-actions.tsx";
import { TextPart } from "./text-part.tsx";
import { type Detail, ORIGINS, type Revision, describeState, stateOfHead } from "./words.ts";

const PARTS = [
  { part: undefined, name: "Text" },
  { part: "history", name: "History" },
  { part: "evidence", name: "Evidence" },
  { part: "experiments", name: "Tried" },
] as const;

/** `chosen`: what the address names of a part. */
export function SkillPage({
  name,
  part,
  chosen,
}: {
  name: string;
  part: string | undefined;
  chosen: string | undefined;
}) {
  const { value: skill, error, reload } = useResource("GET /v1/skills/{name}", { params: { name } });
  const revisions = useResource("GET /v1/skills/{name}/revisions", { params: { name }, query: { limit: "1" } });
  const evidence = useResource("GET /v1/skills/{name}/evidence", { params: { name } });
  const shown = PARTS.find((one) => one.part === part) ?? PARTS[0];
  if (error !== undefined && isMissing(error)) {
    // A text may have been tried without being installed.
    return shown.name === "Tried" ? <NotInstalled name={name} chosen={chosen} /> : <Missing name={name} />;
  }
  const first = skill?.head?.firstRev ?? 1;
  const counts = { Text: 0, History: skill?.head?.rev ?? 0, Evidence: evidence.value?.seen ?? 0, Tried: 0 };
  const tabs = PARTS.map((one) => ({
    ...{ name: one.name, isCurrent: one === shown, count: counts[one.name] },
    href: one.part === undefined ? hrefOf("skills", name) : hrefOf("skills", name, one.part),
  }));
  return (
    <Frame
      title={name}
      lead={skill && <Lead skill={skill} />}
      actions={skill && <SkillActions skill={skill} />}
      tabs={<Tabs label="Parts of the skill" tabs={tabs} />}
    >
      <ScopeNote scope="write" to="change skills" />
      {error !== undefined && <Failure error={error} retry={() => void reload()} />}
      {skill === undefined && error === undefined && <Loading />}
      {skill && shown.name === "Text" && (
        <>
          <Verdict skill={skill} why={evidence.value?.texts.find(({ present }) => present)?.why} />
          <Provenance skill={skill} first={first} />
          <TextPart skill={skill} first={first} latest={revisions.value?.revisions[0]} />
        </>
      )}
      {skill && shown.name === "History" && (
        <HistoryPart name={name} present={skill.head?.rev ?? 0} first={first} withdrawn={skill.head?.withdrawn ?? []} />
      )}
      {skill && shown.name === "Evidence" && <EvidencePart name={name} />}
      {skill && shown.name === "Tried" && <ExperimentsPart name={name} chosen={chosen} isInstalled />}
    </Frame>
  );
}

function Lead({ skill: { head, files } }: { skill: Detail }) {
  const description = head?.description ?? describe(files);
  const { name: state, tone } = describeState(head ? stateOfHead(head) : "active");
  return (
    <>
      <span dir="auto" class="skill-description">
        {description}
      </span>
      <span class="badges">
        <Badge tone={tone}>{state}</Badge>
        {(head?.heldUntil ?? 0) > Date.now() && <Badge tone="accent">Being tried</Badge>}
        {head?.pinned === true && <Badge tone="accent">Pinned</Badge>}
        {head?.public === true && <Badge tone="warn">Public</Badge>}
        <Badge>{ORIGINS[head?.origin ?? "bundled"]}</Badge>
        <Badge>{head?.category ?? "general"}</Badge>
      </span>
    </>
  );
}

/** The description in a SKILL.md whose head is not known: a bundled one. */
function describe(files: Detail["files"]): string {
  const text = files["SKILL.md"];
  return typeof text === "string" ? (/^description:[ \t]*(.+)$/m.exec(text)?.[1] ?? "") : "";
}

/** Why the skill is in its state, and what its uses say. */
function Verdict({ skill: { head }, why }: { skill: Detail; why: string | undefined }) {
  const reason = head?.reason === undefined ? "" : toSentence(head.reason);
  // The reason of a verdict begins with what the uses say.
  const said = why === undefined || reason.includes(why) ? "" : why;
  if (reason + said === "") return null;
  return (
    <p class="note page-note">
      <span dir="auto">{`${reason} ${said}`.trim()}</span>
    </p>
  );
}

function toSentence(text: string): string {
  const begun = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** "Learned on 3 Nov from a conversation", in one sentence. */
function Provenance({ skill: { name, head }, first }: { skill: Detail; first: number }) {
  const isPresent = head?.rev === first;
  const asked = head ? { params: { name }, query: { limit: "1", after: String(first + 1) } } : null;
  const { value } = useResource("GET /v1/skills/{name}/revisions", asked);
  if (!head) return <p class="muted provenance">This skill comes with Talaria. Nothing has changed it here.</p>;
  const made = value?.revisions[0] as Exclude<Revision, { purgedAt: number }> | undefined;
  if (made === undefined) return <p class="provenance">&nbsp;</p>;
  return (
    <p class="muted provenance">
      {head.extends !== undefined && (
        <>
          Lessons about <a href={hrefOf("skills", head.extends)}>{head.extends}</a>, which may not be changed here.{" "}
        </>
      )}
      {made.op === undefined ? (
        "How it began is not known: its first revision was purged."
      ) : (
        <>
          {made.origin === "review" ? "Learned" : "Begun"} on <Time at={made.revisedAt} isExact /> by{" "}
          <MadeBy revision={made} isInline />
          {isPresent ? ", and not changed since." : "."}
        </>
      )}
    </p>
  );
}

function NotInstalled({ name, chosen }: { name: string; chosen: string | undefined }) {
  return (
    <Frame title={name} lead="This skill is not installed.">
      <ExperimentsPart name={name} chosen={chosen} />
    </Frame>
  );
}

function Missing({ name }: { name: string }) {
  return (
    <Frame title="No such skill">
      <Empty icon="skill" title={`There is no skill ${name.slice(0, 64)}`}>
        <p>It was deleted, or never existed.</p>
        <a class="button" href={hrefOf("skills")}>
          All skills
        </a>
      </Empty>
    </Frame>
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof ProblemError && ["skill_not_found", "bad_skill_name"].includes(error.problem.code);
}
