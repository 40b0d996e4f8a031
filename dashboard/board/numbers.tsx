// How many cards a board has, by status and by assignee.
import { Section } from "../components/page.tsx";
import { formatNumber } from "../components/numbers.ts";
import { Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useResource } from "../data/resource.ts";
import { STATUSES, STATUS_NAMES, nameAssignee, toAssigneeKey } from "./cards.ts";

export function BoardNumbers({ board }: { board: string }) {
  const stats = useResource("GET /v1/boards/{board}/stats", { params: { board } });
  return (
    <Loaded of={stats}>
      {({ byStatus, byAssignee, oldestReadyAt }) => {
        const keys = [...new Set(byAssignee.map(({ assignee }) => toAssigneeKey(assignee)))];
        const shown = STATUSES.filter((status) => byAssignee.some((one) => one.status === status));
        const countOf = (key: string, status?: string) =>
          byAssignee
            .filter((one) => toAssigneeKey(one.assignee) === key && (status === undefined || one.status === status))
            .reduce((sum, { cards }) => sum + cards, 0);
        return (
          <>
            <dl class="figures">
              {STATUSES.map((status) => (
                <div class="figure" key={status}>
                  <dt>{STATUS_NAMES[status]}</dt>
                  <dd>{formatNumber(byStatus[status] ?? 0)}</dd>
                </div>
              ))}
            </dl>
            {oldestReadyAt !== null && (
              <p class="board-oldest">
                The ready card that has waited longest was made <Time at={oldestReadyAt} />.
              </p>
            )}
            <Section title="By assignee">
              {keys.length === 0 ? (
                <p class="muted">The board has no cards yet.</p>
              ) : (
                <div class="table-frame board-numbers" tabIndex={0} role="region" aria-label="Cards by assignee">
                  <table class="table">
                    <thead>
                      <tr>
                        <th scope="col">Assignee</th>
                        {shown.map((status) => (
                          <th scope="col" class="number" key={status}>
                            {STATUS_NAMES[status]}
                          </th>
                        ))}
                        <th scope="col" class="number">
                          All
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {keys.map((key) => (
                        <tr key={key}>
                          <th scope="row" dir="auto">
                            {nameAssignee(byAssignee.find(({ assignee }) => toAssigneeKey(assignee) === key)!.assignee)}
                          </th>
                          {shown.map((status) => (
                            <td class="number" key={status}>
                              {formatNumber(countOf(key, status))}
                            </td>
                          ))}
                          <td class="number">{formatNumber(countOf(key))}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}
