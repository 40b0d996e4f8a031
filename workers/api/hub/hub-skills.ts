// Installed skills of the hub: looked after, updated, pinned and removed. An update is shown first, and applied exactly as it was shown.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { audit, check } from "../../../core/hub/installed/check.ts";
import { pin, uninstall } from "../../../core/hub/installed/install.ts";
import { update } from "../../../core/hub/installed/update.ts";
import {
  AuditHub,
  CheckHub,
  HubAudit,
  HubChecked,
  HubUninstalled,
  HubUpdate,
  InstalledSkill,
  PinHub,
  UpdateHub,
} from "../../../core/schemas/hub/hub-api.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { tryLater } from "../experiments/try-later.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, jsonBody, optionalJsonBody, refuses } from "../router.ts";
import { followPublication } from "../skills/public-skills.ts";
import { SOURCE_REFUSALS } from "./hub.ts";
import { markSwept, openDesk, openReachingDesk } from "./open-desk.ts";

export const hubSkills = createRouter();

const SkillParams = z.object({ name: SkillName });

hubSkills.openapi(
  createRoute({
    method: "post",
    path: "/v1/hub/check",
    operationId: "checkHub",
    description:
      "Asks the sources what became of the installed skills, at most 50 with one request. `gone`: it is no longer there. `moved`: the name of the " +
      "installed version now means another content. `unreachable` says nothing. No skill is changed.",
    request: { body: optionalJsonBody(CheckHub) },
    responses: describeResponses(200, "What was seen, by name", HubChecked),
  }),
  async (c) => c.json(await check(await openReachingDesk(c), c.req.valid("json")), 200),
);

hubSkills.openapi(
  createRoute({
    method: "post",
    path: "/v1/hub/audit",
    operationId: "auditHub",
    description:
      "Scans the installed texts again by the present rules, and compares their files with those that were installed. No source is asked, and no " +
      "skill is changed.",
    request: { body: optionalJsonBody(AuditHub) },
    responses: describeResponses(200, "What was found, by name", HubAudit),
  }),
  async (c) => c.json(await audit(openDesk(c), c.req.valid("json")), 200),
);

hubSkills.openapi(
  createRoute({
    method: "post",
    path: "/v1/hub/skills/{name}/update",
    operationId: "updateHubSkill",
    ...refuses(
      ...SOURCE_REFUSALS,
      ...([
        "hub_not_installed",
        "hub_not_inspected",
        "hub_dangerous",
        "hub_conflict",
        "hub_lock_full",
        "skill_not_found",
        "skill_archived",
      ] as const),
      ...([
        "skill_pinned",
        "skill_changed",
        "skill_withdrawn",
        "skill_exists",
        "skill_deleted",
        "companion_name",
      ] as const),
      ...(["profile_gone", "busy"] as const),
    ),
    description:
      "Without `hash`: shows what an update would change and what it adds, and keeps the package for a day. With the `hash` of that: applies exactly " +
      "what was shown. What was changed here is merged; where both changed the same places, the update is refused, or `keep` moves the text of here " +
      "to a companion. `version` may name an older one.",
    request: { params: SkillParams, body: optionalJsonBody(UpdateHub) },
    responses: describeResponses(200, "The update, shown or applied", HubUpdate),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const updated = unwrap(await update(await openReachingDesk(c), { name, ...c.req.valid("json") }));
    if (updated.outcome === "preview") await markSwept(c);
    if (updated.outcome === "updated") tryLater(c, name, "hub");
    return c.json(updated, 200);
  },
);

hubSkills.openapi(
  createRoute({
    method: "put",
    path: "/v1/hub/skills/{name}/pin",
    operationId: "pinHubSkill",
    ...refuses("hub_not_installed", "profile_gone"),
    description:
      "Pins the skill to a version. No newer one is offered; if it is not the installed one, the next update installs it. `null` ends it. A check still " +
      "says when the pinned version has changed at its source.",
    request: { params: SkillParams, body: jsonBody(PinHub) },
    responses: describeResponses(200, "The installed skill", InstalledSkill),
  }),
  async (c) => {
    const { version } = c.req.valid("json");
    return c.json(unwrap(await pin(openDesk(c), c.req.valid("param").name, version)), 200);
  },
);

hubSkills.openapi(
  createRoute({
    method: "delete",
    path: "/v1/hub/skills/{name}",
    operationId: "uninstallHubSkill",
    ...refuses("hub_not_installed", "skill_not_found", "skill_deleted", "profile_gone", "busy"),
    description:
      "Uninstalls the skill: it is archived, and forgotten by the hub. The archive keeps its texts, also one that was changed here, and what was " +
      "learned of them; `DELETE /v1/skills/{name}` removes these too.",
    request: { params: SkillParams },
    responses: describeResponses(200, "What was removed, and what stays", HubUninstalled),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { head, changedHere } = unwrap(await uninstall(openDesk(c), name));
    await followPublication(c.env, c.var.profile, head);
    const text = changedHere ? "its text as it was changed here" : "its text";
    const kept = `The archive keeps ${text} and what was learned of it. Delete the skill to remove these too.`;
    return c.json({ name, changedHere, kept }, 200);
  },
);
