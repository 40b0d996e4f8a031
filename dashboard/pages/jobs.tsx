// Jobs: tasks that the agent does at their times. Addresses: all of them, one by its name, and the blueprints to start from.
import { useState } from "preact/hooks";
import "../styles/work.css";
import { Button } from "../components/button.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { may } from "../data/sign-in.ts";
import { Blueprints } from "../jobs/blueprints.tsx";
import { JobPage } from "../jobs/job-detail.tsx";
import { JobForm } from "../jobs/job-form.tsx";
import { JobList } from "../jobs/job-list.tsx";
import { Suggestions } from "../jobs/suggestions.tsx";
import { type PageProps, hrefOf } from "../pages.ts";

/** No job has this name. */
const PARTS = "-";

export function Page({ rest: [name] }: PageProps) {
  const [isMaking, setMaking] = useState(false);
  if (name !== undefined && name !== PARTS) return <JobPage key={name} name={name} />;
  const isList = name === undefined;
  const tabs = [
    { name: "Jobs", href: hrefOf("jobs"), isCurrent: isList },
    { name: "Blueprints", href: hrefOf("jobs", PARTS, "blueprints"), isCurrent: !isList },
  ];
  return (
    <Frame
      title="Jobs"
      lead="Tasks that run on a schedule, each time in a session of its own."
      tabs={<Tabs label="Parts of the jobs" tabs={tabs} />}
      actions={
        may("write") && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            New job
          </Button>
        )
      }
    >
      <ScopeNote scope="write" to="make or change jobs" />
      {isList ? (
        <>
          <JobList />
          <Suggestions />
        </>
      ) : (
        <Blueprints />
      )}
      {isMaking && <JobForm onClose={() => setMaking(false)} />}
    </Frame>
  );
}
