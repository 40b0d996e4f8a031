// Rewrites awk command lines for just-bash's awk, which lacks four features: a separator of one special character (-F'|' and
// -F. are literal in every other awk, but regular expressions there), FS as a variable, programs in a file (-f), and
// assignments before the files (n=3 table.csv). Called before every awk. Reads program files only.

/** Returns arguments of the same meaning for just-bash's awk. `readProgram` returns `null` for a missing file. */
export async function adaptAwkArguments(
  args: string[],
  readProgram: (path: string) => Promise<string | null>,
): Promise<{ ok: true; args: string[] } | { ok: false; message: string }> {
  const options: string[] = [];
  const programs: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    if (!arg.startsWith("-") || arg === "-") break;
    const flag = arg.slice(0, 2);
    if (flag !== "-F" && flag !== "-v" && flag !== "-f") {
      options.push(arg);
      continue;
    }
    const value = arg.length > 2 ? arg.slice(2) : (args[++at] ?? "");
    if (flag === "-F") options.push("-F", literalSeparator(value));
    if (flag === "-v") options.push(...toOption(value));
    if (flag === "-f") {
      const program = await readProgram(value);
      if (program === null) return { ok: false, message: `awk: can't open file ${value}` };
      programs.push(program);
    }
  }
  const program = programs.length > 0 ? programs.join("\n") : args[at++];
  if (program === undefined) return { ok: true, args };
  const operands = args.slice(at);
  const leading = operands.findIndex((operand) => !ASSIGNMENT.test(operand));
  const assigned = operands.slice(0, leading === -1 ? operands.length : leading);
  for (const assignment of assigned) options.push(...toOption(assignment));
  return { ok: true, args: [...options, adaptProgram(program), ...operands.slice(assigned.length)] };
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const SPECIAL = /^[|.*+?^$()[\]{}]$/;
/** `FS = "|"` in the program's text, if it means the same as -F. */
const SEPARATOR_IN_PROGRAM = /\bFS(\s*=\s*)"([|.*+?$()[\]{}])"/g;

function adaptProgram(program: string): string {
  return program.replace(SEPARATOR_IN_PROGRAM, (_, equals: string, sign: string) => `FS${equals}"[${sign}]"`);
}

function toOption(assignment: string): [string, string] {
  return assignment.startsWith("FS=") ? ["-F", literalSeparator(assignment.slice(3))] : ["-v", assignment];
}

function literalSeparator(separator: string): string {
  if (separator === "^") return "\\^";
  return SPECIAL.test(separator) ? `[${separator}]` : separator;
}
