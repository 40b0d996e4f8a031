// Which variables of the caller's environment reach the Workers.
import { describe, expect, it } from "vitest";
import { MODEL_SECRETS, MODEL_VARIABLES, listVariables } from "../../core/models/model-env.ts";
import { NAMED_SERVERS } from "../../core/models/wires/openai-compat.ts";
import { MODEL_SECRETS as SECRETS, PLAIN_VARS, selectWorkerVars } from "../../scripts/stack/worker-vars.ts";

describe("the variables of the Workers", () => {
  it("are the settings and all that select or authorise a model", () => {
    expect(SECRETS.toSorted()).toEqual(MODEL_SECRETS.toSorted());
    expect(PLAIN_VARS.toSorted()).toEqual([...MODEL_VARIABLES, "TALARIA_SETTINGS", "TALARIA_PUBLIC_PROFILE"].sort());
  });

  it.each(NAMED_SERVERS.map((server) => [server.name, server] as const))(
    "for %s reach them only if a model of that server is named",
    (name, server) => {
      const names = [...new Set(listVariables(server))];
      const env: Record<string, string | undefined> = Object.fromEntries(names.map((variable) => [variable, "value"]));
      expect(selectWorkerVars(env, "token")).toEqual({ TALARIA_OPERATOR_TOKEN: "token" });
      const choice = { TALARIA_MODEL: "anthropic:a", TALARIA_MODEL_TITLE: `openai:b, ${name}:c` };
      const given = { ...env, ...choice, TALARIA_OPERATOR_TOKEN: "token" };
      expect(selectWorkerVars({ ...env, ...choice, HOME: "/root" }, "token")).toEqual(given);
    },
  );
});
