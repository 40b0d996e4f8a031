// How a scenario of the conformance suite is judged by its checks.
import { describe, expect, it } from "vitest";
import { judge } from "../../scripts/conformance/run-suite.ts";

const check = (status: string, id = "a-check") => ({ id, status });

describe("judge", () => {
  it("passes a scenario whose checks succeeded", () => {
    expect(judge("tools-list", [check("SUCCESS"), check("INFO")])).toEqual({
      ...{ scenario: "tools-list", outcome: "passed", checks: 1, reasons: [] },
    });
  });

  it("fails a scenario for one failure or warning, and for no success at all", () => {
    for (const status of ["FAILURE", "WARNING"])
      expect(judge("tools-list", [check("SUCCESS"), check(status)]).outcome).toBe("failed");
    expect(judge("tools-list", [check("SKIPPED")])).toMatchObject({
      outcome: "failed",
      reasons: ["no check succeeded"],
    });
  });

  it("claims every scenario that no rule excludes, also unknown ones", () => {
    expect(judge("something-new", [check("FAILURE")]).outcome).toBe("failed");
    expect(judge("tools-call-image", [check("FAILURE")])).toMatchObject({
      outcome: "skipped",
      reasons: [expect.stringContaining("test server")],
    });
  });

  it("leaves out single checks that need the suite's test server", () => {
    const checks = [check("SUCCESS"), check("FAILURE", "sep-2575-missing-capability-http-400")];
    expect(judge("server-stateless", checks).outcome).toBe("passed");
    expect(judge("tools-list", checks).outcome).toBe("passed");
    expect(
      judge("server-stateless", [...checks, check("FAILURE", "sep-2575-server-sends-subscription-ack")]),
    ).toMatchObject({ outcome: "failed", reasons: [expect.stringContaining("subscription-ack")] });
  });
});
