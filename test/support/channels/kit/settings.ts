// That what a person must set is described truthfully, that capabilities are what the client can do, and that secrets stay inside.
import { expect } from "vitest";
import { err } from "../../../../core/errors.ts";
import type { PlatformClient } from "../../../../core/channels/platform.ts";
import type { PlatformFixture } from "../fixture.ts";
import { openTestChannel } from "../open-channel.ts";
import type { Check } from "./check.ts";
import { say } from "./said.ts";

export function checkSettings<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { platform } = fixture;
  const { capabilities, limits, form } = platform;

  check("the form has the fields that are taken, each with a sentence", () => {
    expect(platform.fields.safeParse(fixture.fields)).toMatchObject({ success: true });
    const names = form.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(fixture.fields).filter((name) => !names.includes(name))).toEqual([]);
    for (const { name, help } of form) {
      expect(name).toMatch(/^[a-z][a-zA-Z0-9]*$/);
      expect(help, name).toMatch(/^[A-Z`"].{5,}\.$/s);
    }
    expect(form.some(({ secret }) => secret) || fixture.proof.kind !== "secret", "whether a field is secret").toBe(
      true,
    );
  });

  check("a field that is not in the form is refused; so is a required one that is missing, by its name", () => {
    expect(platform.fields.safeParse({ ...fixture.fields, unknownField: "x" }).success).toBe(false);
    for (const { name, required } of form) {
      const { [name]: _, ...others } = fixture.fields;
      const parsed = platform.fields.safeParse(others);
      if (required) {
        expect(parsed.success, `without ${name}`).toBe(false);
        expect(
          parsed.error!.issues.map(({ path }) => path[0]),
          `without ${name}`,
        ).toContain(name);
      } else expect(parsed.success, `without ${name}: ${parsed.error?.message}`).toBe(true);
      for (const value of [null, 5, {}, [], ""]) {
        if (required)
          expect(
            platform.fields.safeParse({ ...fixture.fields, [name]: value }).success,
            `${name}: ${JSON.stringify(value)}`,
          ).toBe(false);
      }
    }
  });

  check("the steps are sentences, and name the address where a person must enter it", () => {
    expect(platform.steps.length).toBeGreaterThan(0);
    for (const step of platform.steps) expect(step).toMatch(/^[A-Z`].*[.:]$/s);
    const isTold = platform.steps.some((step) => step.includes("{address}"));
    if (!platform.register && !["email"].includes(platform.name))
      expect(isTold, "whether a step says {address}").toBe(true);
  });

  check("the capabilities are what its client can do", () => {
    const { client } = openTestChannel(fixture);
    const has = (name: keyof PlatformClient) => client[name] !== undefined;
    expect({ edit: has("edit"), typing: has("typing"), filesOut: has("sendFile"), filesIn: has("fetchFile") }).toEqual({
      edit: capabilities.edit,
      typing: capabilities.typing,
      filesOut: capabilities.filesOut,
      filesIn: capabilities.filesIn,
    });
    if (capabilities.buttons === 0) expect(has("answerPress")).toBe(false);
    if (!capabilities.threads) expect(has("openThread") || has("renameThread")).toBe(false);
    if (capabilities.groups) expect(fixture.lacks.direct === undefined || fixture.lacks.direct.length > 5).toBe(true);
  });

  check("the limits are numbers that a message can be within", () => {
    expect(limits.text).toBeGreaterThanOrEqual(100);
    expect(limits.editEveryMs).toBeGreaterThan(0);
    expect(limits.fileBytes > 0).toBe(capabilities.filesIn || capabilities.filesOut);
    expect(limits.typingMs > 0).toBe(capabilities.typing);
  });

  check("what it lacks is said in sentences", () => {
    for (const reason of Object.values(fixture.lacks)) expect(reason).toMatch(/^[A-Z].{10,}\.$/s);
  });

  check("no secret is in an event, a reply or a failure", async () => {
    const secrets = form
      .filter(({ secret }) => secret)
      .map(({ name }) => fixture.fields[name])
      .filter((value): value is string => typeof value === "string" && value.length >= 6);
    const channel = openTestChannel(fixture);
    const received = await channel.receive(await channel.world.request(say(fixture, "e1")));
    const event = received!.events[0]!;
    const to = { ...event.chat, ...(event.context ? { context: event.context } : {}) };
    const results: unknown[] = [received!.reply, { ...event, context: undefined }];
    for (const answer of [
      () => err("unreachable", "No."),
      () => new Response("<html>", { status: 500 }),
      () => new Response(JSON.stringify({ ok: false, error: "no" }), { status: 401 }),
    ]) {
      channel.setFault(answer);
      results.push(await channel.client.send(to, { text: "12 mm." }), await platform.probe(channel.channel));
    }
    const told = JSON.stringify(results.filter((result) => result !== undefined));
    for (const secret of secrets) expect(told).not.toContain(secret);
  });
}
