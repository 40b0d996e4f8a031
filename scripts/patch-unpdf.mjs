// Patches the installed unpdf (pdf.js), so that a document cannot exhaust an isolate's memory or time: see
// docs/decisions/0067-reading-the-web.md. Called by scripts/run.mjs before every command. Idempotent. core/tools/web/page/pdf.ts sets
// the budget, and refuses to read with an installation that has none.
import { patchPackage } from "./patch-package.mjs";

const PATCHES = [
  {
    why: "the budget of the document that is being read, which pdf.ts sets",
    from: "export{AbortException,",
    to:
      "export const pdfBudget={buffer:0,bytes:0,steps:0,entries:0,isSpent:!1};" +
      'function spendPdf(e,t){if(e>pdfBudget.buffer||(pdfBudget.bytes-=e)<0||(pdfBudget.steps-=t)<0){pdfBudget.isSpent=!0;throw Error("the budget of the document is spent")}}' +
      'function fillPdf(e){if(!((pdfBudget.entries-=e)>=0)){pdfBudget.isSpent=!0;throw Error("the budget of the document is spent")}}' +
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
  {
    why: "a range of character codes in a font's map: sixteen million entries in twenty bytes",
    from: "throw Error(`mapCidRange - ignoring data above MAX_MAP_RANGE.`);",
    to: "throw Error(`mapCidRange - ignoring data above MAX_MAP_RANGE.`);fillPdf(1+Math.max(0,t-e));",
  },
  {
    why: "the same to text, which each entry copies",
    from: "throw Error(`mapBfRange - ignoring data above MAX_MAP_RANGE.`);",
    to: "throw Error(`mapBfRange - ignoring data above MAX_MAP_RANGE.`);fillPdf((1+Math.max(0,t-e))*Math.max(1,n.length>>1));",
  },
  {
    why: "one map that uses another copies it",
    from: "mapOne(e,t){this._map[e]=t}",
    to: "mapOne(e,t){fillPdf(1);this._map[e]=t}",
  },
  {
    why: "a map of one entry with a high code allocates the codes below it",
    from: "let n=Array(t.length);return t.forEach",
    to: "let n=[];return t.forEach",
  },
  {
    why: "widths of a range of characters: two thousand million in twenty bytes",
    from: "for(let e=t;e<=n;e++)i[e]=a",
    to: "fillPdf(1+Math.max(0,n-t));for(let e=t;e<=n;e++)i[e]=a",
  },
  {
    why: "the same for vertical text",
    from: "for(let e=t;e<=i;e++)o[e]=a",
    to: "fillPdf(1+Math.max(0,i-t));for(let e=t;e<=i;e++)o[e]=a",
  },
  {
    why: "widths by reference: each of many references to one long array is read",
    from: "if(Array.isArray(n))for(let e of n){let n=r.fetchIfRef(e);",
    to: "if(Array.isArray(n))for(let e of(fillPdf(n.length),n)){let n=r.fetchIfRef(e);",
  },
  {
    why: "the same for a font of single bytes",
    from: "if(Array.isArray(o)){let e=n.firstChar",
    to: "if(Array.isArray(o)){fillPdf(Math.max(0,o.length-256));let e=n.firstChar",
  },
  {
    why: "the same where fonts are compared, before they are read",
    from: "let l=e.get(`Widths`)||t.get(`Widths`);if(Array.isArray(l)){",
    to: "let l=e.get(`Widths`)||t.get(`Widths`);if(Array.isArray(l)){fillPdf(Math.max(0,l.length-256));",
  },
  {
    why: "the same for widths of a font of two bytes",
    from: "let n=e.get(`W`)||t.get(`W`);if(Array.isArray(n)){",
    to: "let n=e.get(`W`)||t.get(`W`);if(Array.isArray(n)){fillPdf(Math.max(0,n.length-1e3));",
  },
  {
    why: "names of characters, in one long array that many fonts share",
    from: "let e=s.get(`Differences`),t=0;for(let r of e)",
    to: "let e=s.get(`Differences`),t=0;fillPdf(Math.max(0,e.length-600));for(let r of e)",
  },
  {
    why: "a font takes about as much as this many entries, however short its description",
    from: "async translateFont({descriptor:e,dict:t,baseDict:n,composite:i,type:a,firstChar:o,lastChar:s,toUnicode:c,cssFontInfo:l}){",
    to: "async translateFont({descriptor:e,dict:t,baseDict:n,composite:i,type:a,firstChar:o,lastChar:s,toUnicode:c,cssFontInfo:l}){fillPdf(400);",
  },
  {
    why: "the streams of a page are fetched at once: a page of half a million takes 250 MB",
    from: "if(Array.isArray(r)){r=r.slice();for(let e=0,t=r.length;e<t;e++)",
    to: "if(Array.isArray(r)){r=r.slice();if(r.length>500)fillPdf(r.length*50);for(let e=0,t=r.length;e<t;e++)",
  },
  {
    why: "saved states of a page's graphics, which a page nests about ten deep",
    from: "this.stateStack.push(this.state),this.state=e.clone()",
    to: "if(this.stateStack.length>1e3)fillPdf(1/0);this.stateStack.push(this.state),this.state=e.clone()",
  },
  {
    why: "a string is read into an array of its characters",
    from: "for(;;){let i=!1;switch(r|0){case-1:warn$1(`Unterminated string`)",
    to: "for(;;){if(n.length>1e6)fillPdf(1/0);let i=!1;switch(r|0){case-1:warn$1(`Unterminated string`)",
  },
  {
    why: "the same for a string in hexadecimal",
    from: "e.push(String.fromCharCode(n<<4|r))",
    to: "(e.length>1e6&&fillPdf(1/0),e.push(String.fromCharCode(n<<4|r)))",
  },
  {
    why: "the text of a page is an array of characters until the page ends",
    from: "function buildTextContentItem({chars:e,extraSpacing:t}){",
    to: "function buildTextContentItem({chars:e,extraSpacing:t}){e&&spendPdf(0,e.length>>3);",
  },
  {
    why: "a document with a wrong table is searched line by line, and a line may be all of it",
    from: "r!==60&&!(++t>=e.length);",
    to: "r!==60&&n.length<1e5&&!(++t>=e.length);",
  },
  {
    why: "metadata in XML, which nobody reads: a tree of a thousand times its size",
    from: "get metadata(){let e=this.#r.getRaw(`Metadata`);if(!(e instanceof L))",
    to: "get metadata(){let e=null;if(!(e instanceof L))",
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
