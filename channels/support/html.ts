// The plain text of a message that was rendered as HTML, for platforms that want both. Called by channels/<platform>.ts. Pure.

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
/** Tags after which a line ends. */
const BREAKS = /<br ?\/?>|<\/(?:p|div|li|h[1-6]|pre|blockquote|tr)>/gi;
/** No tag that we write is longer. */
const TAG = /<[^<>]{1,4000}>/g;

export function toPlainText(html: string): string {
  const text = html.replace(BREAKS, "\n").replace(TAG, "");
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity).trim();
}
