// Skills that say the same in other words, under another name; and neighbours of them, in the same field and with the same
// tools, that are about something else. For the duplicate check.
export interface Draft {
  name: string;
  description: string;
  body: string;
}

const draft = (name: string, description: string, body: string): Draft => ({ name, description, body });

/** What the library holds. */
export const HELD: Draft[] = [
  draft(
    "adding-up-columns",
    "Adding up a column of a delimited text file when the first attempt fails.",
    `## When to use
When a total over a column of a delimited file is wanted.
## Steps
1. Look at the header: \`head -3 {{file}}\`.
2. Name the separator you see: \`sum -c {{column}} -s '{{separator}}' {{file}}\`.
3. Convert decimal commas first: \`tr ',' '.'\`.
## Pitfalls
- Do not take the separator for granted, because exports use semicolons.
- Skip the footer line, because it holds the total already.
## Verify
The count of rows equals the count of lines less header and footer.`,
  ),
  draft(
    "restoring-postgres-backups",
    "Restoring a PostgreSQL database from a dump into a fresh instance.",
    `## When to use
When a dump must be loaded into an empty database.
## Steps
1. Create the role before the data: \`createuser {{owner}}\`.
2. Run \`pg_restore --clean --if-exists --no-owner -d {{database}} {{dump}}\`.
3. Rebuild statistics: \`vacuumdb --analyze-only {{database}}\`.
## Pitfalls
- Match the major version of pg_restore to the dump, because older ones refuse newer formats.
- Disable triggers while loading, because foreign keys fire in the wrong order.
## Verify
Row counts of the three largest tables equal those in the manifest.`,
  ),
  draft(
    "publishing-npm-packages",
    "Publishing a package to the npm registry with provenance.",
    `## When to use
When a new version of a library goes out.
## Steps
1. Raise the version: \`npm version {{level}}\`.
2. See what would be packed: \`npm pack --dry-run\`.
3. \`npm publish --provenance --access public\`.
## Pitfalls
- Build before packing, because prepare scripts do not run in CI.
- Use a granular token with two-factor disabled for automation.
## Verify
\`npm view {{package}} version\` answers the new number.`,
  ),
  draft(
    "writing-weekly-reports",
    "Writing the weekly status report for the team lead.",
    `## When to use
When a summary of the week's work is asked for.
## Steps
1. Collect merged changes: \`git log --since='1 week' --oneline\`.
2. Group them by theme, at most five themes.
3. Begin with what is blocked, then progress, then plans.
## Pitfalls
- Keep it under two hundred words, because the lead reads it on a phone.
- No emoji and no bold, because the mail client strips them.
## Verify
Each theme names an owner.`,
  ),
  draft(
    "resizing-product-photos",
    "Resizing and compressing product photos for the shop.",
    `## When to use
When photos of products go to the web shop.
## Steps
1. Strip metadata: \`exiftool -all= {{photo}}\`.
2. Scale to a square: \`convert {{photo}} -resize 1200x1200 -gravity center -extent 1200x1200 {{out}}\`.
3. Encode as WebP: \`cwebp -q 82 {{out}} -o {{web}}\`.
## Pitfalls
- Keep the colour profile sRGB, because phones send P3.
- Never upscale, because the zoom view shows the blur.
## Verify
\`identify {{web}}\` says 1200x1200 and under 200 KB.`,
  ),
];

