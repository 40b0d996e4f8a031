// How an import begins over real stores: by whom its archive is signed counts when it is begun again, and a refused archive changes nothing.
import { beforeEach, expect, it } from "vitest";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { ImportInfo } from "../../../core/schemas/moving/manifest.ts";
import { openDeployment } from "../../../wiring/deployment.ts";
import worker from "../../../workers/api/index.ts";
import { START_MS, createProfile, env } from "../api-calls.ts";

let owner: { profile: string; key: string };
beforeEach(async () => void (owner = await createProfile()), START_MS);

/** An archive of one part without anything to bring, signed by another deployment. */
async function sign(at: number) {
  const deployment = await openDeployment({ TALARIA_OPERATOR_TOKEN: "of another deployment" });
  if (!deployment.ok) throw new Error(deployment.failure.message);
  const { id, sign: toSignature } = deployment.value;
  const body = `${JSON.stringify({ in: "session", id: "0".repeat(26), whole: true })}\n`;
  const part = { section: "session", sha256: sha256Hex(body), bytes: body.length, lines: 1 };
  const manifest = JSON.stringify({
    ...{ v: 1, form: "talaria-profile", export: `exp_${"0".repeat(26)}`, deployment: id },
    ...{ profile: "0".repeat(26), at, counts: { session: 1 }, parts: [part] },
  });
  return { part, body, sealed: { manifest, deployment: id, signature: await toSignature(manifest) } };
}

async function call<T>(method: string, path: string, body?: object | string, trusted: string[] = []): Promise<T> {
  const request = new Request(`http://talaria.test${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.key}`,
      "content-type": typeof body === "string" ? "application/octet-stream" : "application/json",
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const settings = JSON.stringify({ moving: { trustedDeployments: trusted } });
  const answer = await worker.fetch(request, { ...env, TALARIA_SETTINGS: settings } as never);
  const text = await answer.text();
  return (text === "" ? null : JSON.parse(text)) as T;
}

it("an import that has written nothing asks again whom the operator trusts", async () => {
  const { sealed } = await sign(1);
  const listed = [sealed.deployment];
  expect(await call<ImportInfo>("POST", "/v1/import", sealed)).toMatchObject({ trusted: false });
  expect(await call<ImportInfo>("POST", "/v1/import", sealed, listed)).toMatchObject({ trusted: true });
  expect(await call<ImportInfo>("GET", "/v1/import")).toMatchObject({ trusted: true, phase: "staged" });
  expect(await call<ImportInfo>("POST", "/v1/import", sealed)).toMatchObject({ trusted: false });
});

it("an archive that is refused leaves the import that is done", async () => {
  const { part, body, sealed } = await sign(1);
  await call("POST", "/v1/import", sealed);
  await call("PUT", `/v1/import/parts/${part.sha256}`, body);
  for (let next: unknown; ;) {
    const step = await call<{ next?: unknown }>("POST", "/v1/import/commit", { from: next });
    ({ next } = step);
    if (!next) break;
  }
  expect(await call("GET", "/v1/import")).toMatchObject({ phase: "done" });
  await call("POST", "/v1/memory", { store: "user", content: "The person lives in Bern." });
  const { sealed: other } = await sign(2);
  expect(await call("POST", "/v1/import", other)).toMatchObject({ code: "profile_not_empty" });
  expect(await call("GET", "/v1/import")).toMatchObject({ phase: "done" });
});
