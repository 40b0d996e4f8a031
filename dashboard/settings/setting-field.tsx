// One setting of the form: its control, what it is for, and whether it is the default.
import { useId } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { may } from "../data/sign-in.ts";
import { CodeWords } from "./code-words.tsx";
import {
  type Draft,
  type Info,
  controlOf,
  describeAllowed,
  describeValue,
  isChanged,
  labelOf,
  shownOf,
  unitOf,
} from "./settings-form.ts";

interface SettingFieldProps {
  name: string;
  info: Info;
  draft: Draft | undefined;
  error: string | undefined;
  enter(draft: Draft): void;
}

/** Each description of such a setting already says what 0 means. */
const ZERO_RULE = ", where 0 is no limit";

export function SettingField({ name, info, draft, error, enter }: SettingFieldProps) {
  const id = useId();
  const isUnsaved = draft !== undefined && isChanged(name, info, draft);
  const isOwn = draft === undefined || !isUnsaved ? info.own !== null : draft !== null;
  const unit = controlOf(info) === "number" ? unitOf(name).name : "";
  const allowed = controlOf(info) === "number" ? describeAllowed(name, info).replace(ZERO_RULE, "") : "";
  const isCut = info.own !== null && JSON.stringify(info.own) !== JSON.stringify(info.value);
  return (
    <div class="setting">
      <div class="setting-words">
        <p class="item-facts">
          {controlOf(info) === "list" ? (
            <span class="setting-label">{labelOf(name)}</span>
          ) : (
            <label for={id} class="setting-label">
              {labelOf(name)}
              {unit && <span class="muted"> ({unit})</span>}
            </label>
          )}
          {isUnsaved ? <Badge tone="warn">Not saved</Badge> : isOwn && <Badge tone="accent">Changed</Badge>}
        </p>
        <p class="field-hint" id={`${id}-hint`}>
          <CodeWords text={info.about} /> {allowed && `Allowed: ${allowed}.`}
        </p>
        {isCut && (
          <p class="field-hint">In force: {describeValue(name, info.value)}, since the operator allows no more.</p>
        )}
      </div>
      <div class="setting-control">
        <Control id={id} name={name} info={info} draft={draft} error={error} enter={enter} />
        {error !== undefined && (
          <p class="field-error" id={`${id}-error`}>
            {error}
          </p>
        )}
        {/* Of a choice the first one is the default. */}
        {(isOwn || controlOf(info) !== "choice") && (
          <p class="field-hint">
            Default: {describeValue(name, info.operator)}
            {isOwn && may("write") && (
              <Button kind="quiet" class="reset" onClick={() => enter(null)}>
                Reset<span class="visually-hidden"> {labelOf(name)}</span>
              </Button>
            )}
          </p>
        )}
      </div>
    </div>
  );
}

function Control({ id, name, info, draft, error, enter }: SettingFieldProps & { id: string }) {
  const shown = shownOf(name, info, draft);
  const props = {
    id,
    disabled: !may("write"),
    "aria-describedby": error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`,
    "aria-invalid": error !== undefined || undefined,
  };
  switch (controlOf(info)) {
    case "switch":
      return (
        <input
          {...props}
          type="checkbox"
          class="switch"
          // One value only: the operator has decided.
          disabled={props.disabled || info.allowed.oneOf?.length === 1}
          checked={shown === true}
          onChange={(event) => enter(event.currentTarget.checked)}
        />
      );
    case "list":
      return (
        <ListControl
          disabled={props.disabled}
          info={info}
          shown={shown as string[]}
          enter={enter}
          label={labelOf(name)}
        />
      );
    case "number":
      return (
        <input
          {...props}
          class="input"
          inputMode="decimal"
          autocomplete="off"
          value={String(shown)}
          onInput={(event) => enter(event.currentTarget.value)}
        />
      );
    case "choice":
      return (
        <select {...props} class="input" value={String(shown)} onChange={(event) => enter(event.currentTarget.value)}>
          <option value="">Default ({describeValue(name, info.operator)})</option>
          {(info.allowed.oneOf as string[]).map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      );
  }
}

interface ListControlProps {
  disabled: boolean;
  info: Info;
  shown: string[];
  label: string;
  enter(draft: Draft): void;
}

function ListControl({ disabled, info, shown, label, enter }: ListControlProps) {
  const { oneOf = [], always = [] } = info.allowed;
  return (
    <div class="choices" role="group" aria-label={label}>
      {(oneOf as string[]).map((item) => (
        <label key={item} class="choice">
          <input
            type="checkbox"
            disabled={disabled || always.includes(item)}
            checked={shown.includes(item)}
            onChange={(event) =>
              enter(event.currentTarget.checked ? [...shown, item] : shown.filter((other) => other !== item))
            }
          />
          {item.replaceAll("_", " ")}
        </label>
      ))}
    </div>
  );
}
