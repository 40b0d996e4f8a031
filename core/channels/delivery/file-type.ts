// What a file that is sent is called and what it is, by its name. Pure.

/** Types that platforms show in a form of their own; everything else is a document. */
const TYPES: Record<string, string> = {
  ...{
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
    svg: "image/svg+xml",
  },
  ...{
    mp3: "audio/mpeg",
    m4a: "audio/mp4",
    ogg: "audio/ogg",
    oga: "audio/ogg",
    wav: "audio/wav",
    mp4: "video/mp4",
    webm: "video/webm",
  },
  ...{ pdf: "application/pdf", zip: "application/zip", json: "application/json", xml: "application/xml" },
  ...{
    txt: "text/plain",
    log: "text/plain",
    md: "text/markdown",
    csv: "text/csv",
    html: "text/html",
    ics: "text/calendar",
  },
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || "file";
}

export function mediaTypeOf(path: string): string {
  const name = nameOf(path);
  return TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}
