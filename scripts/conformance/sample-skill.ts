// Skills for the suites to find: text, a file in a folder, and one that is not text.
import { type FileBodies, toBytes } from "../../core/schemas/file-body.ts";

const SKILL_MD = `---
name: kiln-keeping
description: Fires a kiln. Use it when somebody asks for pottery.
---
# Kiln

Heat it as references/curve.md says.
`;

/** By name. One is a text alone, which is published as such; the other is published as an archive. */
export const PUBLISHED_SKILLS: Record<string, FileBodies> = {
  "reading-logs": { "SKILL.md": "---\nname: reading-logs\ndescription: Reads logs.\n---\n\n# Logs\n" },
  "sorting-mail": {
    "SKILL.md":
      "---\r\nname: sorting-mail\r\ndescription: Sorts mail.\r\nmetadata:\r\n  tags: [a]\r\n---\r\n\r\n# Mail\r\n",
    "scripts/run.sh": "#!/bin/sh\nls\n",
    "assets/é 日.bin": Uint8Array.of(0, 255, 13, 10, 26),
  },
};

/** Their bytes in Base64, by name and path. */
export function listPublishedFiles(): Record<string, string> {
  const all = Object.entries(PUBLISHED_SKILLS).flatMap(([name, files]) =>
    Object.entries(files).map(([path, body]) => [`${name}/${path}`, Buffer.from(toBytes(body)).toString("base64")]),
  );
  return Object.fromEntries(all) as Record<string, string>;
}

export async function putSampleSkill(url: string, key: string): Promise<void> {
  const files = {
    "SKILL.md": SKILL_MD,
    "references/curve.md": "Slowly.\n",
    "assets/glaze.bin": { base64: "AP/+gA==" },
  };
  const response = await fetch(`${url}/v1/skills/kiln-keeping`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ files }),
  });
  if (!response.ok) throw new Error(`the sample skill was refused: ${response.status} ${await response.text()}`);
}
