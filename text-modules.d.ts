// Markdown is imported as text: by wrangler (rules in the three configs), vitest and scripts/text-modules.mjs.
declare module "*.md" {
  const text: string;
  export default text;
}

// WebAssembly is imported as a compiled module: the platform compiles none at run time.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
