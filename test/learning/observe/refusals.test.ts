// What programs say when they do not take a word, and what they say when something else went wrong.
import { expect, it } from "vitest";
import { wordsIn } from "../../../core/learning/observe/call-words.ts";
import { findRefused } from "../../../core/learning/observe/refusals.ts";

const refusedIn = (command: string, said: string) => findRefused([...wordsIn(command)], [said]);

it.each([
  ["git commit --amen", "error: unknown option `amen'", ["--amen"]],
  ["git swich main", "git: 'swich' is not a git command. See 'git --help'.", ["swich"]],
  ["pip install --user-only rich", "no such option: --user-only", ["--user-only"]],
  ["docker compose upp", 'unknown docker command: "compose upp"', ["upp"]],
  ["gh pr open", 'unknown command "open" for "gh pr"', ["open"]],
  ["ffmpeg -i a.mp4 -crfx 20 b.mp4", "Unrecognized option 'crfx'.", ["-crfx"]],
  ["ffmpeg -i a.mp4 -vcodec h266 b.mp4", "[vost#0:0 @ 0x55] Unknown encoder 'h266'", ["h266"]],
  ["set client_encoding to latin99", 'ERROR:  invalid value for parameter "client_encoding": "latin99"', ["latin99"]],
  ["curl --jsn http://x", "curl: option --jsn: is unknown", ["--jsn"]],
  ["cargo build --realease", "error: unexpected argument '--realease' found", ["--realease"]],
  ["go test -covr ./...", "flag provided but not defined: -covr", ["-covr"]],
  ["terraform apply --yes", "flag provided but not defined: -yes", ["--yes"]],
  ["rsync --progres a b", "rsync: --progres: unknown option", ["--progres"]],
  ["pandoc -t docx7 a.md", "Unknown output format docx7", ["docx7"]],
  [
    "report.py --format pdfx",
    "report.py: error: argument --format: invalid choice: 'pdfx' (choose from 'csv', 'pdf')",
    ["pdfx"],
  ],
  ["load --mode quick", "Error: Invalid value for '--mode': 'quick' is not one of 'slow', 'full'.", ["quick"]],
  ["load --mode quick", "error: invalid value 'quick' for '--mode <MODE>'", ["quick"]],
  ["load --mode quick", "invalid value for --mode: quick", ["quick"]],
  ["post prio urgent", `{"message":"prio must be one of: low, normal, high (got 'urgent')"}`, ["urgent"]],
  ["post colour red", '{"detail":"Unknown field: colour"}', ["colour"]],
  ["node --experimental-foo a.js", "node: bad option: --experimental-foo", ["--experimental-foo"]],
  ["iconv -f utf16z a", "iconv: conversion from `utf16z' is not supported", ["utf16z"]],
  ["sort --rev a.txt", "sort: Unbekannte Option »--rev“", ["--rev"]],
  ["ls --colr", "ls: opción no reconocida '--colr'", ["--colr"]],
  ["grep --colr x a", "grep : option non reconnue '--colr'", ["--colr"]],
  ["sort --rev a.txt", "sort: 認識できないオプション '--rev'", ["--rev"]],
  ["sort --rev a.txt", "sort：未识别的选项 “--rev”", ["--rev"]],
  ["git push --frce origin", "error: unknown flag --frce for 'push'", ["--frce"]],
  ["mailing render stacked", "mailing render: 'stacked' is not accepted", ["stacked"]],
])("of %s, a program refuses by name: %s", (command, said, refused) => {
  expect(refusedIn(command, said)).toEqual(refused);
});

it.each([
  ["git push origin main", "fatal: unable to access 'https://x/y.git/': Could not resolve host: x"],
  ["git checkout release-9", "error: pathspec 'release-9' did not match any file(s) known to git"],
  ["kubectl apply -f deploy.yaml", 'error validating "deploy.yaml": unknown object type "nil" in Deployment.spec'],
  ["ffmpeg -i in.mp4 out.mp4", "in.mp4: Invalid data found when processing input"],
  ["psql -c total", 'ERROR:  column "total" does not exist'],
  ["mysql -e total", "ERROR 1054 (42S22): Unknown column 'total' in 'field list'"],
  ["tar -xf backup.tgz", "tar: backup.tgz: Cannot open: Invalid argument"],
  ["cargo test --release", '  left: "unknown option --release"'],
  ["cargo test --release", "test parse::rejects_unknown_option ... FAILED: --release"],
  ["load.py --strict a.csv", "ValueError: invalid literal for int() with base 10: 'strict'"],
  ["post email anna", '{"error":"invalid email address: anna"}'],
  ["import --encoding latin1 a.csv", "WARNING unknown encoding 'latin1' in row 3, taken as text"],
  ["jq .total a.json", "jq: parse error: Invalid numeric literal at line 1, column 6"],
  ["psql -c encoding UTF8", "FEHLER:  ungültige Byte-Sequenz für Kodierung »UTF8«: 0xe9"],
  ["psql -c encoding UTF8", "séquence d'octets invalide pour l'encodage « UTF8 »"],
  ["psql -c abc", "ungültige Eingabesyntax für Typ integer: »abc«"],
  ["cc -Wno-foo a.c", "cc1: warning: unrecognized command line option '-Wno-foo'"],
  ["import --encoding latin1", "WARNING: unknown encoding 'latin1' in row 3"],
  ["chown app shared", "chown: changing ownership of 'shared': Operation not permitted"],
  ["ln -s a current", "ln: failed to create symbolic link 'current': Operation not supported"],
  ["psql -U app", 'FATAL: role "app" is not permitted to log in'],
  ["mysql -h db01", "ERROR 2005 (HY000): Unknown MySQL server host 'db01' (-2)"],
  ["ping db01", "ping: unbekannter Host db01"],
  ["ping db01", "ping: hôte inconnu db01"],
  ["chgrp deploy a", "chgrp: invalid group: ‘deploy’"],
  ["git push origin/main", "fatal: invalid upstream 'origin/main'"],
  ["docker pull web:v1", 'rpc error: code = Unknown desc = failed to pull image "web:v1": no such host'],
  ["mv dist old", "Error: EINVAL: invalid argument, rename 'dist' -> 'old'"],
  ["cp copie b", "'copie': Argument invalide"],
  ["cp informe b", "cp: 'informe': Argumento inválido"],
  ["kubectl apply web", 'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be at least 0'],
  ["make release", "make: *** No rule to make target 'a.c', needed by 'release'.  Stop."],
])("of %s, nothing is refused by name: %s", (command, said) => {
  expect(refusedIn(command, said)).toEqual([]);
});
