// A skill for the suite to find: text, a file in a folder, and one that is not text.

const SKILL_MD = `---
name: kiln-keeping
description: Fires a kiln. Use it when somebody asks for pottery.
---
# Kiln

Heat it as references/curve.md says.
`;

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
