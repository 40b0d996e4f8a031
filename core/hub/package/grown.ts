// What an update adds to what a skill runs and needs, so that a person sees a skill that grows. Pure.
import type { HubCommand, HubGrown, HubReport } from "../../schemas/hub/hub-api.ts";
import type { ImportFinding } from "../../schemas/exchange.ts";
import { isWorse } from "./report.ts";

/**
 * `before`: of the installed package, or of the present files if those cannot be read any more. `isChanged`: whether a file has other bytes than
 * before: another script under a known name is a new one.
 */
export function findGrown(before: HubReport, after: HubReport, isChanged: (path: string) => boolean): HubGrown {
  const added = (field: "allowedTools" | "tools" | "hosts" | "variables" | "credentialFiles" | "dependencies") =>
    after[field].filter((item) => !before[field].includes(item));
  const { verdict } = after;
  return {
    scripts: after.scripts.filter((path) => !before.scripts.includes(path) || isChanged(path)),
    commands: addedBy(before.commands, after.commands, ({ code }: HubCommand) => code),
    allowedTools: added("allowedTools"),
    tools: added("tools"),
    hosts: added("hosts"),
    variables: added("variables"),
    credentialFiles: added("credentialFiles"),
    dependencies: added("dependencies"),
    // A finding that only moved is not new.
    findings: addedBy(
      before.findings,
      after.findings,
      ({ path, pattern, severity }: ImportFinding) => `${path} ${pattern} ${severity}`,
    ),
    ...(isWorse(verdict, before.verdict) && { verdict: { from: before.verdict, to: verdict } }),
  };
}

/** Those of `after` whose key `before` does not have, counting copies. */
function addedBy<Item>(before: Item[], after: Item[], toKey: (item: Item) => string): Item[] {
  const counts = new Map<string, number>();
  for (const item of before) counts.set(toKey(item), (counts.get(toKey(item)) ?? 0) + 1);
  return after.filter((item) => {
    const left = counts.get(toKey(item)) ?? 0;
    if (left > 0) counts.set(toKey(item), left - 1);
    return left === 0;
  });
}
