// The name of a file that is fetched from an address: the last part of its path. Pure.
const MAX_CHARS = 200;

export function nameOfAddress(address: string): string {
  const { pathname, hostname } = URL.canParse(address) ? new URL(address) : { pathname: address, hostname: "" };
  const part = pathname.split("/").findLast(Boolean) ?? hostname;
  return (
    unescapeName(part)
      .replaceAll(/[/\\\p{Cc}]/gu, "-")
      .slice(0, MAX_CHARS) || "file"
  );
}

function unescapeName(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
