// Questions with buttons, decided in the chat and elsewhere.
import { describe, expect, test } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { answer, createDeliveryRig, question, settled } from "../../support/channels/delivery-rig.ts";

describe("a question", () => {
  test("has buttons, of which each means one answer in its own chat", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    expect(rig.calls).toMatchObject([
      { buttons: ["Allow once token1", "Allow for session token2", "Always allow token3", "Deny token4"] },
    ]);
    const press = (token: string, id = "c1") => rig.delivery.press(token, "telegram", { id, kind: "direct" });
    const approval = "a".repeat(20);
    const { session } = question();
    expect(press("token2")).toEqual({
      state: "open",
      means: { does: "approve", session, approval, scope: "session" },
      chat: "c1",
    });
    expect(press("token4")).toMatchObject({ means: { does: "deny", approval } });
    expect(press("token1", "another chat")).toEqual({ state: "over" });
    expect(rig.delivery.press("token1", "slack", { id: "c1", kind: "direct" })).toEqual({ state: "over" });
    expect(press("guessed")).toEqual({ state: "over" });
  });

  test("that was decided elsewhere loses its buttons, and says what was decided", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Allowed once."));
    rig.delivery.take(settled("Allowed once."));
    expect(rig.delivery.press("token1", "telegram", { id: "c1", kind: "direct" })).toEqual({ state: "over" });
    await rig.delivery.sendDue();
    expect(rig.calls.slice(1)).toEqual([{ does: "edit", chat: "c1", id: "m1", text: "May I?\n\nAllowed once." }]);
    expect(rig.sql.run("SELECT body FROM channel_delivery WHERE body IS NOT NULL")).toEqual([]);
  });

  test("that was decided before it could be asked is not asked", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => err("channel_unreachable", "out");
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Allowed once."));
    rig.world.answer = () => ok({ id: "1" });
    rig.delivery.take(answer("Done."));
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["May I?", "Done."]);
    expect(rig.list()).toMatchObject([{ kind: "question", state: "dropped" }, { state: "sent" }]);
  });

  test("is decided while it is being sent, and loses its buttons then", async () => {
    const rig = createDeliveryRig();
    rig.world.answer = () => {
      if (rig.calls.length === 1) rig.delivery.take(settled("Denied."));
      return ok({ id: "m1" });
    };
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    expect(rig.calls).toMatchObject([{ does: "send" }, { does: "edit", id: "m1", text: "May I?\n\nDenied." }]);
  });

  test("that is settled during an outage loses its buttons after it", async () => {
    const rig = createDeliveryRig();
    rig.delivery.take(question());
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Denied."));
    rig.world.answer = () => err("channel_unavailable", "503");
    await rig.delivery.sendDue();
    rig.world.answer = () => ok({ id: "1" });
    rig.clock.advance(5_000);
    await rig.delivery.sendDue();
    expect(rig.calls.map(({ does }) => does)).toEqual(["send", "edit", "edit"]);
    expect(rig.list().at(-1)).toMatchObject({ kind: "settled", state: "sent" });
  });

  test("is asked in words alone where there are no buttons", async () => {
    const rig = createDeliveryRig({ capabilities: { buttons: 0, edit: false } });
    rig.delivery.take(question());
    rig.delivery.take(answer("Done."));
    await rig.delivery.sendDue();
    rig.delivery.take(settled("Allowed."));
    await rig.delivery.sendDue();
    expect(rig.calls).toEqual([
      { does: "send", chat: "c1", text: "May I?" },
      { does: "send", chat: "c1", text: "Done." },
    ]);
  });
});

describe("words of the channel itself", () => {
  test("may have buttons, which are closed when one was pressed", async () => {
    const rig = createDeliveryRig();
    const buttons = [{ label: "Notes", means: { does: "command" as const, text: "/topic notes" } }];
    rig.delivery.say({ id: "w1", chat: "c1", text: "Which topic?", buttons });
    await rig.delivery.sendDue();
    expect(rig.delivery.press("token1", "telegram", { id: "c1", kind: "direct" })).toMatchObject({
      means: { does: "command", text: "/topic notes" },
    });
    rig.delivery.closeButtons("w1", { id: "w1.closed", text: "Notes." });
    rig.delivery.closeButtons("w1", { id: "w1.closed", text: "Notes." });
    await rig.delivery.sendDue();
    expect(rig.texts()).toEqual(["Which topic?", "Which topic?\n\nNotes."]);
    expect(rig.delivery.press("token1", "telegram", { id: "c1", kind: "direct" })).toEqual({ state: "over" });
  });
});
