// Skills: what the agent can do by a procedure of its own. The index; and of one skill its text, history, evidence and experiments, and its editor.
import { SkillEditor } from "../skills/editor.tsx";
import { SkillIndex } from "../skills/skill-index.tsx";
import { SkillPage } from "../skills/skill-page.tsx";
import type { PageProps } from "../pages.ts";
import "../styles/admin.css";
import "../styles/learning.css";
import "../styles/skills.css";

/** No skill can have this name. */
export const NEW = "+new";

export function Page({ rest: [name, part, chosen] }: PageProps) {
  if (name === undefined) return <SkillIndex />;
  if (name === NEW) return <SkillEditor key={NEW} name={null} />;
  if (part === "edit") return <SkillEditor key={name} name={name} />;
  return <SkillPage key={name} name={name} part={part} chosen={chosen} />;
}
