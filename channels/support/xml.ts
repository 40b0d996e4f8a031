// Reads the flat XML of WeCom. Called by channels/wecom.ts. Pure. Knows no entities of a document's own, so that none can be declared.

const CDATA = "<![CDATA[";
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** The texts of the elements by their names, the first of each name. What a text contains is never taken for an element. */
export function readElements(xml: string): Map<string, string> {
  const elements = new Map<string, string>();
  let at = 0;
  for (;;) {
    const start = xml.indexOf("<", at);
    const end = start < 0 ? -1 : xml.indexOf(">", start);
    if (end < 0) return elements;
    const name = xml.slice(start + 1, end);
    at = end + 1;
    if (name.startsWith("/")) continue;
    const isCdata = xml.startsWith(CDATA, at);
    const textEnd = xml.indexOf(isCdata ? "]]>" : "<", at);
    if (textEnd < 0) return elements;
    const text = isCdata ? xml.slice(at + CDATA.length, textEnd) : readEntities(xml.slice(at, textEnd));
    at = isCdata ? textEnd + "]]>".length : textEnd;
    if (!elements.has(name)) elements.set(name, text);
  }
}

function readEntities(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity]!);
}
