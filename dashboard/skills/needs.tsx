// What a skill needs to be used: settings, tools, hosts, other packages. In words, for its page and for an import.
import { Facts } from "../components/facts.tsx";
import type { Answer } from "../data/api.ts";

type Preview = Answer<"POST /v1/skills/import/preview">;

interface NeedsProps {
  conditions: Preview["conditions"];
  contract: Preview["contract"];
  dependencies: string[];
}

export function Needs({ conditions = {}, contract, dependencies }: NeedsProps) {
  const tools = Object.entries(contract?.tools ?? {}).map(([tool, print]) => (print ? `${tool} (${print})` : tool));
  const needs: [what: string, items: string[] | undefined][] = [
    ["Settings", conditions.variables],
    ["Credential files", conditions.files],
    ["Platforms", conditions.platforms],
    ["Environments", conditions.environments],
    ["Tools that must be there", conditions.requiresTools],
    ["Groups of tools that must be there", conditions.requiresToolsets],
    ["Only without the tools", conditions.fallbackForTools],
    ["Only without the groups of tools", conditions.fallbackForToolsets],
    ["Channels", conditions.channels],
    ["Written for the tools", tools],
    ["Written for the hosts", contract?.hosts],
    ["Written for the formats", contract?.formats],
    ["Depends on", dependencies],
  ];
  const present = needs.filter(([, items]) => (items?.length ?? 0) > 0);
  if (present.length === 0) return null;
  return (
    <section aria-label="What it needs">
      <h3>What it needs</h3>
      <Facts facts={Object.fromEntries(present.map(([what, items]) => [what, items!.join(", ")]))} />
    </section>
  );
}
