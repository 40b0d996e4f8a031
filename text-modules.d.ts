// Markdown is imported as text: by wrangler (rules in the three configs), vitest and scripts/text-modules.mjs.
declare module "*.md" {
  const text: string;
  export default text;
}
