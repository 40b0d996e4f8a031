// Addresses as a ref of the hub has them. Pure; the URL policy judges them where a request is made (core/outbound).

/** Normalised, without a fragment. `null`: not an http or https address, or it contains a user name or password. */
export function readAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  url.hash = "";
  return url.href;
}

/** Whether an address names one file that is a skill: a SKILL.md or an archive. */
export function isFileAddress(url: URL): boolean {
  return /\.(?:md|markdown|zip|skill|tar\.gz|tgz)$/i.test(url.pathname);
}
