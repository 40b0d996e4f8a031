// Publishing a skill as a pull request to a tap on GitHub. The dialog says what leaves before anything does, and where it went afterwards.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { ErrorNote, Loaded } from "../components/states.tsx";
import { useAttempt } from "../components/use-attempt.ts";
import { type Answer, call } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";

type Published = Answer<"POST /v1/hub/publish">;

export function PublishToTap({ name, onClose }: { name: string; onClose(): void }) {
  const list = useResource("GET /v1/hub/taps", { query: { limit: "50" } });
  const [published, setPublished] = useState<Published>();
  return (
    <Dialog title={`Publish ${name} to a tap?`} onClose={onClose}>
      {published ? (
        <Outcome published={published} onClose={onClose} />
      ) : (
        <Loaded of={list}>
          {({ taps, githubToken }) => {
            const names = taps.filter(({ source }) => source === "github").map(({ tap }) => tap);
            if (names.length > 0 && githubToken !== null)
              return <Form {...{ name, taps: names, onClose }} onDone={setPublished} />;
            return (
              <p>
                It needs a tap on GitHub and a token. <a href={hrefOf("hub", "taps")}>Set both under Taps</a>
              </p>
            );
          }}
        </Loaded>
      )}
    </Dialog>
  );
}

interface FormProps {
  name: string;
  taps: string[];
  onClose(): void;
  onDone(published: Published): void;
}

function Form({ name, taps, onClose, onDone }: FormProps) {
  const [tap, setTap] = useState(taps[0]!);
  const [message, setMessage] = useState("");
  const attempt = useAttempt();
  const body = { skill: name, tap, ...(message.trim() !== "" && { message: message.trim() }) };
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => onDone(await call("POST /v1/hub/publish", { body })));
  };
  return (
    <form class="form" onSubmit={submit}>
      <p>Its files are offered in a pull request, for everybody who can read the repository. Evidence stays here.</p>
      <Field label="Tap">
        {(props) => (
          <select {...props} value={tap} onChange={(event) => setTap(event.currentTarget.value)}>
            {taps.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Message" hint="Said in the pull request, if you like.">
        {(props) => (
          <textarea
            {...props}
            rows={3}
            maxLength={2_000}
            value={message}
            onInput={(event) => setMessage(event.currentTarget.value)}
          />
        )}
      </Field>
      {attempt.error !== undefined && <ErrorNote error={attempt.error} />}
      <div class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" isBusy={attempt.isBusy}>
          Open a pull request
        </Button>
      </div>
    </form>
  );
}

function Outcome({ published: { pull, repository, warnings }, onClose }: { published: Published; onClose(): void }) {
  const isAddress = pull !== null && /^https?:\/\//.test(pull.url);
  return (
    <>
      {pull === null ? (
        <p>{showHidden(repository)} has exactly these files already.</p>
      ) : (
        <p>
          {isAddress ? (
            <a href={pull.url} target="_blank" rel="noopener noreferrer">
              Pull request {pull.number}
            </a>
          ) : (
            `Pull request ${pull.number}`
          )}{" "}
          of {showHidden(repository)} is {pull.state}.
        </p>
      )}
      {warnings.length > 0 && (
        <ul class="bullets">
          {warnings.map((warning) => (
            <li key={warning}>{showHidden(warning)}</li>
          ))}
        </ul>
      )}
      <div class="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}
