// What the deployment says of the parts that it has sent, so that it signs a manifest of its own parts only, and of all of them: each
// receipt has a MAC and names the places before and after its part. Called by export.ts. Nothing of an export is stored here.
import { type Result, err, ok } from "../../../core/errors.ts";
import { fromBase64, toBase64 } from "../../../core/schemas/base64.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { type ExportPlace, ExportPlace as ExportPlaceForm } from "../../../core/schemas/moving/lines.ts";
import { type Manifest, MANIFEST_VERSION, PartReceipt } from "../../../core/schemas/moving/manifest.ts";
import type { Deployment } from "../../../wiring/deployment.ts";
import type { ExportedPart } from "./export-page.ts";

const utf8 = new TextEncoder();

/** A place as text for a query: Base64 of its JSON, with the letters of base64url. */
export function formatPlace(place: ExportPlace | null): string {
  if (place === null) return "";
  return toBase64(utf8.encode(JSON.stringify(place)))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/** `null` for a text that is not a place. */
export function parsePlace(text: string): ExportPlace | null {
  try {
    const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
    return ExportPlaceForm.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data ?? null;
  } catch {
    return null; // not Base64, or not JSON
  }
}

export async function signReceipt(
  deployment: Deployment,
  part: ExportedPart,
  { body, from, export: id, profile }: { body: string; from: string } & Pick<PartReceipt, "export" | "profile">,
): Promise<string> {
  const bytes = utf8.encode(body);
  const receipt: PartReceipt = {
    ...{ section: part.section, sha256: sha256Hex(bytes), bytes: bytes.length, lines: part.lines.length },
    ...{ export: id, profile, from, to: formatPlace(part.next) },
  };
  const text = toBase64(utf8.encode(JSON.stringify(receipt)));
  return `${text}.${await deployment.mac(text)}`;
}

/** The manifest of a whole export. Failure: `export_incomplete`, if parts are foreign, missing or in another order. */
export async function toManifest(
  deployment: Deployment,
  receipts: string[],
  of: Pick<Manifest, "export" | "profile" | "at">,
): Promise<Result<Manifest>> {
  const parts: Manifest["parts"] = [];
  const counts: Manifest["counts"] = {};
  let at = "";
  for (const [index, text] of receipts.entries()) {
    const receipt = await readReceipt(deployment, text);
    const isOurs = receipt?.export === of.export && receipt.profile === of.profile;
    if (!receipt || !isOurs || receipt.from !== at || (at === "" && index > 0)) return incomplete(index);
    at = receipt.to;
    const { section, sha256, bytes, lines } = receipt;
    if (lines === 0) continue;
    parts.push({ section, sha256, bytes, lines });
    counts[section] = (counts[section] ?? 0) + lines;
  }
  if (at !== "") return incomplete(receipts.length);
  const manifest = { v: MANIFEST_VERSION, form: "talaria-profile", deployment: deployment.id } as const;
  return ok({ ...manifest, ...of, counts, parts });
}

async function readReceipt(deployment: Deployment, text: string): Promise<PartReceipt | null> {
  const [body = "", mac = ""] = text.split(".");
  if (!(await deployment.isMac(body, mac))) return null;
  return PartReceipt.parse(JSON.parse(new TextDecoder().decode(fromBase64(body))));
}

function incomplete(part: number) {
  const detail = `Part ${part + 1} of the export is missing, or is not one that this deployment has sent. Begin the export again.`;
  return err("export_incomplete", detail, { part });
}
