// Learning: whether it helps, what each review did, what waits for a decision, the curator, and the journey of all that was learned.
import { Page as Frame, Tabs } from "../components/page.tsx";
import { CurationReport } from "../learning/curation-report.tsx";
import { Curator } from "../learning/curator.tsx";
import { Graph } from "../learning/graph.tsx";
import { Journey } from "../learning/journey.tsx";
import { Overview } from "../learning/overview.tsx";
import { Review } from "../learning/review.tsx";
import { Reviews } from "../learning/reviews.tsx";
import { Waiting, useWaiting } from "../learning/waiting.tsx";
import { type PageProps, hrefOf } from "../pages.ts";
import "../styles/admin.css";
import "../styles/learning.css";
import "../styles/skills.css";

const LEADS: Record<string, string> = {
  overview: "Whether what the agent learns helps, what it costs, and what was refused.",
  reviews: "After its work the agent looks back. Each review says what it read, what it kept, and what was refused.",
  pending: "Changes of skills and memory that wait for you. Nothing here is in use yet.",
  curator:
    "The curator keeps the skills in order: it ages, checks, rewrites and merges them. Each run can be rolled back.",
  journey: "Everything that was learned, corrected, withdrawn and merged.",
};

export function Page({ rest: [given = "overview", of] }: PageProps) {
  const { waiting } = useWaiting();
  const shown = given in LEADS ? given : "overview";
  const toTab = (name: string, slug: string, count?: number) => ({
    name,
    href: slug === "overview" ? hrefOf("learning") : hrefOf("learning", slug),
    isCurrent: shown === slug,
    ...(count !== undefined && { count }),
  });
  const tabs = [
    toTab("Overview", "overview"),
    toTab("Reviews", "reviews"),
    toTab("Waiting", "pending", waiting.length),
    toTab("Curator", "curator"),
    toTab("Journey", "journey"),
  ];
  return (
    <Frame title="Learning" lead={LEADS[shown]} tabs={<Tabs label="Parts of Learning" tabs={tabs} />}>
      <Part part={shown} of={of} />
    </Frame>
  );
}

function Part({ part, of }: { part: string; of: string | undefined }) {
  switch (part) {
    case "reviews":
      return of === undefined ? <Reviews /> : <Review key={of} review={of} />;
    case "pending":
      return <Waiting chosen={of} />;
    case "curator":
      return of === undefined ? <Curator /> : <CurationReport key={of} run={of} />;
    case "journey":
      return of === "graph" ? <Graph /> : <Journey about={of} />;
    default:
      return <Overview days={of} />;
  }
}
