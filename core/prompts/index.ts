// Every paragraph a model reads in a session, in the order it reads them. Pure; the same input gives the same bytes.
// The reviewer's words are in review.ts.
import delegated from "./delegated.md";
import { escapeTags } from "../prompt-block.ts";
import guidance from "./guidance.md";
import identity from "./identity.md";
import memory from "./memory.md";
import project from "./project.md";
import skills from "./skills.md";
import skillsWrite from "./skills-write.md";
import trust from "./trust.md";
import web from "./web.md";
import work from "./work.md";

export interface PromptInput {
  /** The person's own words for who the agent is; absent: ours. */
  identity?: string | null;
  /** How the person wants the agent to be in this session, "" or absent for nothing. */
  personality?: string;
  /** What the person's client says of how to work, "" or absent for nothing. */
  guidance?: string;
  /** The session works on a task of another session. */
  isDelegated?: boolean;
  /** Names of the tools that are offered; guidance comes only for these. */
  tools: string[];
  /** The skills index, "" for an empty library. */
  skillsBlock: string;
  /** The memory snapshot, "" for none. */
  memoryBlock: string;
  /** What the person's project files say, "" or absent for none. */
  projectBlock?: string;
  /** Which MCP servers do not answer, "" or absent for none. */
  mcpBlock?: string;
  /** UTC day, `YYYY-MM-DD`. Never the time: the prompt must be the same all day. */
  day: string;
}

const IN_WORKSPACE = "The person's files are in the workspace, under `/work`; paths are relative to it.";
const ON_HOST =
  "You work on a real machine, in the folder where `terminal` starts; paths are relative to it. What you change there stays changed, also when the person did not expect it.";

/** Frozen for an epoch. Whatever changes most often comes last. */
export function buildPrompt(input: PromptInput): string {
  const has = (name: string) => input.tools.includes(name);
  const parts = [
    input.identity || identity,
    input.personality ?? "",
    input.guidance ? guidance.replace("{{guidance}}", () => escapeTags(input.guidance!.trim())) : "",
    trust,
    input.isDelegated ? delegated : "",
    has("terminal") || has("read_file") ? work.replace("{{files}}", has("process") ? ON_HOST : IN_WORKSPACE) : "",
    has("web_extract") ? web : "",
    has("skill_view") ? skills : "",
    has("skill_manage") ? skillsWrite : "",
    has("memory") ? memory : "",
    has("skill_view") ? input.skillsBlock : "",
    has("memory") ? input.memoryBlock : "",
    input.mcpBlock ?? "",
    input.projectBlock ? `${project.trim()}\n\n${input.projectBlock}` : "",
    `Today is ${input.day} (UTC).`,
  ];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}