/** Each says what one of the above says, in other words. */
export const PARAPHRASED: [of: string, draft: Draft][] = [
  [
    "adding-up-columns",
    draft(
      "totalling-tabular-exports",
      "Computing sums from spreadsheet-like dumps that refuse a naive calculation.",
      `## When to use
Someone needs the overall amount of one field in an export.
## Steps
1. Inspect how fields are split with \`head -3 {{file}}\`.
2. Give the delimiter explicitly: \`sum -c {{column}} -s '{{separator}}' {{file}}\`.
3. Turn decimal commas into points with \`tr ',' '.'\` beforehand.
## Pitfalls
- Never assume a comma as separator; semicolons are usual in exports.
- Leave out the footer, which repeats the total.
## Verify
Rows counted match lines minus header and footer.`,
    ),
  ],
  [
    "restoring-postgres-backups",
    draft(
      "loading-sql-dumps",
      "Bringing an archived relational store back to life on another server.",
      `## When to use
An archive has to be imported on a new machine.
## Steps
1. Make the owner role exist: \`createuser {{owner}}\`.
2. Import with \`pg_restore --clean --if-exists --no-owner -d {{database}} {{dump}}\`.
3. Refresh planner statistics through \`vacuumdb --analyze-only {{database}}\`.
## Pitfalls
- Take a pg_restore whose major version is that of the dump; newer formats are refused otherwise.
- Turn off triggers during the import, or foreign keys complain about order.
## Verify
Compare row counts of the biggest tables with the manifest.`,
    ),
  ],
  [
    "publishing-npm-packages",
    draft(
      "releasing-javascript-libraries",
      "Shipping a fresh build of a module to its public registry.",
      `## When to use
A library is due for release.
## Steps
1. Bump with \`npm version {{level}}\`.
2. Check the contents by \`npm pack --dry-run\`.
3. Ship: \`npm publish --provenance --access public\`.
## Pitfalls
- Compile beforehand, as CI skips prepare scripts.
- A granular automation token without two-factor is required.
## Verify
The registry answers the new number to \`npm view {{package}} version\`.`,
    ),
  ],
  [
    "writing-weekly-reports",
    draft(
      "summarising-team-progress",
      "Drafting the Friday update that management wants.",
      `## When to use
The boss wants an overview of what happened lately.
## Steps
1. List what was merged: \`git log --since='1 week' --oneline\`.
2. Sort changes into no more than five themes.
3. Blocked items come first, progress second, plans last.
## Pitfalls
- Stay below two hundred words; it is read on a phone.
- Leave out bold and emoji, which the mail client strips.
## Verify
Every theme has an owner.`,
    ),
  ],
  [
    "resizing-product-photos",
    draft(
      "preparing-catalogue-images",
      "Getting pictures ready for the online store.",
      `## When to use
New pictures are to be listed online.
## Steps
1. Remove EXIF data using \`exiftool -all= {{photo}}\`.
2. Make it square by \`convert {{photo}} -resize 1200x1200 -gravity center -extent 1200x1200 {{out}}\`.
3. Compress to WebP: \`cwebp -q 82 {{out}} -o {{web}}\`.
## Pitfalls
- Convert P3 from phones to an sRGB profile.
- Do not enlarge small ones, blur shows in the zoom.
## Verify
\`identify {{web}}\` reports 1200x1200 and less than 200 KB.`,
    ),
  ],
];

/** In the same field, with some of the same tools, about another class of work. */
export const OTHERS: Draft[] = [
  draft(
    "merging-delimited-files",
    "Joining two delimited text files on a shared key.",
    `## When to use
When rows of two exports belong together.
## Steps
1. Look at both headers: \`head -1 {{left}} {{right}}\`.
2. Sort each by its key: \`sort -t '{{separator}}' -k {{key}}\`.
3. \`join -t '{{separator}}' {{left}} {{right}}\`.
## Pitfalls
- Drop the header before sorting, because it would land in the middle.
- Trim blanks of keys, because join compares bytes.
## Verify
Unmatched rows of \`join -v 1\` are explained.`,
  ),
  draft(
    "tuning-postgres-queries",
    "Making a slow PostgreSQL query fast.",
    `## When to use
When a query takes longer than the page may.
## Steps
1. \`EXPLAIN (ANALYZE, BUFFERS) {{query}}\` on the real database.
2. Look for sequential scans over large tables.
3. Add an index concurrently: \`CREATE INDEX CONCURRENTLY\`.
## Pitfalls
- Rebuild statistics first: \`vacuumdb --analyze-only {{database}}\`, because old ones mislead the planner.
- Measure twice, because the first run fills the cache.
## Verify
The plan uses the index, and the time is under the budget.`,
  ),
  draft(
    "auditing-npm-dependencies",
    "Finding and updating vulnerable npm dependencies.",
    `## When to use
When an advisory is out, or once a month.
## Steps
1. \`npm audit --omit=dev\`.
2. See who pulls it in: \`npm ls {{package}}\`.
3. Raise it, or override it in package.json, then \`npm ci\`.
## Pitfalls
- No \`npm audit fix --force\`, because it takes major versions.
- Read the changelog of what is raised, because majors break.
## Verify
The audit is clean and the tests pass.`,
  ),
  draft(
    "writing-release-notes",
    "Writing the notes of a release for customers.",
    `## When to use
When a version goes to customers.
## Steps
1. Collect merged changes: \`git log {{tag}}..HEAD --oneline\`.
2. Keep what a customer can see; name it by what they can do now.
3. Breaking changes first, with the way to move.
## Pitfalls
- No names of internal modules, because nobody outside knows them.
- Past releases are not edited, because feeds would repeat them.
## Verify
Each item links to its documentation.`,
  ),
  draft(
    "cutting-product-videos",
    "Cutting short product videos for the shop.",
    `## When to use
When a video of a product goes to the web shop.
## Steps
1. Strip metadata: \`exiftool -all= {{video}}\`.
2. Cut without encoding: \`ffmpeg -ss {{start}} -to {{end}} -i {{video}} -c copy {{out}}\`.
3. Encode for the web: \`ffmpeg -i {{out}} -c:v libx264 -crf 23 -movflags +faststart {{web}}\`.
## Pitfalls
- Put the index in front, because players wait for it.
- No sound track where the shop plays without sound.
## Verify
\`ffprobe {{web}}\` says under ten seconds and under 4 MB.`,
  ),
];
