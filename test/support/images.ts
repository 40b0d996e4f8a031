// Makes the headers of images of any size, with filler after them: the product never decodes pixels.

/** `bytes`: the length of the file. Different `fill` gives different images. */
export function makePng(width: number, height: number, { bytes = 64, fill = 0 } = {}): Uint8Array<ArrayBuffer> {
  const png = new Uint8Array(Math.max(bytes, 33)).fill(fill, 33);
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(png.buffer);
  view.setUint32(8, 13);
  png.set(toBytes("IHDR"), 12);
  view.setUint32(16, width);
  view.setUint32(20, height);
  png.set([8, 6, 0, 0, 0], 24);
  return png;
}

/** `segments`: what stands between SOI and the frame header, such as EXIF. `components`: 4 for CMYK. */
export function makeJpeg(
  width: number,
  height: number,
  { segments = [] as number[], components = 3 } = {},
): Uint8Array {
  const frame = [0xff, 0xc0, 0, 8 + 3 * components, 8, height >> 8, height & 255, width >> 8, width & 255, components];
  const rest = Array.from({ length: 3 * components + 16 }, () => 1);
  return Uint8Array.from([0xff, 0xd8, ...segments, ...frame, ...rest, 0xff, 0xd9]);
}

/** A segment APP1 that holds EXIF with a frame header of a thumbnail inside. */
export function makeExif(): number[] {
  const body = [...toBytes("Exif\0\0"), 0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 9, 0, 9, 3];
  return [0xff, 0xe1, 0, body.length + 2, ...body];
}

export function makeGif(width: number, height: number): Uint8Array {
  return Uint8Array.from([
    ...toBytes("GIF89a"),
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
    0xf0,
    0,
    0,
    0x2c,
    0x3b,
  ]);
}

export function makeWebp(form: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Uint8Array {
  const webp = new Uint8Array(40);
  const view = new DataView(webp.buffer);
  webp.set(toBytes("RIFF"));
  webp.set(toBytes(`WEBP${form}`), 8);
  if (form === "VP8X") {
    view.setUint32(24, width - 1, true);
    view.setUint16(27, (height - 1) & 0xffff, true);
  } else if (form === "VP8L") {
    webp[20] = 0x2f;
    view.setUint32(21, (width - 1) | ((height - 1) << 14), true);
  } else {
    webp.set([0x9d, 0x01, 0x2a], 23);
    view.setUint16(26, width, true);
    view.setUint16(28, height, true);
  }
  return webp;
}

export function toDataUrl(bytes: Uint8Array, type = "image/png"): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

function toBytes(text: string): number[] {
  return Array.from(text, (char) => char.charCodeAt(0));
}
