// What a package needs and what it runs, and what the scanner says of it. Shown before a package is installed. Pure: nothing of the package is
// run, and no address in it is opened.
import type { HubReport } from "../../schemas/hub/hub-api.ts";
import type { HubVerdict } from "../../schemas/hub/lock.ts";
import { textOrEmpty, toBytes } from "../../schemas/file-body.ts";
import { conditionsOf } from "../../skills/format/conditions.ts";
import { contractOf } from "../../skills/format/contract.ts";
import { SKILL_MD, parseSkill } from "../../skills/format/format.ts";
import { traitsOf } from "../../skills/format/traits.ts";
import { type FileFinding, toShownFindings } from "../../skills/scanner/finding.ts";
import { describeUnscanned, scanPackage } from "../../skills/scanner/scan-package.ts";
import { SCANNER_VERSION } from "../../skills/scanner/scanner.ts";
import type { HubCandidate } from "./candidate.ts";
import { findHosts, findVariables } from "./reach.ts";
import { findCommands, findScripts } from "./run-parts.ts";

/** [own] Commands, hosts or variables that a report lists. */
const MAX_LISTED = 300;

/** `broken`: scripts that do not parse, in sentences. */
export function makeReport(candidate: HubCandidate, broken: string[] = []): HubReport {
  const { name, description, category, files, warnings } = candidate;
  const text = textOrEmpty(files[SKILL_MD]);
  const conditions = conditionsOf(text);
  const contract = contractOf(text);
  const scanned = scanPackage(files);
  const unscanned = describeUnscanned(scanned);
  const commands = findCommands(files);
  const hosts = unique([...(contract?.hosts ?? []), ...findHosts(files)]);
  const variables = unique([...(conditions?.variables ?? []), ...findVariables(files)]);
  const isCut = [commands, hosts, variables].some(({ length }) => length > MAX_LISTED);
  const unseen = isCut ? [`It has more than ${MAX_LISTED} commands, hosts or variables: not all are listed.`] : [];
  const sizes = Object.keys(files)
    .sort()
    .map((path) => [path, toBytes(files[path]!).length] as const);
  return {
    ...{ name, description, category, files: Object.fromEntries(sizes) },
    scripts: findScripts(files),
    commands: commands.slice(0, MAX_LISTED),
    allowedTools: allowedToolsOf(text),
    tools: unique([...Object.keys(contract?.tools ?? {}), ...(conditions?.requiresTools ?? [])]),
    hosts: hosts.slice(0, MAX_LISTED),
    variables: variables.slice(0, MAX_LISTED),
    credentialFiles: unique(conditions?.files ?? []),
    dependencies: traitsOf(text).dependencies,
    ...(conditions && { conditions }),
    // Hostile text may hide where there is too much to scan, or to list.
    verdict: worseOf(verdictOf(scanned.findings), unscanned || isCut ? "caution" : "safe"),
    scanner: SCANNER_VERSION,
    findings: toShownFindings(bySeverity(scanned.findings)),
    warnings: [...warnings, ...(unscanned ? [unscanned] : []), ...unseen, ...broken],
  };
}

/** The worst finding decides. */
export function verdictOf(findings: readonly Pick<FileFinding, "severity">[]): HubVerdict {
  if (findings.some(({ severity }) => severity === "critical")) return "dangerous";
  return findings.some(({ severity }) => severity === "high") ? "caution" : "safe";
}

const VERDICTS: readonly HubVerdict[] = ["safe", "caution", "dangerous"];

export function isWorse(verdict: HubVerdict, than: HubVerdict): boolean {
  return VERDICTS.indexOf(verdict) > VERDICTS.indexOf(than);
}

function worseOf(a: HubVerdict, b: HubVerdict): HubVerdict {
  return isWorse(a, b) ? a : b;
}

const SEVERITIES = ["critical", "high", "medium", "low"];

/** The worst first, so that a report that is cut shows them. */
function bySeverity(findings: FileFinding[]): FileFinding[] {
  return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

const MAX_ALLOWED_TOOLS = 50;
const MAX_FIELD_CHARS = 4_000;

/** `allowed-tools` of the Agent Skills standard: `Bash(git:*) Read`, with commas or as a list. */
function allowedToolsOf(skillMd: string): string[] {
  const parsed = parseSkill(skillMd, { fallbackName: "unnamed" });
  if (!parsed.ok) return [];
  const field = parsed.value.meta["allowed-tools"] ?? parsed.value.meta.allowed_tools;
  const texts = (Array.isArray(field) ? (field as unknown[]) : [field]).filter((item) => typeof item === "string");
  const whole = texts.join(" ").slice(0, MAX_FIELD_CHARS);
  return unique(whole.match(/[\w.:*-]+(?:\([^()]{0,200}\))?/g) ?? []).slice(0, MAX_ALLOWED_TOOLS);
}

function unique(items: string[]): string[] {
  return [...new Set(items)];
}
