// Durable Objects in workerd whose model is the scripted server: those that begin after `setScript` ask it. For tests of `workers`.
import { env as bindings } from "cloudflare:workers";
import { afterAll, inject } from "vitest";
import { type Reply, type Script, type ScriptedAnswer, writeScript } from "./wire-script.ts";

const NAMES = ["TALARIA_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "TALARIA_SETTINGS"] as const;

/** Call once in a file: the variables are as before after its tests. */
export function scriptObjects(): (replies: Reply[], settings?: object) => Promise<Script> {
  const variables = bindings as unknown as Record<string, string | undefined>;
  const before = NAMES.map((name) => [name, variables[name]] as const);
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete variables[name];
      else variables[name] = value;
    }
  });
  return async (replies, settings = {}) => {
    const script = await writeScript(inject("modelServer"), replies);
    Object.assign(variables, {
      TALARIA_MODEL: "anthropic:claude-sonnet-5-5",
      ANTHROPIC_API_KEY: "sk-ant-a-test-key",
      ANTHROPIC_BASE_URL: script.baseUrl,
      TALARIA_SETTINGS: JSON.stringify({ turn: { titles: false }, ...settings }),
    });
    return script;
  };
}

/** `when`: a part of the requests that it answers. */
export const answerTo = (when: string, answer: ScriptedAnswer): Extract<Reply, { kind: "answer" }> => ({
  ...{ kind: "answer", when, answer },
});

export const callBoard = (facts: object): ScriptedAnswer => ({
  calls: [{ id: "c1", name: "board", arguments: JSON.stringify(facts) }],
});
