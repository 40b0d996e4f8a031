// Hands a file to the browser's downloads.

/** The browser reads the file after the click; a minute is ample. */
const KEPT_MS = 60_000;

export function saveFile(name: string, type: string, content: BlobPart): void {
  saveBlob(name, new Blob([content], { type }));
}

export function saveBlob(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
