// Requests that differ in one place from a genuine one.
import type { ChannelRequest } from "../../../../core/channels/platform.ts";

/** Places of a text or body that are tried, spread over it. */
const PLACES = 40;

/** `carrier`: a header's name, or `?name` for a query parameter. */
export function removeCarrier(request: ChannelRequest, carrier: string): ChannelRequest {
  if (!carrier.startsWith("?")) {
    const { [carrier]: _, ...headers } = request.headers;
    return { ...request, headers };
  }
  const url = new URL(request.url);
  url.searchParams.delete(carrier.slice(1));
  return { ...request, url: url.href };
}

export function setCarrier(request: ChannelRequest, carrier: string, value: string): ChannelRequest {
  if (!carrier.startsWith("?")) return { ...request, headers: { ...request.headers, [carrier]: value } };
  const url = new URL(request.url);
  url.searchParams.set(carrier.slice(1), value);
  return { ...request, url: url.href };
}

export function changeCarrier(request: ChannelRequest, carrier: string): ChannelRequest[] {
  const value = readCarrier(request, carrier);
  if (!value) throw new Error(`the fixture's request has no ${carrier}`);
  // The last characters of base64 may hold bits that nobody reads. A hexadecimal signature ends with its last character.
  const isHex = /^[\w-]*=?[0-9a-f]+$/.test(value);
  const end = isHex ? value.length : value.length - 3;
  return spread(end).map((at) =>
    setCarrier(request, carrier, value.slice(0, at) + changeCharacter(value[at]!) + value.slice(at + 1)),
  );
}

export function changeBody(request: ChannelRequest): ChannelRequest[] {
  return spread(request.body.length).map((at) => {
    const body = request.body.slice();
    body[at]! ^= 1;
    return { ...request, body };
  });
}

export function changeUrl(request: ChannelRequest, covers: readonly string[]): ChannelRequest[] {
  const changed: ChannelRequest[] = [];
  if (covers.includes("path")) changed.push({ ...request, url: request.url.replace(/\/channels\//, "/channel/") });
  if (covers.includes("query")) {
    const url = new URL(request.url);
    url.searchParams.append("added", "1");
    changed.push({ ...request, url: url.href });
  }
  return changed;
}

function readCarrier(request: ChannelRequest, carrier: string): string | undefined {
  if (!carrier.startsWith("?")) return request.headers[carrier];
  return new URL(request.url).searchParams.get(carrier.slice(1)) ?? undefined;
}

function spread(length: number): number[] {
  const step = Math.max(1, Math.floor(length / PLACES));
  const places = Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
  return length > 0 ? [...new Set([...places, length - 1])] : [];
}

/** Another character of the same kind, so that the value stays well formed. */
function changeCharacter(character: string): string {
  if (/[0-9]/.test(character)) return String((Number(character) + 5) % 10);
  if (/[a-f]/.test(character)) return String.fromCharCode(((character.charCodeAt(0) - 97 + 3) % 6) + 97);
  if (/[g-z]/.test(character)) return character === "z" ? "g" : "z";
  if (/[A-Z]/.test(character)) return character === "Z" ? "A" : "Z";
  return character === "." ? "," : ".";
}
