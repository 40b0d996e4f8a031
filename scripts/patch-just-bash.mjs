// Changes a few places of just-bash after it was installed, because in an isolate of 128 MB they end it: see
// docs/decisions/0037-what-a-shell-may-hold.md. Called by scripts/run.mjs before every command; does nothing the second
// time, and throws when the library is not the version that these places were found in. Needs no package.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "just-bash/dist/bundle/browser.js";
/** `from` occurs exactly once. */
const PATCHES = [
  {
    why: "one string piece a byte: 10 MB of text cost 300 MB on their way into a pipe; ASCII needs no change at all",
    from: 'Rc(_(e),t,"UTF-8 encode");let n=K3.encode(e),r="";for(let s=0;s<n.length;s++)r+=String.fromCharCode(n[s]);return r}',
    to: 'let b=_(e);Rc(b,t,"UTF-8 encode");if(b===e.length)return e;let n=K3.encode(e),r=[];for(let s=0;s<n.length;s+=8192)r.push(String.fromCharCode.apply(null,n.subarray(s,s+8192)));return r.join("")}',
  },
  {
    why: "the same for bytes of a file",
    from: 'let n="";for(let r=0;r<e.length;r++)n+=String.fromCharCode(e[r]);return n}',
    to: 'let n=[];for(let r=0;r<e.length;r+=8192)n.push(String.fromCharCode.apply(null,e.subarray(r,r+8192)));return n.join("")}',
  },
  {
    why: "awk wrote a file again for every line printed into it",
    from: 'appendFile:async(b,w)=>{try{let y=await n("appendFile read",()=>t.fs.readFile(b));await n("appendFile write",()=>t.fs.writeFile(b,y+w))}catch(y){if(y instanceof ye)throw y;await n("appendFile create",()=>t.fs.writeFile(b,w))}}',
    to: 'appendFile:async(b,w)=>{await n("appendFile write",()=>t.fs.appendFile(b,w))}',
  },
  {
    why: "awk's arrays: fewer elements than records, and a limit for what they hold",
    from: 'if(e.arrayElementCount>=e.maxArrayElements)throw new C(`array element limit exceeded (${e.maxArrayElements})`,"array_elements");e.arrayElementCount++}e.arrays[s][n]=r}',
    to: 'if(e.arrayElementCount>=Math.min(4e5,e.maxArrayElements))throw new C("array element limit exceeded (400000)","array_elements");e.arrayElementCount++}let q=e.arrays[s][n];e.heldChars=(e.heldChars??0)+(typeof r=="string"?r.length:0)-(typeof q=="string"?q.length:0);if(e.heldChars>2e7)throw new C("array size limit exceeded (20000000 characters)","string_length");e.arrays[s][n]=r}',
  },
  {
    why: "the same for the shell's arrays, over a whole run",
    from: 'throw new C(`array value string limit exceeded (${e.limits.maxStringLength} bytes)`,"string_length");i.elements.set(o,r)}',
    to: 'throw new C(`array value string limit exceeded (${e.limits.maxStringLength} bytes)`,"string_length");if(r.length>1024&&(e.executionScope.heldChars=(e.executionScope.heldChars??0)+r.length)>2e7)throw new C("array size limit exceeded (20000000 characters)","string_length");i.elements.set(o,r)}',
  },
  {
    why: "the shell's variables, those that a function hides included, are added up before each command",
    from: "e.state.commandCount=e.executionScope.chargeCommand(),R=await n(y,s)",
    to: `e.state.commandCount=e.executionScope.chargeCommand();{let q=e.state.env.size*64;if(e.state.env.size<2e3||e.state.commandCount%256===0){for(let v of e.state.env.values())q+=v.length;for(let c of e.state.localScopes)for(let v of c.values())q+=v?.length??0;for(let c of e.state.localVarStack?.values()??[])for(let v of c)q+=v.value?.length??0}if(q>2e7)throw new C("variables: size limit exceeded (20000000 characters)","string_length")}R=await n(y,s)`,
  },
  {
    why: "read joins a line character by character",
    from: "if(z>e.limits.maxStringLength-E)throw new C(`read: string length limit exceeded (${e.limits.maxStringLength} bytes)`",
    to: "if(z>1e6-E)throw new C(`read: string length limit exceeded (1000000 bytes)`",
  },
  {
    why: "mapfile holds its lines two or three times; what it could not hold ends the script instead of leaving the array empty",
    from: "m=e.limits.maxArrayElements,g=w=>{if(_(w)>e.limits.maxStringLength)throw new C(`mapfile",
    to: 'm=Math.min(1e5+1,e.limits.maxArrayElements),g=w=>{if(f.length>=1e5)throw new C("mapfile: array element limit exceeded (100000)","array_elements");if(_(w)>e.limits.maxStringLength)throw new C(`mapfile',
  },
  {
    why: "the same for an array that it adds to",
    from: 'b.size>m)return Q("",`mapfile: array element limit exceeded (${m})\n`,1);',
    to: 'b.size>1e5)throw new C("mapfile: array element limit exceeded (100000)","array_elements");',
  },
  {
    why: "tr joined its output character by character",
    from: 'throw new C(`tr: output size limit exceeded (${d} bytes)`,"output_size");b+=x,w+=S}',
    to: 'throw new C(`tr: output size limit exceeded (${d} bytes)`,"output_size");(B+=x).length>8192&&(B.charCodeAt(0),b.push(B),B=""),w+=S}',
  },
  {
    why: "tr: its pieces",
    from: ',b="",w=0,y=x=>{let S=_(x);if(S>d-w)',
    to: ',b=[],B="",w=0,y=x=>{let S=_(x);if(S>d-w)',
  },
  {
    why: "tr: its pieces, joined",
    from: 'for(let A of p)S(E.get(A)??A)}}return{stdout:b,stderr:"",exitCode:0}',
    to: 'for(let A of p)S(E.get(A)??A)}}b.push(B);return{stdout:b.join(""),stderr:"",exitCode:0}',
  },
  {
    why: "jq made an object for every letter",
    from: "e.replace(/[A-Z]/g,i=>String.fromCharCode(i.charCodeAt(0)+32))",
    to: "e.replace(/[A-Z]+/g,i=>i.toLowerCase())",
  },
  {
    why: "the same for the other case",
    from: "e.replace(/[a-z]/g,i=>String.fromCharCode(i.charCodeAt(0)-32))",
    to: "e.replace(/[a-z]+/g,i=>i.toUpperCase())",
  },
];

const MARK = `/* patched ${createHash("sha256").update(JSON.stringify(PATCHES)).digest("hex").slice(0, 16)} */`;

/** `modules`: a node_modules folder. */
export function patchJustBash(modules) {
  const path = join(modules, FILE);
  const original = `${path}.orig`;
  if (!existsSync(path)) return; // not installed: whoever needs it will say so
  const installed = readFileSync(path, "utf8");
  if (installed.startsWith(MARK)) return;
  let text = installed.startsWith("/* patched ") ? readFileSync(original, "utf8") : installed;
  replaceFile(original, text);
  for (const { from, to, why } of PATCHES) {
    if (text.split(from).length !== 2) {
      throw new Error(`just-bash has changed where it is patched (${why}): adapt scripts/patch-just-bash.mjs`);
    }
    text = text.replace(from, () => to);
  }
  replaceFile(path, `${MARK}\n${text}`);
}

/** A new file rather than new content: package managers link files of their cache into node_modules. */
function replaceFile(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
