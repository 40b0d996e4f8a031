// Rewrites a WebAssembly module so that it counts what it does. Each function entry and each round of a loop takes one unit from an
// exported global, `fuel`; a bulk memory instruction takes one for each 16 bytes. Below zero the module traps. Called by
// patch-quickjs.mjs. Pure. Supports the instructions that QuickJS's module has, and refuses all others.

/** Name of the exported global, an `i64` that the host sets and reads. */
export const FUEL = "fuel";

/** The module with a meter. Throws on an instruction that it does not know. */
export function meterModule(source) {
  const sections = readSections(source);
  const fuel = countGlobals(sections);
  const typeParams = readTypeParams(bodyOf(sections, SECTION.type));
  const types = readIndexes(bodyOf(sections, SECTION.function));
  const metered = sections.map(({ id, body }) => ({ id, body: meterSection(id, body, { fuel, typeParams, types }) }));
  const bytes = metered.flatMap(({ id, body }) => [id, ...unsigned(body.length), ...body]);
  return Uint8Array.from([...source.subarray(0, 8), ...bytes]);
}

const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 };

/**
 * `facts`: `fuel`, the index of the new global; `typeParams`, the number of parameters by type; `types`, the type of each function
 * without the imported ones.
 */
function meterSection(id, body, facts) {
  if (id === SECTION.global) return append(body, [OP.i64, 1, OP.i64Const, ...signed(INITIAL_FUEL), OP.end]);
  if (id === SECTION.export) {
    const name = new TextEncoder().encode(FUEL);
    return append(body, [...unsigned(name.length), ...name, 3, ...unsigned(facts.fuel)]);
  }
  return id === SECTION.code ? meterCode(body, facts) : body;
}

/** Enough to start the module; the host sets the limit of each run. */
const INITIAL_FUEL = 1_000_000_000;

/** Adds one item to a section that is a list. */
function append(body, item) {
  const reader = new Reader(body);
  const count = reader.unsigned();
  return Uint8Array.from([...unsigned(count + 1), ...body.subarray(reader.at), ...item]);
}

function meterCode(body, { fuel, typeParams, types }) {
  const reader = new Reader(body);
  const count = reader.unsigned();
  const out = [...unsigned(count)];
  for (let i = 0; i < count; i++) {
    const size = reader.unsigned();
    const metered = meterFunction(body.subarray(reader.at, reader.at + size), fuel, typeParams[types[i]]);
    for (const byte of unsigned(metered.length)) out.push(byte);
    for (const byte of metered) out.push(byte);
    reader.at += size;
  }
  return Uint8Array.from(out);
}

function meterFunction(body, fuel, params) {
  const reader = new Reader(body);
  const groups = reader.unsigned();
  let locals = params;
  for (let i = 0; i < groups; i++) {
    locals += reader.unsigned();
    reader.at++; // the type
  }
  const groupsEnd = reader.at;
  // One more local holds the length of a bulk instruction.
  const out = [...unsigned(groups + 1)];
  const groupsBegin = unsigned(groups).length;
  out.push(...body.subarray(groupsBegin, groupsEnd), 1, OP.i32, ...charge(fuel, [OP.i64Const, 1]));
  while (reader.at < body.length) {
    const begin = reader.at;
    const code = skipInstruction(reader);
    const bytes = body.subarray(begin, reader.at);
    if (code === OP.memoryCopy || code === OP.memoryFill) {
      const length = [OP.localGet, ...unsigned(locals)];
      const units = [...length, OP.i64ExtendI32U, OP.i64Const, 4, OP.i64ShrU];
      out.push(OP.localSet, ...unsigned(locals), ...charge(fuel, units), ...length);
    }
    out.push(...bytes);
    if (code === OP.loop) out.push(...charge(fuel, [OP.i64Const, 1]));
  }
  return out;
}

/** Takes units from the global, and traps below zero. `units`: instructions that leave an i64. */
function charge(fuel, units) {
  const at = unsigned(fuel);
  return [
    ...[OP.globalGet, ...at, ...units, OP.i64Sub, OP.globalSet, ...at],
    ...[OP.globalGet, ...at, OP.i64Const, 0, OP.i64LtS, OP.if, OP.empty, OP.unreachable, OP.end],
  ];
}

