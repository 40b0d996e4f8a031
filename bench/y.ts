import { meaningOf } from "../core/learning/taint/meaning.ts";
for (const t of process.argv.slice(2)) { const m = meaningOf(t); console.log([...m.topics], m.binds, m.isReport, m.isTerse, m.isDemand, "|", t); }
