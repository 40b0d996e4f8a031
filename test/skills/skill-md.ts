// A SKILL.md that passes every rule, with changed parts.
export function skillMd(
  change: { name?: string; description?: string; category?: string; extra?: string } = {},
): string {
  const { name = "reading-logs", description = "Reads server logs. Use when one is given.", category = "ops" } = change;
  const sections = ["When to use", "Steps", "Pitfalls", "Verify"].map(
    (title) => `## ${title}\n\n${title} of ${name}.\n`,
  );
  return `---\nname: ${name}\ndescription: ${description}\nmetadata:\n  category: ${category}\n---\n\n${sections.join("\n")}${change.extra ?? ""}`;
}
