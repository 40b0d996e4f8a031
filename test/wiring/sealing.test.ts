// Sealed secrets: what opens them, and what does not.
import { describe, expect, test } from "vitest";
import { type SealingEnv, openSealer } from "../../wiring/sealing.ts";

const ENV = { TALARIA_SEALING_KEY: "a secret of sixteen or more" };

function sealer(env: SealingEnv, profile = "p") {
  const opened = openSealer(env, profile);
  if (!opened.ok) throw new Error(opened.failure.code);
  return opened.value;
}

describe("a sealed secret", () => {
  test("is opened by the profile that sealed it, in another isolate too", async () => {
    const sealed = await sealer(ENV).seal("töken");
    expect(sealed).toMatch(/^v1\.[A-Za-z0-9+/=]+\.[A-Za-z0-9+/=]+$/);
    expect(await sealer(ENV).open(sealed)).toEqual({ ok: true, value: "töken" });
  });

  test("looks different each time", async () => {
    const { seal } = sealer(ENV);
    expect(await seal("same")).not.toBe(await seal("same"));
  });

  test.each([
    ["by another profile", ENV, "q", (sealed: string) => sealed],
    ["with another key", { TALARIA_SEALING_KEY: "another secret of that length" }, "p", (sealed: string) => sealed],
    [
      "when a bit has changed",
      ENV,
      "p",
      (sealed: string) => sealed.replace(/.$/, (last) => (last === "=" ? "A" : "=")),
    ],
    ["when its form is unknown", ENV, "p", (sealed: string) => sealed.replace("v1", "v2")],
    ["when it is empty", ENV, "p", () => ""],
  ])("cannot be opened %s", async (_, env, profile, change) => {
    const sealed = change(await sealer(ENV).seal("token"));
    expect(await sealer(env, profile).open(sealed)).toMatchObject({ failure: { code: "secret_unreadable" } });
  });
});

describe("the key", () => {
  test("comes from the operator's token when there is no other", async () => {
    const env = { TALARIA_OPERATOR_TOKEN: "operator-token-of-some-length" };
    const sealed = await sealer(env).seal("token");
    expect(await sealer(env).open(sealed)).toMatchObject({ value: "token" });
    expect(await sealer({ ...env, ...ENV }).open(sealed)).toMatchObject({ ok: false });
  });

  test.each([{}, { TALARIA_SEALING_KEY: " " }, { TALARIA_SEALING_KEY: "short" }])("is refused as %o", (env) => {
    expect(openSealer(env, "p")).toMatchObject({ failure: { code: "sealing_key_missing" } });
  });
});
