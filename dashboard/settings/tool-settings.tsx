// Which tools the agent has: each toolset and tool with a switch, and why one is missing. Each switch is saved at once.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Loaded } from "../components/states.tsx";
import { useAction } from "../components/use-action.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { CodeWords } from "./code-words.tsx";
import { type Tool, type ToolList, groupTools, isOff, nameToolset, switchTool } from "./tool-switches.ts";

export function ToolSettings() {
  const tools = useResource("GET /v1/tools", { query: { limit: "1000" } });
  return (
    <>
      <ScopeNote scope="admin" to="switch tools" />
      <Loaded of={tools}>{(list) => <Tools list={list} />}</Loaded>
      <SkillSwitch />
    </>
  );
}

function Tools({ list }: { list: ToolList }) {
  const { isBusy, run } = useAction();
  const [wanted, setWanted] = useState(list.settings);
  // What is being saved is shown at once.
  const settings = isBusy ? wanted : list.settings;
  const put = (body: ToolList["settings"], done: string) => {
    setWanted(body);
    run(() => change("PUT /v1/tools", { body }), `${done} Sessions follow with their next message.`);
  };
  const flip = (name: string, isOn: boolean) =>
    put(switchTool(name, isOn, settings), `${nameToolset(name)} was switched ${isOn ? "on" : "off"}.`);
  const { only, ...rest } = settings;
  return (
    <Section title="Tools">
      {only != null && (
        <div class="note scope-note">
          <p>Only these are offered: {only.join(", ")}.</p>
          {may("admin") && (
            <Button isBusy={isBusy} onClick={() => put(rest, "All tools are offered again.")}>
              Offer all
            </Button>
          )}
        </div>
      )}
      <div class="items">
        {groupTools(list.tools).map(({ toolset, tools: of }) => (
          <div key={toolset}>
            <label class="switch-row">
              <input
                type="checkbox"
                class="switch"
                checked={!isOff(toolset, settings)}
                disabled={!may("admin")}
                onChange={(event) => flip(toolset, event.currentTarget.checked)}
              />
              <span class="setting-label">{nameToolset(toolset)}</span>
            </label>
            <ul class="tool-list" aria-label={`Tools of ${nameToolset(toolset)}`}>
              {of.map((tool) => (
                <ToolRow
                  key={tool.name}
                  tool={tool}
                  isOn={!isOff(tool.name, settings)}
                  isFixed={!may("admin") || isOff(toolset, settings)}
                  flip={(isOn) => flip(tool.name, isOn)}
                />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Section>
  );
}

interface ToolRowProps {
  tool: Tool;
  isOn: boolean;
  isFixed: boolean;
  flip(isOn: boolean): void;
}

function ToolRow({ tool: { name, available, reason }, isOn, isFixed, flip }: ToolRowProps) {
  return (
    <li>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={isFixed}
          onChange={(event) => flip(event.currentTarget.checked)}
        />
        <code>{name}</code>
      </label>
      {!available && (
        <span class="item-facts">
          <Badge tone="warn">Not available</Badge>
          {reason && (
            <span>
              <CodeWords text={reason} />
            </span>
          )}
        </span>
      )}
    </li>
  );
}

function SkillSwitch() {
  const settings = useResource("GET /v1/skill-settings", {});
  const { isBusy, run } = useAction();
  const [wanted, setWanted] = useState(false);
  const put = (inlineShell: boolean) => {
    setWanted(inlineShell);
    const done = inlineShell ? "Skills may run their snippets." : "Skills no longer run their snippets.";
    run(() => change("PUT /v1/skill-settings", { body: { inlineShell } }), done);
  };
  return (
    <Section title="Skills">
      <Loaded of={settings}>
        {({ inlineShell = false }) => (
          <div class="items">
            <div>
              <label class="switch-row">
                <input
                  type="checkbox"
                  class="switch"
                  checked={isBusy ? wanted : inlineShell}
                  disabled={!may("admin")}
                  onChange={(event) => put(event.currentTarget.checked)}
                />
                <span class="setting-label">Snippets in skills run</span>
              </label>
              <p class="field-hint">
                A skill that you load by a slash command runs its inline snippets (<code>!`command`</code>) in the
                session's shell. That holds for every skill, imported ones included. Off by default.
              </p>
            </div>
          </div>
        )}
      </Loaded>
    </Section>
  );
}
