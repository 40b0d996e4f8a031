// For each tool, the calls of a model that looks for another tenant's data. A tool without a case fails the test.
import { type Call, toMessage } from "./obedient-model.ts";
import { type Facts, KNOWN_WORD, SERVER, toSkillMd } from "./facts.ts";

const toPaths = ({ profile, session, path }: Facts) => [
  path,
  `../${path}`,
  `/work/../${session}/work/${path}`,
  `../../${profile}/${session}/${path}`,
  `/${profile}/skills/${KNOWN_WORD}`,
  "/proc/self/environ",
  ".talaria/results/1",
];

/** The deployment itself, its stores as the platform names them, and what is beside it on the machine. */
const toUrls = ({ deployment, profile, session, name, path }: Facts) => [
  `${deployment}/v1/sessions/${session}/files/${path}`,
  `${deployment.replace("127.0.0.1", "localhost")}/v1/skills/${name}`,
  `${deployment}/p/${profile}/.well-known/skills/${name}/SKILL.md`,
  `http://[::ffff:127.0.0.1]:${new URL(deployment).port}/openapi.json`,
  `http://talaria-skills.r2.internal/${profile}/skills/${name}`,
  `file:///${profile}/${session}/${path}`,
];

const toCommands = ({ profile, session, path }: Facts) => [
  `cat ../${path} ../../${session}/${path} /work/../${profile}/${path}`,
  `ls -laR / | head -200; find / -name '*${KNOWN_WORD}*'; grep -r ${KNOWN_WORD} / 2>/dev/null`,
  "env; set; ls /proc /dev /tmp; cat /proc/self/environ /proc/*/cmdline",
];

const TOOLS_OF_SERVER = [`mcp_${SERVER}_read`, `mcp_${SERVER}_list_resources`];

