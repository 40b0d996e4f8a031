import { describe, expect, it } from "vitest";
import { judgeMessage } from "../../../core/learning/observe/judge-message.ts";

const judged = (message: string, asked = false) => {
  const { outcome, correction } = judgeMessage(message, { asked });
  return correction ? "correction" : outcome;
};

describe("a message that follows an answer", () => {
  it.each([
    "Thanks, that worked.",
    "thank you, it works now",
    "Perfect!",
    "Perfect, thanks.",
    "Great job. Now do the same for April.",
    "Yes, exactly.",
    "Exactly what I needed!",
    "That's right. Next: sum the third column.",
    "Ah, that did the trick, thanks!",
    "Looks good? Nice work.",
    "Looks good, thanks!",
    "Works!",
    "LGTM",
    "and it prints. cheers",
    "Thanks, the button does what it should now.",
    "My colleague says they are the best.",
    "Danke, das hat funktioniert.",
    "Sieht gut aus.",
    "Perfekt, danke!",
    "Super. Jetzt noch die zweite Datei.",
    "Genau so. Und jetzt April.",
    "Parfait, merci !",
    "Merci, ça marche.",
    "Perfecto, gracias.",
    "Gracias, funciona.",
    "Now do the same for April.",
    "Ship it.",
    "Looks great, send it to the team",
    "I used to fight with this, now it runs without errors",
    "The customer loved it.",
    "printed it already, brilliant",
    "can see the whole row now",
    "my aunt understood it and she is 80",
    "👍",
    "Bombe, schick es so raus",
    "Impeccable, tu peux l'envoyer",
    "Quedó perfecto, mándalo",
    "Ficou ótimo, pode mandar",
    "Deu certo de primeira, valeu",
    "太棒了，就这样发出去",
    "搞定了，谢谢",
    "完璧です、ありがとう",
    "ちゃんと動きました",
  ])("approves: %s", (message) => {
    expect(judged(message)).toBe("success");
  });

  it.each([
    "That's wrong.",
    "No, that's wrong.",
    "No.",
    "That did not work.",
    "it still doesn't work",
    "This is not what I asked for.",
    "Not what I asked.",
    "The total is incorrect, try again.",
    "Wrong again.",
    "Your answer isn't right.",
    "Great, but that is wrong.",
    "It failed again on my side.",
    "Hmm, not quite.",
    "Das ist falsch.",
    "Nein, das stimmt nicht.",
    "Das hat nicht funktioniert.",
    "Das ist nicht, was ich wollte.",
    "C'est faux.",
    "Ça ne marche pas.",
    "Eso está mal.",
    "No funciona.",
    "This was refused.",
    "The file was rejected, sorry.",
    "Great, except the second page is blank",
    "nice, but the total has no currency",
    "It still says the old name",
    "are you sure? that seems high",
    "please undo that",
    "I give up",
    "why did you delete my notes?",
    "Super, aber die Summe fehlt",
    "Es kommt immer noch eine Fehlermeldung",
    "Bravo, sauf que la date est fausse",
    "Sigue dando el mismo error",
    "Não funcionou, deu erro de novo",
    "还是报错",
    "数字不对",
    "エラーが出ます",
  ])("complains: %s", (message) => {
    expect(judged(message)).toBe("failure");
  });

  it.each([
    "No, use tabs instead.",
    "No, newest first.",
    "hm, no, newest first please",
    "That's wrong. The delimiter is a semicolon.",
    "Stop doing that, just answer.",
    "Stop adding comments to the code.",
    "This is too long.",
    "Too long. Three sentences are enough.",
    "I told you to sort by date.",
    "I told you: metric units, always.",
    "Not what I asked for: it should list the files by size.",
    "You forgot the header; always keep it.",
    "I asked for the median, not the mean.",
    "You should have used the median.",
    "Thanks, but I wanted it as a table.",
    "That's correct, but too long.",
    "Nein, nimm bitte das Komma.",
    "Das ist zu lang.",
    "Ich habe dir doch gesagt, du sollst metrische Einheiten verwenden.",
    "Hör auf, Kommentare zu schreiben. Lass sie immer weg.",
    "C'est trop long.",
    "Non, c'est faux, il faut utiliser des virgules.",
    "Eso está mal, debería ser en euros.",
    "Es demasiado largo.",
    "No, that's wrong. For `ledger export` pass `--encoding latin1`.",
    "This was refused. The right encoding for the ledger: `latin1`.",
    "Das ist falsch. Beim Ledger gilt immer noch `latin1`.",
  ])("corrects: %s", (message) => {
    expect(judged(message)).toBe("correction");
  });

  it.each([
    "",
    "we're in 2025 now",
    "I can't hear it any more",
    "last week zero bounces",
    "my wife laughed at the manual for minutes",
    "Thanks.",
    "What is the average of `price`?",
    "Is that wrong?",
    "Did that work?",
    "Find the rows whose names are too long.",
    "Find what is wrong in a.csv.",
    'The test says "that is wrong". Why?',
    "> That's wrong.\nSomebody wrote this. Summarise it.",
    "```\nthat is wrong\n```",
    "If that is wrong, tell me.",
    "That is not wrong.",
    "There is nothing wrong with it.",
    "No problem.",
    "No thanks.",
    "No, thank you.",
    "No need to hurry.",
    "Great Britain's exports, please.",
    "Correct the spelling in notes.md.",
    "Sort by date, wrong rows last.",
    "He says that is wrong.",
    "beleza",
    "whichever's cheaper of the two",
    "lovely, there were eleven of us in there",
    "is there a way to see who had the most nights",
    "clicked all of them, no 404 any more",
    "uma vergonha, a minha internet cai todo santo dia",
    "ran out of time",
    "the folder has no borders",
    "Wenn das falsch ist, sag es mir.",
    "Nein danke.",
    "Finde die falschen Zeilen.",
    "Si c'est faux, dis-le-moi.",
    "Non merci.",
    "Encuentra los errores.",
    "No, gracias.",
    "never mind, the meeting was cancelled",
    "cool, I haven't looked at it yet",
    "my last job was terrible",
    "The weather is awful today",
    "is the museum open on Sunday",
    "let me think about it",
    "who invented the fax?",
    "noch nicht angeschaut",
    "je regarde ça demain",
    "luego lo miro",
    "ainda não testei",
    "我明天再看",
    "後で確認します",
    "next up the error messages",
    "scrap that, half the altos have flu so we're staying home",
    "we don't need it any more, uncle's lending us his",
    "councillor Hayes is such a windbag isnt he",
    "scanned every one with my crappy old phone",
    "次は来週の予定を一覧にしてください",
    "need to run it past the bridesmaids",
    "we have to call it off, my back's gone",
    "so uh while I've got you how long do I have to keep old papers",
    "my brother swears by the red one but he swears by everything",
    "blimey, that would of been nasty",
    "thanks, will read it tonight",
    "ok thanks",
    "The build failed on Monday. List the reasons.",
    "List what looks good in the report.",
    "Summarise the report. It has three parts. Keep it short. That is wrong in many cases.",
  ])("judges nothing: %s", (message) => {
    expect(judged(message)).toBe("unknown");
  });

  it("is an answer and not a verdict when it answers a question", () => {
    expect(judged("No.", true)).toBe("unknown");
    expect(judged("No, leave it.", true)).toBe("unknown");
    expect(judged("No, that's wrong.", true)).toBe("failure");
  });

  it("can approve the answer and wish for a different one next time", () => {
    expect(judged("Great job. Next time put the sources at the end.")).toBe("correction");
    expect(judgeMessage("Great job. Next time put the sources at the end.").outcome).toBe("success");
  });

  it("is about the answer if it names what was asked for, and otherwise may be about anything", () => {
    const complaint = "The soup was terrible";
    expect(judgeMessage(complaint, { request: "A recipe for soup" }).outcome).toBe("failure");
    expect(judgeMessage(complaint, { request: "Book a table" }).outcome).toBe("unknown");
  });

  it("fails the answer when it denies something in the words of the request", () => {
    const request = "Draw a table for eight";
    const denial = "the table has no chairs";
    expect(judgeMessage(denial, { request }).outcome).toBe("failure");
    expect(judgeMessage(denial, { request, asked: true }).outcome).toBe("unknown");
    expect(judgeMessage("has the table no chairs?", { request }).outcome).toBe("unknown");
    expect(judgeMessage("now the round table", { request }).outcome).toBe("unknown");
    expect(judgeMessage(denial, { request: "Find a film" }).outcome).toBe("unknown");
  });

  it.each([
    ["the next item", "Rechnung 4712", "Rechnung 4711 ist bezahlt."],
    ["the next item, after thanks", "Merci, on était 12 à table hier !", "Il faut 8 assiettes."],
    ["a date", "Dentist on the 14th at 9", "The meeting is at 10:30."],
    ["a version", "That was v2.1.0, tagging 2.1.1 now", "Released 2.1.0."],
    ["a report", "Tom got 64", "Your average is 71."],
  ])("does not contradict the answer with the numbers of %s", (_what, message, answer) => {
    expect(judgeMessage(message, { request: "Look it up", answer })).toMatchObject({ correction: false });
    expect(judgeMessage(message, { request: "Look it up", answer }).outcome).not.toBe("failure");
  });

  it("is a correction when it contrasts what is wanted with what is not", () => {
    expect(judged("by surname, not first name")).toBe("correction");
    expect(judged("not first name, by surname")).toBe("correction");
    expect(judged("they went home, not to dinner")).toBe("unknown");
    expect(judged("if by surname, not first name")).toBe("unknown");
  });

  it("is no verdict when it has praise next to a complaint that names nothing wrong", () => {
    expect(judged("Perfect, the crash is gone")).not.toBe("failure");
    expect(judged("Perfect, but the footer is missing")).toBe("failure");
  });

  it("is no verdict when it gives the approval that the agent asked for", () => {
    expect(judged("go ahead", true)).toBe("unknown");
    expect(judged("go ahead")).toBe("success");
  });

  it("is judged fast, however long and odd it is", () => {
    const long = "it is ".repeat(50_000) + "a".repeat(100_000);
    expect(judged(long)).toBe("unknown");
    for (const odd of ["„", "«", "\n", "`", '"', "\n>", "is ", " but", "the "]) {
      expect(judged(`x${odd.repeat(100_000)}`)).toBe("unknown");
    }
  }, 2_000);

  it("is no verdict when it is an endless list of words", () => {
    expect(judged(`${"file total row date name ".repeat(9)} is wrong, perfect`)).toBe("success");
    expect(judged(`${"file total row date name ".repeat(9)} is wrong`)).toBe("unknown");
  });

  it("is judged by its beginning, after any leading blanks", () => {
    expect(judged(`${"\n".repeat(50_000)}That's wrong.`)).toBe("failure");
  });
});
