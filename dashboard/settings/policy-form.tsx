// The form of one policy over tool calls.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { type NamedPolicy, type Policy, readArguments, writeArguments } from "./policy-words.ts";

interface PolicyFormProps {
  /** Absent: a new one. */
  given: NamedPolicy | undefined;
  onClose(): void;
  reload(): Promise<void>;
}

const DECISIONS: Record<Policy["hook"], { decision: Policy["decision"]; name: string }[]> = {
  pre_tool_call: [
    { decision: "deny", name: "Deny: it never runs" },
    { decision: "ask", name: "Ask a person, in every mode" },
    { decision: "allow", name: "Allow without a question" },
  ],
  post_tool_call: [
    { decision: "deny", name: "Withhold the result from the model" },
    { decision: "allow", name: "Let the model read the result" },
  ],
};

export function PolicyForm({ given, onClose, reload }: PolicyFormProps) {
  const old = given?.policy;
  const [id, setId] = useState(given?.id ?? "");
  const [hook, setHook] = useState<Policy["hook"]>(old?.hook ?? "pre_tool_call");
  const [tool, setTool] = useState(old?.tool ?? "");
  const [args, setArgs] = useState(writeArguments(old?.arguments));
  const [result, setResult] = useState(old?.result ?? "");
  const [decision, setDecision] = useState<Policy["decision"]>(old?.decision ?? "deny");
  const [reason, setReason] = useState(old?.reason ?? "");

  const chooseHook = (chosen: Policy["hook"]) => {
    setHook(chosen);
    if (!DECISIONS[chosen].some((one) => one.decision === decision)) setDecision("deny");
  };
  async function save(): Promise<void> {
    const patterns = readArguments(args);
    await call("PUT /v1/policies/{policy}", {
      params: { policy: id.trim() },
      body: {
        hook,
        tool: tool.trim(),
        decision,
        ...(Object.keys(patterns).length > 0 && { arguments: patterns }),
        ...(hook === "post_tool_call" && result !== "" && { result }),
        ...(reason.trim() !== "" && { reason: reason.trim() }),
      },
    });
    toast("The policy was saved. Sessions follow with their next message.");
    void reload();
  }
  return (
    <FormDialog
      title={given ? `Edit the policy ${given.id}` : "Add a policy"}
      action="Save"
      run={save}
      onClose={onClose}
    >
      {!given && (
        <TextField label="Name" hint="Lower-case words joined by hyphens, such as: no-deploy." value={id} set={setId} />
      )}
      <Field label="When">
        {(props) => (
          <select {...props} value={hook} onChange={(event) => chooseHook(event.currentTarget.value as Policy["hook"])}>
            <option value="pre_tool_call">Before a call</option>
            <option value="post_tool_call">After a call</option>
          </select>
        )}
      </Field>
      <TextField label="Tool" hint="Its name. * stands for any characters, ? for one." value={tool} set={setTool} />
      <Field
        label="Arguments"
        hint="One a line, such as: path = deploy/*. All must match; * as a name is any argument."
      >
        {(props) => (
          <textarea
            {...props}
            rows={3}
            spellcheck={false}
            value={args}
            onInput={(event) => setArgs(event.currentTarget.value)}
          />
        )}
      </Field>
      {hook === "post_tool_call" && (
        <TextField label="Result" hint="A pattern for the result as JSON. Empty: any." value={result} set={setResult} />
      )}
      <Field label="Decision">
        {(props) => (
          <select
            {...props}
            value={decision}
            onChange={(event) => setDecision(event.currentTarget.value as Policy["decision"])}
          >
            {DECISIONS[hook].map((one) => (
              <option key={one.decision} value={one.decision}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField label="Reason" hint="What the model and the person read." value={reason} set={setReason} />
    </FormDialog>
  );
}

interface TextFieldProps {
  label: string;
  hint: string;
  value: string;
  set(value: string): void;
}

function TextField({ label, hint, value, set }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <input
          {...props}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
