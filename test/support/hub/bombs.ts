// Packages and replies that no honest source sends.
import { gzipSync, zipSync } from "fflate";

/** 14 MB of zeros in a few KB: more than a skill may have. */
export function zipBomb(): Uint8Array {
  return zipSync({ "SKILL.md": new TextEncoder().encode("x"), "zeros.bin": new Uint8Array(14 << 20) }, { level: 6 });
}

export function tarGzBomb(): Uint8Array {
  return gzipSync(new Uint8Array(14 << 20), { level: 6 });
}

/** One entry of a tar, without content. `type`: "2" is a symbolic link. */
export function tarWith(path: string, type: "0" | "2", link = ""): Uint8Array {
  const header = new Uint8Array(512);
  const put = (text: string, at: number) => header.set(new TextEncoder().encode(text), at);
  put(path, 0);
  put("0000644\0", 100);
  put("00000000000\0", 124);
  put(type, 156);
  put(link, 157);
  put("ustar\u000000", 257);
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const tar = new Uint8Array(2_048);
  tar.set(header);
  return gzipSync(tar);
}

/** Never ends. `sent`: bytes that were taken from it. */
export function endlessReply(): { reply: () => Response; sent: () => number } {
  let sent = 0;
  const piece = new Uint8Array(64 << 10).fill(0x20);
  return {
    sent: () => sent,
    reply: () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += piece.length;
            controller.enqueue(piece);
          },
        }),
        { headers: { "content-type": "application/json" } },
      ),
  };
}
