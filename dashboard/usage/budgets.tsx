// What may still be spent: each limit that is in force, with what is spent of it and when it begins again.
import { Meter } from "../components/meter.tsx";
import { formatMoney, formatNumber } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Failure } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useResource } from "../data/resource.ts";
import { signIn } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type BudgetLine, dayOf, listBudgets } from "./usage-series.ts";

export function Budgets({ now }: { now: number }) {
  const { value: who } = signIn;
  const profile = who.state === "in" ? who.profile : "";
  const today = dayOf(now);
  const settings = useResource("GET /v1/settings", {});
  const quota = useResource("GET /v1/profiles/{profile}/quota", { params: { profile } });
  const ofDay = useResource("GET /v1/usage", { query: { from: today, to: today } });
  const ofMonth = useResource("GET /v1/usage", { query: { from: `${today.slice(0, 7)}-01`, to: today } });
  const failed = [settings, quota, ofDay, ofMonth].find(({ error }) => error !== undefined);
  const valueOf = (name: string) => Number(settings.value?.settings[name]?.value ?? 0);
  return (
    <Section title="Budgets" actions={<a href={hrefOf("settings")}>Change limits</a>}>
      {failed && <Failure error={failed.error} retry={() => void failed.reload()} />}
      {settings.value && quota.value && ofDay.value && ofMonth.value && (
        <BudgetList
          lines={listBudgets(
            {
              dayTokens: valueOf("budget.profileDayTokens"),
              dayUsd: valueOf("budget.profileDayUsd"),
              monthTokens: quota.value.monthTokens,
              monthUsd: quota.value.monthUsd,
            },
            ofDay.value.totals,
            ofMonth.value.totals,
            now,
          )}
        />
      )}
    </Section>
  );
}

function BudgetList({ lines }: { lines: BudgetLine[] }) {
  if (lines.length === 0)
    return (
      <p class="muted">
        No limit of a day or a month is set. You can set one of a day in Settings; the operator can give this profile a
        quota.
      </p>
    );
  return (
    <ul class="budgets">
      {lines.map(({ name, unit, spent, limit, renewsAt }) => {
        const format = unit === "usd" ? formatMoney : formatNumber;
        const what = unit === "usd" ? "cost" : "tokens";
        return (
          <li key={`${name} ${unit}`} class="panel">
            <h3>
              {name}: {what}
            </h3>
            <Meter
              label={`${name}: ${what}`}
              value={spent}
              limit={limit}
              text={`${format(spent)} of ${format(limit)}${spent >= limit ? ": nothing is left" : ""}`}
            />
            <p class="muted small">
              Begins again <Time at={renewsAt} isExact />
            </p>
          </li>
        );
      })}
    </ul>
  );
}
