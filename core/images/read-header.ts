// Recognises an image by its bytes and reads its size in pixels from its header. Called for every image before it is stored or
// sent. Pure. Never decodes pixels, never trusts a name or a declared type, and reads each byte of a header at most once.
import type { ImageSize, ImageType } from "../schemas/media/image.ts";

/** `null`: not one of the four types, or its header is cut or wrong. */
export function readImageHeader(bytes: Uint8Array): ({ type: ImageType } & ImageSize) | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const [type, read] of READERS) {
    const size = read(bytes, view);
    if (size) return size.width > 0 && size.height > 0 ? { type, ...size } : null;
  }
  return null;
}

type ReadSize = (bytes: Uint8Array, view: DataView) => ImageSize | null;

const READERS: [ImageType, ReadSize][] = [
  ["image/png", readPng],
  ["image/jpeg", readJpeg],
  ["image/gif", readGif],
  ["image/webp", readWebp],
];

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The chunk IHDR comes first and has 13 bytes. */
function readPng(bytes: Uint8Array, view: DataView): ImageSize | null {
  if (bytes.length < 33 || !PNG.every((byte, at) => bytes[at] === byte)) return null;
  if (view.getUint32(8) !== 13 || !hasText(bytes, 12, "IHDR")) return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Walks the segments to the frame header (SOF). Thumbnails lie inside segments, which are skipped by their length. */
function readJpeg(bytes: Uint8Array, view: DataView): ImageSize | null {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else {
      const length = view.getUint16(at + 2);
      // The scan (SOS) or the end (EOI) before any frame header.
      if (marker === 0xda || marker === 0xd9 || length < 2) return null;
      at += 2 + length;
    }
  }
  return null;
}

/** SOF0 to SOF15, without the tables and the arithmetic-coding marker between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readGif(bytes: Uint8Array, view: DataView): ImageSize | null {
  if (bytes.length < 13 || !(hasText(bytes, 0, "GIF87a") || hasText(bytes, 0, "GIF89a"))) return null;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** The three forms: lossy (`VP8 `), lossless (`VP8L`), extended (`VP8X`), whose size is that of the canvas. */
function readWebp(bytes: Uint8Array, view: DataView): ImageSize | null {
  if (bytes.length < 30 || !hasText(bytes, 0, "RIFF") || !hasText(bytes, 8, "WEBP")) return null;
  if (hasText(bytes, 12, "VP8X")) {
    const readSide = (at: number) => 1 + view.getUint16(at, true) + bytes[at + 2]! * 0x10000;
    return { width: readSide(24), height: readSide(27) };
  }
  if (hasText(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const packed = view.getUint32(21, true);
    return { width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) };
  }
  const isKeyFrame = bytes[23] === 0x9d && bytes[24] === 0x01 && bytes[25] === 0x2a;
  if (!hasText(bytes, 12, "VP8 ") || !isKeyFrame) return null;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
