// Patches the installed unpdf (pdf.js), so that a document cannot exhaust an isolate's memory or time: see
// docs/decisions/0067-reading-the-web.md. Called by scripts/run.mjs before every command. Idempotent. core/tools/web/page/pdf.ts sets
// the budget, and refuses to read with an installation that has none.
import { patchPackage } from "./patch-package.mjs";

const PATCHES = [
  {
    why: "the budget of the document that is being read, which pdf.ts sets",
    from: "export{AbortException,",
    to:
      "export const pdfBudget={buffer:0,bytes:0,steps:0,isSpent:!1};" +
      'function spendPdf(e,t){if(e>pdfBudget.buffer||(pdfBudget.bytes-=e)<0||(pdfBudget.steps-=t)<0){pdfBudget.isSpent=!0;throw Error("the budget of the document is spent")}}' +
      "export{AbortException,",
  },
  {
    why: "a decoded stream grows without a limit: a few KB become gigabytes",
    from: "for(;n<e;)n*=2;let r=new Uint8Array(n);return r.set(t),this.buffer=r}getByte(){let e=this.pos;",
    to: "for(;n<e;)n*=2;spendPdf(n,0);let r=new Uint8Array(n);return r.set(t),this.buffer=r}getByte(){let e=this.pos;",
  },
  {
    why: "the same where the runtime decompresses",
    from: "for await(let e of n)a.push(e),o+=e.byteLength;",
    to: "for await(let e of n){if((o+=e.byteLength)>pdfBudget.buffer)throw Error();spendPdf(e.byteLength,0);a.push(e)}",
  },
  {
    why: "forms that draw each other twice take time that doubles with each level",
    from: "check(){return++this.checked<TimeSlotManager.CHECK_TIME_EVERY",
    to: "check(){spendPdf(0,1);return++this.checked<TimeSlotManager.CHECK_TIME_EVERY",
  },
  {
    why: "entering a form costs about as much as a hundred operators",
    from: "let h=e.dict?.objId,g=new RefSet(p);if(h){if(p?.has(h))throw Error(`getTextContent",
    to: "spendPdf(0,100);let h=e.dict?.objId,g=new RefSet(p);if(h){if(p?.has(h))throw Error(`getTextContent",
  },
];

/** `modules`: a node_modules folder. */
export function patchUnpdf(modules) {
  patchPackage(modules, {
    file: "unpdf/dist/pdfjs.mjs",
    patches: PATCHES,
    name: "unpdf",
    script: "scripts/patch-unpdf.mjs",
  });
}
