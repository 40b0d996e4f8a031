// Every paragraph a model reads in a session, in the order it reads them. Pure; the same input gives the same bytes.
// The reviewer's words are in review.ts.
import card from "./card.md";
import delegated from "./delegated.md";
import { escapeTags } from "../prompt-block.ts";
import type { ChannelScene } from "../schemas/channels/delivery.ts";
import { describeChannel } from "./channel.ts";
import guidance from "./guidance.md";
import identity from "./identity.md";
import memory from "./memory.md";
import project from "./project.md";
import skills from "./skills.md";
import skillsWrite from "./skills-write.md";
import trust from "./trust.md";
import web from "./web.md";
import job from "./job.md";
import webhook from "./webhook.md";
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
  /** Its messages are events of other systems. */
  isWebhook?: boolean;
  /** It works on a card of a board. */
  isCard?: boolean;
  /** Its message is a job that runs at its time. */
  isJob?: boolean;
  /** The chat that the session began in. Absent: none. */
  channel?: ChannelScene | undefined;
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
  /** The goals that other sessions work at, "" or absent for none. */
  goalsBlock?: string;
  /** UTC day, `YYYY-MM-DD`. Never the time: the prompt must be the same all day. */
  day: string;
}

const IN_WORKSPACE = "The person's files are in the workspace, under `/work`; paths are relative to it.";
const ON_HOST =
  "You work on a real machine, in the folder where `terminal` starts; paths are relative to it. What you change there stays changed, also when the person did not expect it.";

export interface PromptSection {
  name: string;
  text: string;
}

/** Frozen for an epoch. Whatever changes most often comes last. Sections without a text are left out. */
export function promptSections(input: PromptInput): PromptSection[] {
  const has = (name: string) => input.tools.includes(name);
  const sections = {
    identity: input.identity || identity,
    personality: input.personality ?? "",
    guidance: input.guidance ? guidance.replace("{{guidance}}", () => escapeTags(input.guidance!.trim())) : "",
    trust,
    chat: input.channel ? describeChannel(input.channel) : "",
    delegation: input.isDelegated ? delegated : "",
    events: input.isWebhook ? webhook : "",
    card: input.isCard ? card : "",
    job: input.isJob ? job : "",
    work: has("terminal") || has("read_file") ? work.replace("{{files}}", has("process") ? ON_HOST : IN_WORKSPACE) : "",
    web: has("web_extract") ? web : "",
    "use of skills": has("skill_view") ? skills : "",
    "writing of skills": has("skill_manage") ? skillsWrite : "",
    "use of memory": has("memory") ? memory : "",
    "list of skills": has("skill_view") ? input.skillsBlock : "",
    "facts in memory": has("memory") ? input.memoryBlock : "",
    "MCP servers": input.mcpBlock ?? "",
    "project files": input.projectBlock ? `${project.trim()}\n\n${input.projectBlock}` : "",
    goals: input.goalsBlock ?? "",
    day: `Today is ${input.day} (UTC).`,
  };
  return Object.entries(sections)
    .map(([name, text]) => ({ name, text: text.trim() }))
    .filter(({ text }) => text !== "");
}

export const SECTION_BREAK = "\n\n";

export function joinSections(sections: PromptSection[]): string {
  return sections.map(({ text }) => text).join(SECTION_BREAK);
}
