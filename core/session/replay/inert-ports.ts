// Ports that reach nothing. A replay has them where their presence decides which tools are offered: the tools are there, as they were, and
// their calls are answered from the recording. Should one run all the same, it fails. Made by replay-host.ts.
import type { Tool } from "../../agent/contract.ts";
import type { MemoryProvider } from "../../memory/provider.ts";
import type { MemoryStore } from "../../ports.ts";
import type { WebPorts } from "../../tools/web/web.ts";

/** Every method rejects. `what`: its name, for the error. */
export function toInert<Port extends object>(what: string): Port {
  const refuse = () => Promise.reject(new Error(`${what}: nothing outside is reached in a repetition of earlier work`));
  // An object with `then` would be taken for a promise.
  return new Proxy({}, { get: (_, name) => (name === "then" ? undefined : refuse) }) as Port;
}

/** The search service's own functions only describe requests. */
export function toInertWeb({ search, browser }: WebPorts): WebPorts {
  return {
    outbound: toInert("the web"),
    search,
    ...(browser && { browser: toInert<NonNullable<WebPorts["browser"]>>("the browser") }),
  };
}

/** What it holds can be read. */
export function toReadOnlyMemory(store: MemoryStore): MemoryStore {
  return {
    ...toInertMethods("memory", ["add", "remove", "purge", "sweep"]),
    list: (name) => store.list(name),
    removed: (name) => store.removed(name),
    survey: (name) => store.survey(name),
    textOf: (name, id) => store.textOf(name, id),
  };
}

/** With its tools, none of which runs. */
export function toInertProvider(provider: MemoryProvider): MemoryProvider {
  return {
    ...toInertMethods("the memory provider", ["prefetch", "sync", "preCompaction", "onWrite", "eraseProfile"]),
    name: provider.name,
    tools: () => provider.tools().map(toInertTool),
  };
}

function toInertTool(tool: Tool): Tool {
  return { ...tool, run: () => Promise.reject(new Error(`${tool.name} does not run in a repetition of earlier work`)) };
}

function toInertMethods<Name extends string>(what: string, names: Name[]): Record<Name, () => Promise<never>> {
  const port = toInert<Record<Name, () => Promise<never>>>(what);
  return Object.fromEntries(names.map((name) => [name, port[name]])) as Record<Name, () => Promise<never>>;
}
