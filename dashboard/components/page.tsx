// The head of a page: its one h1, what it is for, and its actions.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageFrame {
  title: ComponentChildren;
  /** One sentence. */
  lead?: ComponentChildren;
  /** Buttons at the right of the title. */
  actions?: ComponentChildren;
  /** Links to the parts of the page: `<Tabs>`. */
  tabs?: ComponentChildren;
  /** The page uses the whole width. */
  isWide?: boolean;
  children: ComponentChildren;
}

export function Page({ title, lead, actions, tabs, isWide = false, children }: PageFrame) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The name in tabs, history and bookmarks.
  useEffect(() => {
    document.title = `${heading.current!.textContent} · Talaria`;
  });
  return (
    <div class={`page${isWide ? " page-wide" : ""}`}>
      <header class="page-head">
        <div class="page-title">
          <h1 dir="auto" ref={heading}>
            {title}
          </h1>
          {lead !== undefined && <p class="muted">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {tabs}
      {children}
    </div>
  );
}

/** Parts of a page, each with an address of its own. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: { name: string; href: string; isCurrent: boolean; count?: number }[];
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, href, isCurrent, count }) => (
        <a key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
          {name}
          {count !== undefined && count > 0 && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** A part of a page with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section" aria-label={title}>
      <div class="section-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
