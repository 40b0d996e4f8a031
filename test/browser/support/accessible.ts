// Says whether everybody can use a page: axe finds nothing serious, and the page does not scroll sideways. A test goes on after a finding,
// so that one run shows them all. Used by tests in a browser.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SEVERE = ["serious", "critical"];

/** Rules of axe by name, such as `color-contrast`, which takes most of the time. Default: all. */
export interface AxeScope {
  only?: string[];
  without?: string[];
}

/** Fails with each serious or critical violation: the rule, what it says, and the elements. */
export async function expectAccessible(page: Page, scope?: AxeScope): Promise<void> {
  expect.soft(await findViolations(page, scope), `axe on ${page.url()}`).toEqual([]);
}

export async function findViolations(page: Page, { only, without = [] }: AxeScope = {}): Promise<string[]> {
  // Through the debugger, since the page's Content-Security-Policy lets no other script in.
  await page.evaluate(`globalThis.axe || (() => { ${AXE} })()`);
  const options = {
    resultTypes: ["violations"],
    preload: false,
    ...(only && { runOnly: { type: "rule", values: only } }),
    ...(without.length > 0 && { rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) }),
  };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return violations
    .filter(({ impact }) => SEVERE.includes(impact ?? ""))
    .flatMap(({ id, impact, help, nodes }) =>
      nodes.map(
        ({ target, html, failureSummary = "" }) =>
          `${impact} ${id}: ${help}\n  at ${target.join(" ")}\n  ${html.slice(0, 200)}\n  ${failureSummary.replaceAll("\n", "\n  ")}`,
      ),
    );
}

/** Fails with the elements that reach beyond the right edge of the page. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await findSideways(page);
  expect.soft(wide, `what is wider than ${page.url()} at ${page.viewportSize()?.width} px`).toEqual([]);
}

export async function findSideways(page: Page): Promise<string[]> {
  return (await page.evaluate(SIDEWAYS)) as string[];
}

/**
 * What reaches beyond the edge of the document, or of `main`, which scrolls in its place: the outermost elements of the page, unless a box
 * between has a scroll bar of its own, such as a wide table's. Empty when neither scrolls sideways.
 */
const SIDEWAYS = `[document.scrollingElement, document.querySelector("main")].flatMap((root) => {
  if (!root || root.scrollWidth <= root.clientWidth + 1) return [];
  const edge = root.getBoundingClientRect().left + root.clientWidth;
  const isClipped = (element) => {
    for (let box = element.parentElement; box && box !== root; box = box.parentElement)
      if (box.localName !== "main" && box.localName !== "body" && getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  const wide = [...root.querySelectorAll("*")].filter(
    (element) => element.getBoundingClientRect().right > edge + 1 && !isClipped(element),
  );
  const outermost = wide.filter((element) => !wide.includes(element.parentElement)).slice(0, 5);
  return [
    root.localName + " is " + root.scrollWidth + " px wide in " + root.clientWidth,
    ...outermost.map((element) => element.outerHTML.slice(0, 160) + " reaches " + Math.round(element.getBoundingClientRect().right)),
  ];
})`;
