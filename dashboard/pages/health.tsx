// Health: the version, a check-up of every part of the server, and the profile as a whole.
import { signal } from "@preact/signals";
import { CheckLines } from "../health/check-lines.tsx";
import { countLines } from "../health/check-words.ts";
import { TrainingData } from "../health/training-data.tsx";
import { WholeProfile } from "../health/whole-profile.tsx";
import { Button } from "../components/button.tsx";
import { Facts } from "../components/facts.tsx";
import { formatDuration, formatMoney, formatNumber } from "../components/numbers.ts";
import { Page as Frame, Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, ErrorNote, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { type Answer, call } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { may, signIn } from "../data/sign-in.ts";
import "../styles/admin.css";

/** The last check-up: it costs model calls, so it stays while the reader looks at other pages. `profile`: whose it is. */
const checkUp = signal<{
  profile: string;
  isRunning: boolean;
  report?: Answer<"POST /v1/doctor">;
  error?: unknown;
} | null>(null);

async function runCheckUp(profile: string): Promise<void> {
  const before = checkUp.value?.profile === profile ? checkUp.value : null;
  checkUp.value = { profile, isRunning: true, ...(before?.report && { report: before.report }) };
  try {
    checkUp.value = { profile, isRunning: false, report: await call("POST /v1/doctor") };
  } catch (error) {
    checkUp.value = { ...checkUp.value, isRunning: false, error };
  }
}

export function Page() {
  const health = useResource("GET /health", {});
  const who = signIn.value;
  const profile = who.state === "in" ? who.profile : "";
  return (
    <Frame title="Health" lead="Whether every part of this server works, by using each once.">
      <Loaded of={health}>
        {({ version, model }) => (
          <Facts
            facts={{
              Version: version,
              Model: model,
              Profile: <code>{profile}</code>,
              API: (
                <>
                  <a href="/docs">Description of the API</a> · <a href="/openapi.json">OpenAPI</a>
                </>
              ),
            }}
          />
        )}
      </Loaded>
      <ScopeNote scope="admin" to="run a check-up, and to export, import or delete the profile" />
      {may("admin") && (
        <>
          <CheckUp profile={profile} />
          <TrainingData />
          <WholeProfile profile={profile} />
        </>
      )}
    </Frame>
  );
}

function CheckUp({ profile }: { profile: string }) {
  const state = checkUp.value?.profile === profile ? checkUp.value : null;
  const { report, error, isRunning = false } = state ?? {};
  const run = () => void runCheckUp(profile);
  return (
    <Section
      title="Check-up"
      actions={
        report && (
          <Button isBusy={isRunning} onClick={run}>
            Run again
          </Button>
        )
      }
    >
      {error !== undefined && <ErrorNote error={error} />}
      {report ? (
        <div class="stack">
          <p class="muted" role="status">
            {countLines(report.lines)}. <Time at={report.at} isExact />, in {formatDuration(report.ms)}, with{" "}
            {formatNumber(report.spent.modelCalls)} model calls for {formatMoney(report.spent.usd)}.
          </p>
          <CheckLines label="Check-up" lines={report.lines} />
        </div>
      ) : (
        <Empty icon="health" title="No check-up in this tab yet">
          <p>It takes up to 30 seconds, and at most 12 short model calls.</p>
          <Button kind="primary" isBusy={isRunning} onClick={run}>
            Run the check-up
          </Button>
        </Empty>
      )}
    </Section>
  );
}
