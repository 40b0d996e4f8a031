// Says whether everybody can use a page: axe finds nothing serious, and the page does not scroll sideways. Used by tests in a browser.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SEVERE = ["serious", "critical"];

export interface AxeScope {
  /** Only these rules, such as `color-contrast`. Default: all. */
  rules?: string[];
}

/** Fails with each serious or critical violation: the rule, what it says, and the elements. */
export async function expectAccessible(page: Page, { rules }: AxeScope = {}): Promise<void> {
  // Through the debugger, since the page's Content-Security-Policy lets no other script in.
  await page.evaluate(`globalThis.axe || (() => { ${AXE} })()`);
  const options = {
    resultTypes: ["violations"],
    ...(rules && { runOnly: { type: "rule", values: rules } }),
  };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  const found = violations
    .filter(({ impact }) => SEVERE.includes(impact ?? ""))
    .flatMap(({ id, impact, help, nodes }) =>
      nodes.map(
        ({ target, html, failureSummary = "" }) =>
          `${impact} ${id}: ${help}\n  at ${target.join(" ")}\n  ${html.slice(0, 200)}\n  ${failureSummary.replaceAll("\n", "\n  ")}`,
      ),
    );
  expect(found, `axe on ${page.url()}`).toEqual([]);
}

/** Fails with the elements that reach beyond the page's right edge. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = (await page.evaluate(SIDEWAYS)) as string[];
  expect(wide, `what is wider than ${page.url()} at ${page.viewportSize()?.width} px`).toEqual([]);
}

/** The innermost elements beyond the edge that no box clips or scrolls. Empty when the document does not scroll sideways. */
const SIDEWAYS = `(() => {
  const root = document.scrollingElement;
  const edge = root.clientWidth;
  if (root.scrollWidth <= edge + 1) return [];
  const isClipped = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter(
    (element) => element.getBoundingClientRect().right > edge + 1 && !isClipped(element),
  );
  const innermost = wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)));
  const names = innermost.map((element) => element.outerHTML.slice(0, 160) + " reaches " + Math.round(element.getBoundingClientRect().right));
  return names.length > 0 ? names.slice(0, 5) : ["the document is " + root.scrollWidth + " px wide in " + edge];
})()`;
