// `talaria blueprints`, against a fake API.
import { describe, expect, it } from "vitest";
import { findBlueprint } from "../../core/blueprints/catalog/index.ts";
import { toBlueprintInfo } from "../../core/blueprints/fill.ts";
import type { MadeOfBlueprint, Suggestion } from "../../core/schemas/agenda/blueprint.ts";
import { toJobInfo } from "../../core/schemas/agenda/job-api.ts";
import { createJobsBed } from "../jobs/jobs-bed.ts";
import { answerJson } from "../support/fake-api.ts";
import { ask } from "../support/run-talaria.ts";

function info(id: string) {
  const found = findBlueprint(id);
  if (!found.ok) throw new Error(found.failure.message);
  return toBlueprintInfo(found.value);
}
const job = createJobsBed().make("reminder", "every day at 9");
const made = answerJson(201, {
  ...{ kind: "job", blueprint: "reminder", job: toJobInfo(job, job.nextAt) },
} satisfies MadeOfBlueprint);
const id = "0".repeat(16);

describe("talaria blueprints", () => {
  it("lists them, and shows the slots of one", async () => {
    const { stdout } = await ask(["blueprints"], [answerJson(200, { blueprints: [info("reminder")] })]);
    expect(stdout).toMatch(/reminder +a job +Reminds you/);
    const shown = await ask(["blueprints", "show", "news-digest"], [answerJson(200, info("news-digest"))]);
    expect(shown.stdout).toContain("subject: The subject\nsources: Sites to read first (optional)\n");
    expect(shown.stdout).toContain("length: How long (short, medium, long) [short]\n");
  });

  it("asks a person for a slot that is not given", async () => {
    const args = ["blueprints", "use", "reminder", "time=08:00", "days=weekdays", "timeZone=UTC", "deliver=home"];
    const answers = () => [answerJson(200, info("reminder")), made];
    const { requests, stderr } = await ask(args, answers(), { columns: 80, typed: "drink water" });
    const given = '"time":"08:00","days":"weekdays","timeZone":"UTC","deliver":"home"';
    expect(requests[1]).toBe(`POST /v1/blueprints/reminder {"slots":{${given},"about":"drink water"}}`);
    expect(stderr).toContain("about: What to remind you of\n> ");
    expect(stderr).toContain("Made. reminder: every day at 09:00 (UTC). Next run: 2026-01-06 09:00.");
    const empty = await ask(args, answers(), { columns: 80, typed: "" });
    expect([empty.code, empty.requests.length]).toEqual([2, 1]);
    const optional = ["blueprints", "use", "reminder", "about=x", ...args.slice(3, 6)];
    const left = await ask(optional, answers(), { columns: 80, typed: "" });
    expect(left.requests[1]).toBe(
      'POST /v1/blueprints/reminder {"slots":{"about":"x","time":"08:00","days":"weekdays","timeZone":"UTC"}}',
    );
  });

  it("asks a person again for a slot that the server cannot use, and leaves what a command line says", async () => {
    const detail = "The blueprint reminder cannot use the slot about: text. Write it as about=VALUE.";
    const wrong = answerJson(422, {
      ...{ type: "urn:talaria:problem:slots_invalid", title: "Slots", status: 422, code: "slots_invalid", detail },
      ...{ instance: "/", facts: { slot: "about" } },
    });
    const rest = ["time=08:00", "days=weekdays", "timeZone=UTC", "deliver=home"];
    const answers = () => [answerJson(200, info("reminder")), wrong, made];
    const again = await ask(["blueprints", "use", "reminder", ...rest], answers(), {
      ...{ columns: 80, typed: "eight\ndrink water" },
    });
    expect(again.stderr).toContain(`${detail}\nabout: What to remind you of\n> `);
    expect(again.requests[2]).toContain('"about":"drink water"');
    const given = ["blueprints", "use", "reminder", "about=x", ...rest];
    expect(await ask(given, answers(), { columns: 80, typed: "" })).toMatchObject({ code: 3 });
  });

  it("asks nothing of a program", async () => {
    const use = ["blueprints", "use", "reminder", "about=a=b", "--name", "x"];
    const { requests } = await ask(use, [answerJson(200, info("reminder")), made]);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const body = { slots: { about: "a=b", timeZone }, name: "x" };
    expect(requests[1]).toBe(`POST /v1/blueprints/reminder ${JSON.stringify(body)}`);
    const wrong = await ask(["blueprints", "use", "reminder", "about"], [answerJson(200, info("reminder"))]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("Write a slot as NAME=VALUE")]);
  });

  it("shows what is suggested and why, and accepts or dismisses it", async () => {
    const suggestion: Suggestion = {
      ...{
        id,
        blueprint: "routine",
        title: "Do this by itself: Sum up",
        why: "You asked for this on 4 days.",
        slots: {},
      },
      sources: [],
    };
    const { stdout } = await ask(["blueprints", "suggestions"], [answerJson(200, { suggestions: [suggestion] })]);
    expect(stdout).toContain(id);
    expect((await ask(["blueprints", "suggestions"], [answerJson(200, { suggestions: [] })])).stderr).toContain(
      "Nothing is suggested.",
    );
    const accepted = await ask(["blueprints", "accept", id, "time=06:45"], [made]);
    expect(accepted.requests).toEqual([`POST /v1/suggestions/${id}/accept {"slots":{"time":"06:45"}}`]);
    const dismissed = await ask(["blueprints", "dismiss", id], [answerJson(204, null)]);
    expect(dismissed.requests).toEqual([`POST /v1/suggestions/${id}/dismiss`]);
  });
});
