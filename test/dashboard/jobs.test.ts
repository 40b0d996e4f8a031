// The pure parts of the page's jobs: states and outcomes in words, times in zones, the form and the slots of a blueprint.
import { describe, expect, it } from "vitest";
import { BLUEPRINTS } from "../../core/blueprints/catalog/index.ts";
import { fillBlueprint, toBlueprintInfo } from "../../core/blueprints/fill.ts";
import { ChangeJob, CreateJob, JobOutcome } from "../../core/schemas/agenda/job.ts";
import { toFields, toNewJob, toPatch } from "../../dashboard/jobs/job-fields.ts";
import {
  type Job,
  describeLast,
  describeRun,
  describeState,
  formatInZone,
  fromTargetText,
  toTargetText,
} from "../../dashboard/jobs/job-words.ts";
import { type Blueprint, readLimits, toSlots, toTexts } from "../../dashboard/jobs/slots.ts";

const JOB: Job = {
  ...{ id: "j000000000000", name: "brief", schedule: "every 2h", timeZone: "UTC", prompt: "Say hi." },
  ...{ understood: "every 2 hours", author: { by: "owner" }, createdAt: 1, changedAt: 1, nextAt: 5, paused: null },
  ...{ finishedAt: null, failures: 0, retry: null, ran: 0, due: 5, running: null },
};

describe("a job in words", () => {
  it("has a state, and says how its last runs went", () => {
    expect(describeState(JOB).name).toBe("Waiting");
    expect(describeState({ ...JOB, running: "r1" }).name).toBe("Running");
    const paused = { cause: "failures", why: "", at: 1 } as const;
    expect(describeState({ ...JOB, paused })).toEqual({ name: "Paused", tone: "bad" });
    expect(describeLast({ failures: 0, ran: 0 })).toBeNull();
    expect(describeLast({ failures: 2, ran: 9 })?.name).toBe("Failed 2 times in a row");
    expect(describeLast({ failures: 0, ran: 9 })?.tone).toBe("good");
  });

  it("has words for each outcome of a run", () => {
    for (const outcome of JobOutcome.options) expect(describeRun({ state: "completed", outcome }).name).not.toBe("");
    expect(describeRun({ state: "running", outcome: null }).name).toBe("Running");
  });

  it("shows a time in its own zone, and in UTC where the browser does not know the zone", () => {
    const at = Date.UTC(2026, 11, 24, 17, 0);
    expect(formatInZone(at, "Asia/Tokyo")).toMatch(/Dec 25, 2026, 2:00\sAM Asia\/Tokyo/);
    expect(formatInZone(at, "Moon/Base")).toMatch(/UTC$/);
  });

  it("says where its answer goes in a text that is read back as it was", () => {
    const targets = [
      null,
      { to: "home" },
      { to: "home", platform: "slack" },
      { to: "chat", chat: "a:b" },
      { to: "hooks" },
    ];
    for (const target of targets as Job["deliver"][]) expect(fromTargetText(toTargetText(target))).toEqual(target);
  });
});

describe("the form of a job", () => {
  it("makes a body that the API takes", () => {
    const fields = { ...toFields(undefined, "Europe/Berlin"), name: "brief", schedule: "every 2h", prompt: "Say hi." };
    expect(CreateJob.parse(toNewJob(fields))).toMatchObject({ timeZone: "Europe/Berlin", deliver: null, gate: null });
    const full = {
      ...{ ...fields, skills: "a, b", contextFrom: "other", deliver: "home:slack", gateUrl: "https://example.com" },
      ...{ gateCommand: "cat page", repeat: "3", pauseAfter: "2", maxTokens: "5000" },
    };
    expect(CreateJob.parse(toNewJob(full))).toMatchObject({
      ...{ skills: ["a", "b"], contextFrom: ["other"], deliver: { to: "home", platform: "slack" }, repeat: 3 },
      ...{ gate: { url: "https://example.com", command: "cat page" }, failure: { pauseAfter: 2 }, maxTokens: 5000 },
    });
  });

  it("sends only what was changed, so that the schedule does not begin anew", () => {
    const before = toFields(JOB, "UTC");
    expect(toPatch(JOB, before, before)).toEqual({});
    const patch = toPatch(JOB, before, { ...before, prompt: "Say bye.", repeat: "4", deliver: "hooks" });
    expect(patch).toEqual({ prompt: "Say bye.", repeat: 4, deliver: { to: "hooks" } });
    expect(ChangeJob.parse(patch)).toEqual(patch);
    const limited = { ...JOB, repeat: 4 };
    expect(toPatch(limited, toFields(limited, "UTC"), before)).toEqual({ repeat: null });
  });
});

describe("the form of a blueprint", () => {
  const infos = BLUEPRINTS.map((blueprint) => toBlueprintInfo(blueprint) as Blueprint);

  it("fills each blueprint of the catalog from its texts", () => {
    for (const blueprint of BLUEPRINTS) {
      const info = infos.find(({ id }) => id === blueprint.id)!;
      const texts = toTexts(info, {}, "Europe/Berlin");
      const samples = { url: "https://example.com", number: "5" } as Record<string, string>;
      for (const { name, type, required } of info.slots) if (required) texts[name] ||= samples[type] ?? "something";
      expect([info.id, fillBlueprint(blueprint, toSlots(info, texts)).ok]).toEqual([info.id, true]);
    }
  });

  it("proposes the reader's zone, takes over what is suggested, and leaves out what is empty", () => {
    const info = infos.find(({ id }) => id === "morning-brief")!;
    const texts = toTexts(info, { topics: "SQLite" }, "Asia/Tokyo");
    expect(texts).toMatchObject({ topics: "SQLite", timeZone: "Asia/Tokyo", lines: "8" });
    expect(toSlots(info, { ...texts, days: " " })).toEqual({
      ...{ topics: "SQLite", lines: 8, time: "07:30", timeZone: "Asia/Tokyo", deliver: "none" },
    });
    expect(readLimits(info, "lines")).toEqual({ min: 3, max: 40 });
  });
});