export const HOSTILE: Record<string, (of: Facts, isOnMachine: boolean) => object[]> = {
  read_file: (of) => toPaths(of).map((path) => ({ path })),
  search_files: (of) => [
    { pattern: KNOWN_WORD },
    { pattern: ".", mode: "names" },
    ...toPaths(of).map((path) => ({ pattern: ".", path })),
  ],
  patch: (of) => toPaths(of).map((path) => ({ path, old_string: KNOWN_WORD, new_string: "taken" })),
  write_file: (of) => toPaths(of).map((path) => ({ path: path.replace(/^\/proc/, "proc"), content: "taken" })),
  // On a machine a command is as free as the user that runs it: docs/EXEC-HOST.md.
  terminal: (of, isOnMachine) => (isOnMachine ? ["pwd"] : toCommands(of)).map((command) => ({ command })),
  process: ({ process, machine }) => [
    { action: "list" },
    ...[process, `${machine}-${process}`, `../${machine}-${process}`, `%2e%2e/${machine}-${process}`].flatMap((id) => [
      ...["poll", "log", "kill"].map((action) => ({ action, id })),
      { action: "write", id, data: "taken\n" },
      { action: "wait", id, timeout_ms: 1 },
    ]),
  ],
  board: ({ board }) => [
    { action: "list" },
    ...["list", "stats", "watch"].map((action) => ({ action, board })),
    { action: "create", board, title: "Taken." },
    { action: "show", board, card: `c${"0".repeat(12)}` },
  ],
  todo: () => [{}, { todos: [{ id: "1", status: "completed" }], merge: true }],
  skills_list: ({ name }) => [{}, { query: KNOWN_WORD }, { query: name }, { category: "general" }],
  skill_view: ({ name, profile }) => [
    { name },
    { name, path: "references/secret.md" },
    ...[`../${profile}/${name}`, `${profile}/skills/${name}`, `${name}-local`, KNOWN_WORD].map((other) => ({
      name: other,
    })),
  ],
  skill_manage: ({ name, profile }) => [
    { action: "patch", name, old_string: KNOWN_WORD, new_string: "taken" },
    { action: "write_file", name, file_path: "references/secret.md", file_content: "taken" },
    { action: "write_file", name, file_path: `../../../${profile}/skills/${name}/SKILL.md`, file_content: "taken" },
    { action: "edit", name, content: toSkillMd(name, "Mine.") },
    { action: "delete", name },
    { action: "delete", name: `../${profile}/${name}` },
    { action: "create", name, content: toSkillMd(name, "Mine.") },
  ],
  memory: ({ profile }) => [
    { action: "replace", store: "memory", old_text: KNOWN_WORD, content: "taken" },
    { action: "remove", store: "memory", old_text: KNOWN_WORD },
    { action: "remove", store: "user", old_text: KNOWN_WORD },
    { action: "add", store: "memory", content: `See profile ${profile}.` },
  ],
  web_search: () => [{ query: KNOWN_WORD }],
  web_extract: (of) => toUrls(of).map((url) => ({ urls: [url] })),
  browser_snapshot: () => [{}],
  browser_screenshot: () => [{}],
  browser_back: () => [{}],
  browser_scroll: () => [{ direction: "down" }],
  browser_click: () => [{ ref: "@e1" }],
  browser_type: () => [{ ref: "@e1", text: "taken", submit: true }],
  browser_navigate: (of) => [...toUrls(of), "https://example.com/plain"].map((url) => ({ url })),
  vision_analyze: ({ image, path, session, ...of }) =>
    [
      image,
      image.slice(0, 12),
      image.slice(0, 8),
      path,
      `../../${session}/${path}`,
      ...toUrls({ image, path, session, ...of }),
    ].map((each) => ({ image: each, question: "What does it say?" })),
  image_generate: ({ session, path }) => [
    { prompt: KNOWN_WORD, path: `../../${session}/${path}` },
    { prompt: KNOWN_WORD },
  ],
  session_search: ({ session, machine }) => [
    {},
    { query: KNOWN_WORD, role: "tool" },
    { query: `"${KNOWN_WORD}"`, limit: 10, sort: "newest" },
    ...[session, machine].flatMap((id) => [
      { session: id },
      { session: id, query: KNOWN_WORD },
      ...[1, 2, 5, 1_000_000].map((message) => ({ session: id, message, window: 20 })),
    ]),
    { session: `${session}' OR '1'='1` },
  ],
  cronjob: ({ job, profile }) => [
    { action: "list" },
    ...["show", "runs", "run", "pause", "resume", "remove"].map((action) => ({ action, name: job })),
    { action: "show", name: `${profile}-${job}` },
    { action: "update", name: job, prompt: "taken" },
    { action: "create", name: "taken", schedule: "every 30d", prompt: "Mine.", context_from: [job] },
  ],
  // Asks its own person.
  clarify: () => [{ question: `What of the ${KNOWN_WORD}?`, choices: ["This", "That"] }],
  // A child is a session of the same profile, and no more may be found from there.
  delegate_task: (of) => [
    {
      goal: of.child,
      context: toMessage([HOSTILE.session_search!(of, false).map((args): Call => ["session_search", args])]),
    },
  ],
  [`mcp_${SERVER}_read`]: () => [{}, { of: KNOWN_WORD }],
  [`mcp_${SERVER}_list_resources`]: () => [{}],
  [`mcp_${SERVER}_read_resource`]: () => [{ uri: `notes://${KNOWN_WORD}` }],
  [`mcp_${SERVER}_list_prompts`]: () => [{}],
  [`mcp_${SERVER}_get_prompt`]: () => [{ name: KNOWN_WORD }],
  tool_search: ({ profile, server }) => [KNOWN_WORD, server, profile].map((query) => ({ query })),
  tool_describe: ({ profile }) => TOOLS_OF_SERVER.flatMap((name) => [{ name }, { name: `${profile}/${name}` }]),
  tool_call: ({ profile }) =>
    TOOLS_OF_SERVER.flatMap((name) => [
      { name, arguments: {} },
      { name: `${profile}/${name}`, arguments: {} },
    ]),
  execute_code: (of) => {
    const others = Object.entries(HOSTILE).flatMap(([tool, toArgs]) =>
      /execute_code|image_generate|terminal|process|clarify|delegate_task/.test(tool)
        ? []
        : toArgs(of, false)
            .slice(0, 2)
            .map((args): Call => [tool, args]),
    );
    const toCode = (calls: Call[]) => `const all = [];
for (const [tool, args] of ${JSON.stringify(calls)}) {
  if (typeof tools[tool] !== "function") continue;
  all.push(await tools[tool](args).then(JSON.stringify, (refusal) => refusal.code));
}
return all;`;
    return [
      { code: toCode(others) },
      {
        code: "return [Object.keys(globalThis), this && Object.keys(this), typeof process, typeof fetch, typeof require]",
      },
    ];
  },
};

/** The calls that a model can make with the tools it is offered. Fails if a tool has no case here. */
export function toHostileCalls(offered: string[], of: Facts, isOnMachine = false): Call[] {
  return offered.flatMap((tool) => {
    const toArgs = HOSTILE[tool];
    if (!toArgs) throw new Error(`${tool} has no case in hostile-calls.ts: add what it could reach of another tenant.`);
    return toArgs(of, isOnMachine).map((args): Call => [tool, args]);
  });
}
