// Patches the installed just-bash where it would exhaust an isolate's 128 MB: see docs/decisions/0037-what-a-shell-may-hold.md.
// Called by scripts/run.mjs before every command. Idempotent. Throws when the installed version differs from the patched one.
// Needs no package.
import { patchPackage } from "./patch-package.mjs";

const FILE = "just-bash/dist/bundle/browser.js";
/** `from` must occur exactly once, `pattern` exactly `times` times. */
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
    why: "the same for the shell's arrays, over a whole run; a small element costs the room of its entry",
    from: 'throw new C(`array value string limit exceeded (${e.limits.maxStringLength} bytes)`,"string_length");i.elements.set(o,r)}',
    to: 'throw new C(`array value string limit exceeded (${e.limits.maxStringLength} bytes)`,"string_length");let q=i.elements.get(o);if((e.executionScope.heldChars=(e.executionScope.heldChars??0)+r.length-(q===void 0?-64:q.length))>1.2e7)throw new C("array size limit exceeded (12000000 characters)","string_length");i.elements.set(o,r)}',
  },
  {
    why: "the shell's variables, those that a function hides included, are added up before each command",
    from: "e.state.commandCount=e.executionScope.chargeCommand(),R=await n(y,s)",
    to: `e.state.commandCount=e.executionScope.chargeCommand();{let q=e.state.env.size*64;if(e.state.env.size<2e3||e.state.commandCount%256===0){for(let v of e.state.env.values())q+=v.length;for(let c of e.state.localScopes)for(let v of c.values())q+=v?.length??0;for(let c of e.state.localVarStack?.values()??[])for(let v of c)q+=v.value?.length??0}if(q>8e6)throw new C("variables: size limit exceeded (8000000 characters)","string_length")}R=await n(y,s)`,
  },
  {
    why: "read joins a line character by character",
    from: "if(z>e.limits.maxStringLength-E)throw new C(`read: string length limit exceeded (${e.limits.maxStringLength} bytes)`",
    to: "if(z>1e6-E)throw new C(`read: string length limit exceeded (1000000 bytes)`",
  },
  {
    why: "mapfile holds its lines two or three times; what it could not hold ends the script instead of leaving the array empty",
    from: "m=e.limits.maxArrayElements,g=w=>{if(_(w)>e.limits.maxStringLength)throw new C(`mapfile",
    to: 'm=1e5+1,g=w=>{if(f.length>=1e5)throw new C("mapfile: array element limit exceeded (100000)","array_elements");if(_(w)>e.limits.maxStringLength)throw new C(`mapfile',
  },
  {
    why: "the same for an array that it adds to",
    from: 'b.size>m)return Q("",`mapfile: array element limit exceeded (${m})\n`,1);',
    to: 'b.size>1e5)throw new C("mapfile: array element limit exceeded (100000)","array_elements");',
  },
  {
    why: "tr joined its output character by character",
    from: 'throw new C(`tr: output size limit exceeded (${d} bytes)`,"output_size");b+=x,w+=S}',
    to: 'throw new C(`tr: output size limit exceeded (${d} bytes)`,"output_size");B.push(x)>9999&&(b.push(B.join("")),B=[]),w+=S}',
  },
  {
    why: "tr: its pieces",
    from: ',b="",w=0,y=x=>{let S=_(x);if(S>d-w)',
    to: ",b=[],B=[],w=0,y=x=>{let S=_(x);if(S>d-w)",
  },
  {
    why: "tr: its pieces, joined",
    from: 'for(let A of p)S(E.get(A)??A)}}return{stdout:b,stderr:"",exitCode:0}',
    to: 'for(let A of p)S(E.get(A)??A)}}b.push(B.join(""));return{stdout:b.join(""),stderr:"",exitCode:0}',
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
  {
    why: "what a word, a variable or a substitution holds is held several times on its way: less than what a command may pass on",
    from: "limits:t.limits,executionScope:t.executionScope,execFn:t.exec,",
    to: "limits:{...t.limits,maxStringLength:Math.min(2e6,t.limits.maxStringLength),maxArrayElements:Math.min(1e5,t.limits.maxArrayElements)},commandLimits:t.limits,executionScope:t.executionScope,execFn:t.exec,",
  },
  {
    why: "commands keep their own limit",
    from: "limits:i.limits,executionScope:u.internalIsExtension?",
    to: "limits:i.commandLimits,executionScope:u.internalIsExtension?",
  },
  {
    why: "$(<file) read the whole file before it looked at its size",
    from: 'h=p.startsWith("/")?p:`${e.state.cwd}/${p}`,m=await e.fs.readFile(h);',
    to: 'h=p.startsWith("/")?p:`${e.state.cwd}/${p}`;if((await e.fs.stat(h)).size>e.limits.maxStringLength)throw new C(`command substitution: string length limit exceeded (${e.limits.maxStringLength} bytes)`,"string_length");let m=await e.fs.readFile(h);',
  },
  {
    why: "a chunk for every line of output; small ones are joined",
    from: "return this.reserve(n),t&&this.chunks.push(t),this.usedBytes+=n,this}",
    to: 'return this.reserve(n),t&&(this.small??=[]).push(t)>999&&(this.chunks.push(this.small.join("")),this.small=[]),this.usedBytes+=n,this}',
  },
  {
    why: "the small ones, forgotten",
    from: "reset(){this.chunks.length=0,this.usedBytes=0}",
    to: "reset(){this.chunks.length=0,this.small=[],this.usedBytes=0}",
  },
  {
    why: "the small ones, at the end",
    from: 'build(){return this.chunks.join("")}',
    to: 'build(){return this.chunks.push((this.small??[]).join("")),this.small=[],this.chunks.join("")}',
  },
  {
    why: "cut held all lines at once",
    from: 'let c=(s?ue(a.content):a.content).split(`\n`);c.length>0&&c[c.length-1]===""&&c.pop();let u=pE(',
    to: 'let c=function*(q){for(let v=0;v<q.length;){let k=q.indexOf("\\n",v);k===-1&&(k=q.length),yield q.slice(v,k),v=k+1}}(s?ue(a.content):a.content);let u=pE(',
  },
  {
    why: "cut took each field of each line for a turn of a loop, 100,000 in all",
    from: 'p=h=>{if(!Number.isSafeInteger(h)||h<0||h>t.limits.maxLoopIterations-d)throw new C(`cut: range expansion limit exceeded (${t.limits.maxLoopIterations})`,"iterations");',
    to: 'p=h=>{if(h>2e7-d)throw new C("cut: field limit exceeded (20000000)","iterations");',
  },
  {
    why: "sed joined its output line by line",
    from: 'w=N=>{if(h+=N,b>0&&h.length>b)throw new C(`sed: output size limit exceeded (${b} bytes)`,"string_length")}',
    to: 'sb=[],sp=[],sl=0,w=N=>{if(sl+=N.length,b>0&&sl>b)throw new C(`sed: output size limit exceeded (${b} bytes)`,"string_length");sp.push(N)>999&&(sb.push(sp.join("")),sp=[])}',
  },
  {
    why: "sed: its pieces",
    from: "return!f&&g&&h.endsWith(`\n`)&&(h=h.slice(0,-1)),{output:h,exitCode:m}",
    to: 'return sb.push(sp.join("")),h=sb.join(""),!f&&g&&h.endsWith("\\n")&&(h=h.slice(0,-1)),{output:h,exitCode:m}',
  },
  {
    why: "grep held fifty files at once",
    from: "let ge=(ee.length>1||l&&Ie)&&!m,Pe=50;",
    to: "let ge=(ee.length>1||l&&Ie)&&!m,Pe=1;",
  },
  {
    why: "so did rg",
    from: "p=r.searchZip?2:50;",
    to: "p=1;",
  },
  {
    why: "rg took each line for a turn of a loop; grep's measure is ten times that",
    from: "kResetGroup:o,maxWork:e.limits.maxLoopIterations,",
    to: "kResetGroup:o,maxWork:$1(e),",
  },
  {
    why: "the same for what comes through a pipe",
    from: "kResetGroup:c,maxWork:t.limits.maxLoopIterations,",
    to: "kResetGroup:c,maxWork:$1(t),",
  },
  {
    why: "wc held all files at once",
    from: "let h=e.fs.resolvePath(e.cwd,p),m=await Wt(e.fs,h);return{filename:p,content:m,error:null}",
    to: "let h=e.fs.resolvePath(e.cwd,p),m=await Wt(e.fs,h);return{filename:p,content:n.each?n.each(m):m,error:null}",
  },
  {
    why: "wc: one file after another",
    from: 'c=await Js(t,a,{cmdName:"wc",stopOnError:!1});',
    to: 'c=await Js(t,a,{cmdName:"wc",stopOnError:!1,batchSize:1,each:q=>t1(q,o)});',
  },
  {
    why: "wc: each was counted already; - is standard input",
    from: "for(let{filename:y,content:x}of c.files){let S=t1(x,o);",
    to: 'for(let{filename:y,content:x}of c.files){let S=typeof x=="string"?t1(x,o):x;',
  },
  {
    why: "what went into a file still counted as output of the run",
    from: 'w.internalOutputAccounting={stdout:A,stderr:Math.min(E,x-A)},e.executionScope.accountResult(w,"redirection")',
    to: 'w.internalOutputAccounting={stdout:A,stderr:Math.min(E,x-A)};x>A+E&&N6(e.executionScope,x-A-E,"redirection");e.executionScope.accountResult(w,"redirection")',
  },
  {
    why: "bytes of a string: a list of its characters came first",
    from: "function ue(e,t=Tc){",
    to: "function bytesOf(q){let v=new Uint8Array(q.length);for(let k=0;k<q.length;k++)v[k]=q.charCodeAt(k);return v}function ue(e,t=Tc){",
  },
  {
    why: "the same, wherever a command wants the bytes of its input",
    pattern: "Uint8Array\\.from\\((\\w+(?:\\.\\w+)?),(\\w)=>\\2\\.charCodeAt\\(0\\)\\)",
    times: 7,
    to: "bytesOf($1)",
  },
  {
    why: "gzip wanted Buffer, which Workers have not",
    from: 'function fl(e){return Buffer.from(e).toString("latin1")}',
    to: 'function fl(e){let n=[];for(let r=0;r<e.length;r+=8192)n.push(String.fromCharCode.apply(null,e.subarray(r,r+8192)));return n.join("")}',
  },
  {
    why: "the end of a bracket expression was looked for to the end of the script, and within that for each [. again: 4 KB took 4.5 s",
    from: "function gk(e,t){let n=t+1;",
    to: "function gk(e,t){e=e.slice(0,t+300);let n=t+1;",
  },
  {
    why: "a range of braces was cut to 10,000 words without a word; now as many as the shell's limit says, and an error beyond",
    from: "var Uo=1e4,",
    to: "var Uo=1e9,",
  },
  {
    why: "the error",
    from: "if(e.length>=n.maxResults)return!1;",
    to: 'if(e.length>=n.maxResults)throw new C(`brace expansion result limit exceeded (${n.maxResults})`,"brace_expansion");',
  },
  {
    why: "a missing command is explained by the shell's user, as bash does with command_not_found_handle",
    from: "if(!c)return n4(t)?K(",
    to: 'if(!c||"error"in c&&c.error!=="permission_denied"){let q=i.commands.get("command_not_found_handle");if(q)return await q.execute([t],{})}if(!c)return n4(t)?K(',
  },
  {
    why: "the same for command -v",
    from: "}else r&&(i+=`${a}: not found\n`),o=1}return Q(s,i,o)}",
    to: '}else{r&&(i+=`${a}: not found\n`);let q=e.commands.get("command_not_found_handle"),v=q&&await q.execute(["-v",a],{});v&&(i+=v.stderr),o=1}}return Q(s,i,o)}',
  },
  {
    why: "the same for the interpreter that a script names",
    from: 'if(i.startsWith("#!")){let l=i.indexOf(`\n`);l!==-1&&(i=i.slice(l+1))}let o=e.state.loopDepth',
    to: 'if(i.startsWith("#!")){let l=i.indexOf(`\n`);{let q=e.commands.get("command_not_found_handle"),v=q&&await q.execute(["#!",l===-1?i:i.slice(0,l)],{});if(v&&v.exitCode!==0)return v}l!==-1&&(i=i.slice(l+1))}let o=e.state.loopDepth',
  },
  {
    why: "a command with & runs in the foreground, which was not said",
    from: "throw l.prependOutput(n.stdout,n.stderr),l}return n.build(r)}async executePipeline(",
    to: 'throw l.prependOutput(n.stdout,n.stderr),l}if(t.background){let q=this.ctx.commands.get("command_not_found_handle"),v=q&&await q.execute(["&"],{});v&&v.stderr&&n.append("stderr",v.stderr)}return n.build(r)}async executePipeline(',
  },
];

/** `modules`: a node_modules folder. */
export function patchJustBash(modules) {
  patchPackage(modules, { file: FILE, patches: PATCHES, name: "just-bash", script: "scripts/patch-just-bash.mjs" });
}
