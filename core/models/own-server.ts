// Recognises an address of the operator's own server: on this machine, in a private network, or with a name that only such a
// network resolves. Called by the adapters, since those servers get more time to read a prompt. Pure; never resolves names.

/** 127/8, 10/8, 172.16/12, 192.168/16, 169.254/16, 100.64/10 (Tailscale and carriers), 0.0.0.0. */
const PRIVATE_V4 =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|0\.0\.0\.0$|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
/** `::1`, `fc00::/7`, `fe80::/10`, and IPv4 inside IPv6. */
const PRIVATE_V6 = /^\[(?:::1\]|::\]|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|::ffff:(?:7f|a[0-9a-f]{2}:|c0a8:|ac1))/;
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|lan|home|intranet|home\.arpa)$/;

export function isOwnServer(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname.toLowerCase() ?? "";
  if (host.startsWith("[")) return PRIVATE_V6.test(host);
  // `http://ollama:11434` in a compose file: internet hosts have more than one label.
  if (/^[\d.]+$/.test(host)) return PRIVATE_V4.test(host);
  return PRIVATE_NAMES.test(host) || (host !== "" && !host.includes("."));
}