const OP = {
  ...{ unreachable: 0x00, block: 0x02, loop: 0x03, if: 0x04, end: 0x0b, brTable: 0x0e, callIndirect: 0x11 },
  ...{ localGet: 0x20, localSet: 0x21, globalGet: 0x23, globalSet: 0x24, i32Const: 0x41, i64Const: 0x42 },
  ...{ f32Const: 0x43, f64Const: 0x44, selectTyped: 0x1c, i64LtS: 0x53, i64Sub: 0x7d, i64ShrU: 0x88 },
  ...{ i64ExtendI32U: 0xad, refNull: 0xd0, refFunc: 0xd2, prefix: 0xfc, memoryCopy: 0xfc0a, memoryFill: 0xfc0b },
  ...{ i32: 0x7f, i64: 0x7e, empty: 0x40 },
};

/** Moves to the next instruction. Returns the opcode of this one, with its prefix. */
function skipInstruction(reader) {
  const code = reader.byte();
  if (code === OP.prefix) return skipPrefixed(reader);
  if (code === OP.block || code === OP.loop || code === OP.if || code === OP.i32Const || code === OP.i64Const) {
    reader.skip(); // a block's type is a signed number, too
  } else if (code === OP.brTable) {
    for (let left = reader.unsigned() + 1; left > 0; left--) reader.skip();
  } else if (code === OP.callIndirect) {
    reader.skip();
    reader.skip();
  } else if (code === OP.f32Const) reader.at += 4;
  else if (code === OP.f64Const) reader.at += 8;
  else if (isBetween(code, 0x28, 0x3e)) {
    reader.skip(); // loads and stores: alignment and offset
    reader.skip();
  } else if (
    code === 0x0c ||
    code === 0x0d ||
    code === 0x10 ||
    isBetween(code, 0x20, 0x24) ||
    isBetween(code, 0x3f, 0x40)
  ) {
    reader.skip(); // branches, calls, variables, memory.size and memory.grow: one index
  } else if (!hasNoImmediate(code)) throw new Error(`unknown WebAssembly instruction 0x${code.toString(16)}`);
  return code;
}

/** Conversions that do not trap have no immediate; bulk memory instructions name their memories. */
function skipPrefixed(reader) {
  const code = reader.unsigned();
  if (code === 10) reader.at += 2;
  else if (code === 11) reader.at += 1;
  else if (code > 7) throw new Error(`unknown WebAssembly instruction 0xfc ${code}`);
  return (OP.prefix << 8) | code;
}

function hasNoImmediate(code) {
  const isControl = code <= 0x01 || code === 0x05 || code === OP.end || code === 0x0f;
  return isControl || code === 0x1a || code === 0x1b || isBetween(code, 0x45, 0xc4);
}

function isBetween(code, from, to) {
  return code >= from && code <= to;
}

function readSections(source) {
  const reader = new Reader(source, 8);
  const sections = [];
  while (reader.at < source.length) {
    const id = reader.byte();
    const size = reader.unsigned();
    sections.push({ id, body: source.subarray(reader.at, reader.at + size) });
    reader.at += size;
  }
  return sections;
}

function bodyOf(sections, id) {
  const found = sections.find((section) => section.id === id);
  if (!found) throw new Error(`the module has no section ${id}`);
  return found.body;
}

/** The module must not import globals: the new one would need their number, too. */
function countGlobals(sections) {
  const imports = new Reader(bodyOf(sections, SECTION.import));
  for (let left = imports.unsigned(); left > 0; left--) {
    for (let names = 0; names < 2; names++) imports.skipBytes(imports.unsigned());
    const kind = imports.byte();
    if (kind === 0) imports.skip();
    else if (kind === 1 || kind === 2) {
      if (kind === 1) imports.at++; // the type of a table's elements
      const hasMaximum = imports.byte() & 1;
      for (let limits = 0; limits <= hasMaximum; limits++) imports.skip();
    } else throw new Error(`unknown kind of WebAssembly import ${kind}`);
  }
  return new Reader(bodyOf(sections, SECTION.global)).unsigned();
}

function readTypeParams(body) {
  const reader = new Reader(body);
  return Array.from({ length: reader.unsigned() }, () => {
    reader.at++; // the form: a function
    const params = reader.unsigned();
    reader.at += params;
    reader.skipBytes(reader.unsigned());
    return params;
  });
}

function readIndexes(body) {
  const reader = new Reader(body);
  return Array.from({ length: reader.unsigned() }, () => reader.unsigned());
}

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** A LEB128 number of up to 32 bits. */
  unsigned() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  skipBytes(count) {
    this.at += count;
  }

  /** Moves past a LEB128 number. */
  skip() {
    while (this.byte() >= 0x80);
  }
}

/** LEB128. */
function unsigned(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** Signed LEB128 of a number that is not negative. */
function signed(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x40; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
