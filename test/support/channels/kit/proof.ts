// That only genuine, fresh requests for this channel are taken, and that secrets are compared in constant time.
import { expect } from "vitest";
import type { ChannelRequest } from "../../../../core/channels/platform.ts";
import type { PlatformFixture } from "../fixture.ts";
import type { Check } from "./check.ts";
import { openTestChannel } from "../open-channel.ts";
import { changeBody, changeCarrier, changeUrl, removeCarrier, setCarrier } from "./changes.ts";
import { say } from "./said.ts";

const GARBAGE = [
  "",
  " ",
  "0",
  "-1",
  "NaN",
  "1e999",
  "null",
  "Bearer ",
  "sha256=",
  "v0=",
  "é",
  "\u0000",
  "x".repeat(10_000),
];

export function checkProof<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { platform, proof } = fixture;
  const open = (fields?: Record<string, unknown>) => openTestChannel(fixture, fields ? { fields } : {});

  check("a genuine request is taken, and a second time as the same event", async () => {
    const { world, receive } = open();
    const request = await world.request(say(fixture, "e1"));
    const first = await receive(request);
    expect(first?.events).toHaveLength(1);
    expect((await receive(request))?.events).toEqual(first?.events);
  });

  check("a request with a wrong secret is refused", async () => {
    const { world, channel } = open();
    const request = await world.request(say(fixture, "e1"), { forged: true });
    expect(await platform.verify(request, channel)).toBeNull();
  });

  check("a request for another channel is refused", async () => {
    expect(fixture.others.length, "settings of other channels").toBeGreaterThan(0);
    for (const fields of fixture.others) {
      const other = open(fields);
      const request = await open().world.request(say(fixture, "e1"));
      expect(await platform.verify(request, other.channel), JSON.stringify(fields)).toBeNull();
    }
  });

  check("an empty request is refused, whatever its method", async () => {
    const { channel } = open();
    for (const method of ["GET", "POST", "PUT", "DELETE"])
      for (const url of [channel.address!, `${channel.address}?`, `${channel.address}?a=%zz&a=b`])
        for (const body of ["", "{}", "null"])
          expect(await platform.verify(toRequest(method, url, body), channel), `${method} ${url} ${body}`).toBeNull();
  });

  check.if(proof.carriers.length > 0)("a request whose proof lacks a part, or is garbage, is refused", async () => {
    const { world, channel } = open();
    const request = await world.request(say(fixture, "e1"));
    for (const carrier of proof.carriers) {
      expect(await platform.verify(removeCarrier(request, carrier), channel), `without ${carrier}`).toBeNull();
      for (const value of GARBAGE)
        expect(await platform.verify(setCarrier(request, carrier, value), channel), `${carrier}: ${value}`).toBeNull();
    }
  });

  check.if(proof.carriers.length > 0)("a request with one changed character in its proof is refused", async () => {
    const { world, channel } = open();
    const request = await world.request(say(fixture, "e1"));
    for (const carrier of proof.carriers)
      for (const changed of changeCarrier(request, carrier))
        expect(await platform.verify(changed, channel), `${carrier} of ${JSON.stringify(changed.headers)}`).toBeNull();
  });

  check.if(proof.covers.length > 0)("a request with one changed byte in what its proof covers is refused", async () => {
    const { world, channel } = open();
    const request = await world.request(say(fixture, "e1"));
    const changes: ChannelRequest[] = [
      ...(proof.covers.includes("body") ? changeBody(request) : []),
      ...(proof.covers.includes("path") || proof.covers.includes("query") ? changeUrl(request, proof.covers) : []),
      ...(proof.covers.includes("method") ? [{ ...request, method: request.method === "PUT" ? "POST" : "PUT" }] : []),
    ];
    expect(changes.length).toBeGreaterThan(0);
    for (const changed of changes)
      expect(await platform.verify(changed, channel), new TextDecoder().decode(changed.body)).toBeNull();
  });

  check.if(proof.toleranceMs !== null)(
    "a request is refused that is older, or further in the future, than allowed",
    async () => {
      const { past, future } = proof.toleranceMs!;
      const isTaken = async (offMs: number) => {
        const { world, channel, clock } = open();
        const request = await world.request(say(fixture, "e1"), { at: clock.now() + offMs });
        return (await platform.verify(request, channel)) !== null;
      };
      // Times are signed in whole seconds.
      expect(await isTaken(-past + 2_000), "nearly too old").toBe(true);
      expect(await isTaken(-past - 2_000), "too old").toBe(false);
      expect(await isTaken(future - 2_000), "nearly too far in the future").toBe(true);
      expect(await isTaken(future + 2_000), "too far in the future").toBe(false);
    },
  );

  check.if(proof.kind === "secret" || proof.kind === "hmac")(
    "secrets and signatures are compared by `isSame` alone",
    async () => {
      const { world, channel, compared, setSame } = open();
      const genuine = await world.request(say(fixture, "e1"));
      const forged = await world.request(say(fixture, "e1"), { forged: true });
      expect(await platform.verify(genuine, channel)).not.toBeNull();
      expect(compared.length, "comparisons of a genuine request").toBeGreaterThan(0);
      compared.length = 0;
      expect(await platform.verify(forged, channel)).toBeNull();
      expect(compared.length, "comparisons of a forged request").toBeGreaterThan(0);
      setSame(false);
      expect(await platform.verify(genuine, channel), "when nothing is the same").toBeNull();
    },
  );

  check("the platform's challenge is answered, and a forged one is refused", async () => {
    const { world, channel, receive } = open();
    const challenge = await world.challenge?.();
    if (!challenge) return;
    const received = await receive(challenge.request);
    expect(received?.events).toEqual([]);
    expect(received?.reply).toMatchObject(challenge.reply);
    const forged = await world.challenge!({ forged: true });
    expect(await platform.verify(forged.request, channel)).toBeNull();
  });
}

function toRequest(method: string, url: string, body: string): ChannelRequest {
  return { method, url, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(body) };
}
