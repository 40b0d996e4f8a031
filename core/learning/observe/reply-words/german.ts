// What people write in German about an answer. See lexicon.ts.
import type { Lexicon } from "./lexicon.ts";

export const GERMAN: Partial<Lexicon> = {
  praise: `
    perfekt*, super, prima, klasse, toll, tolle|toller|tolles, spitze, spitzenmäßig, großartig*, grossartig*, hervorragend*, ausgezeichnet*,
    wunderbar*, wunderschön*, fantastisch*, phantastisch*, genial*, brillant*, exzellent*, einwandfrei*, tadellos*, makellos*, mega, hammer,
    bombe, geil, krass gut, bestens, 1a, eins a, astrein, traumhaft, herrlich, köstlich, lecker,
    sehr|echt|richtig|wirklich|total|ganz|verdammt gut|schön|hilfreich|nett|übersichtlich|praktisch|verständlich,
    gut|super|toll|schön|sauber|stark|klasse gemacht|gelöst|erklärt|erkannt|gesehen,
    gute|super|tolle|starke|saubere|klasse arbeit|idee|lösung|wahl|erklärung|übersicht|zusammenfassung, guter|super tipp|fang|vorschlag,
    genau so|das|richtig|was|wie, ganz genau, exakt, was ich wollte|brauchte|brauche|suchte|meinte|gesucht,
    du bist .. beste|schatz|held|wahnsinn|genie, lebensretter, rettest|gerettet, respekt, chapeau, hut ab, bravo, volltreffer, punktlandung,
    liebe es|das|den|die, begeistert, beeindruckt, beeindruckend, stolz, besser als, viel|deutlich|so|schon|weit besser, besser geht|gehts,
    könnte nicht besser, jetzt versteh*|kapier*|hab, endlich versteh*, macht .. sinn, ergibt sinn, leuchtet ein, alles klar jetzt,
    vielen lieben|herzlichen dank, tausend dank, hast mir .. geholfen|gerettet, zehn von zehn, wow, läuft bei
  `,
  liked: `
    gut, schön, nett, cool, hilfreich, nützlich, praktisch, klar, sauber, übersichtlich, verständlich, brauchbar, ordentlich, fein,
    passt, zufrieden, froh, freut mich, gefällt mir|uns, mag ich, endlich, besser, lustig, richtig, korrekt, einfach, hübsch, stimmig
  `,
  thanks: "danke, dankeschön, danke schön|dir|sehr|vielmals, vielen dank, besten dank, merci, dank dir",
  approval: `
    schick|sende|leite|gib es|sie|ihn|das .. ab|raus|weiter|los|so, kann .. raus|weg|online|live|rein|so bleiben,
    so lassen|bleiben|nehmen|machen wir's|machen, nehm|nehme ich|wir, nehm ich, wird|ist genommen|übernommen, übernehme|übernehmen ich|wir,
    gekauft, freigegeben, abgenommen, genehmigt, abgesegnet, unterschrieben, einverstanden, mergen, merge das|es|ruhig,
    veröffentlich* es|das, druck|druck's|drucken bitte|es|das, sieht .. gut|super|richtig|toll|prima|perfekt|klasse aus,
    passt so|perfekt|genau|alles, das passt, kann so bleiben|gehen|raus, genauso .. für|mit|weiter,
    dasselbe|das gleiche|gleiche|selbe .. für|mit|nochmal|bitte, bitte genauso|ebenso, ab jetzt immer|so, immer so,
    noch|bitte so eins|einen|eine|ein, mehr davon, mach .. so, weiter so, behalten wir|ich, bleibt so, erledigt, haken dran|dahinter,
    kannst .. zumachen|schließen|abschicken|abhaken, ticket zu
  `,
  effect: `
    funktioniert, funktionierts, klappt, klappts, geht jetzt|wieder|nun|endlich, läuft, läuft jetzt|wieder|durch|rund|stabil|einwandfrei,
    tut's, tuts wieder|jetzt, hat .. funktioniert|geklappt|geholfen|gewirkt|hingehauen|gepasst, haut hin,
    stimmt .. überein|genau|alles|jetzt|so, stimmen überein|jetzt|alle, das|es|alles stimmt, stimmt, geht auf, passt genau|perfekt|auf,
    alles grün|da|dabei|richtig|drin|korrekt|gut, ist|sind|jetzt|wieder grün, tests laufen|grün|sind,
    baut|kompiliert jetzt|wieder|durch|ohne, gelöst, behoben, repariert, erledigt, bestanden, geschafft, angekommen, angenommen, akzeptiert,
    durchgegangen, durchgekommen, genehmigt, zugesagt, gewonnen, verkauft, auf den cent,
    keine fehler|probleme|beschwerden|fehlermeldung mehr, kein fehler|problem .. mehr, ohne probleme|fehler|murren|rückfrage*,
    fehler ist|sind weg, ist weg, schneller, viel|deutlich schneller|leiser|billiger|kürzer|besser,
    hat .. gefallen|geschmeckt|gelacht|gefreut, haben .. gefreut|gelacht|gelobt|geschmeckt|zugesagt|gefallen,
    alle|chef|kunde|kundin|gäste|kollegen .. begeistert|zufrieden|glücklich|gelobt, kam .. gut|super an, auf anhieb,
    beim ersten mal|versuch, reibungslos, wieder da|warm|online|erreichbar, bin drin|drinnen, komme .. rein, nachgezählt,
    nachgerechnet|nachgemessen|geprüft .. stimmt|passt, gespart, spart mir|uns, unterschrieben zurück,
    hat zugesagt|unterschrieben|bezahlt|geantwortet, keiner hat .. gemerkt|gemeckert|gefragt, halbiert,
    sogar .. verstanden|versteht|kapiert, alle .. verstanden|da|drin, nie so gut|schnell|schön, läuft in,
    statt .. stunden|minuten|sekunden|tagen, alles paletti|bestens|erledigt, tropft|piept|klappert|hängt|blinkt nicht|nimmer mehr,
    kein .. mehr, zusage bekommen|da|erhalten, eingeladen, ausverkauft, ausgebucht, in produktion, live seit, wie früher|neu, keine fragen,
    bedankt, nicht meckern|klagen|beschweren
  `,
  used: `
    ausgedruckt, verschickt, abgeschickt, eingereicht, gebucht, bestellt, gespeichert, gemerkt, abgelegt, aufgehängt, abgegeben,
    hochgeladen, übernommen, weitergeleitet, eingebaut, veröffentlicht, gemerged, deployt, unterschrieben, nachgekocht, gebacken,
    hängt schon|jetzt, schon benutzt|verwendet|gedruckt|verschickt|weitergeschickt
  `,
  complaint: `
    falsch, falsche|falscher|falsches|falschen, verkehrt*, fehlerhaft*, kaputt*, unsinn, quatsch, blödsinn, schwachsinn, mist, müll,
    schrott, scheiße, scheisse, furchtbar, schrecklich, grauenhaft, schlimm, schlecht*, schlechter, miserabel, unbrauchbar, nutzlos,
    unlesbar, unverständlich, unklar, verwirrend, hässlich, chaotisch, langweilig, steif, hölzern, peinlich, enttäuscht, enttäuschend,
    nervig, nervt, lieblos, oberflächlich, fehlt, fehlen, vergessen, übersehen, ignoriert, missverstanden, verwechselt, vertauscht,
    erfunden, ausgedacht, doppelt drin|drauf, verrutscht, durcheinander, tippfehler, fehler drin, stimmt .. nicht|nie, stimmen nicht,
    stimmt so|leider|hinten nicht, passt .. nicht|nie,
    nicht .. richtig|korrekt|gut|brauchbar|hilfreich|gemeint|gefragt|gewollt|gewünscht|verständlich|lesbar|vollständig, nicht das|was|so,
    so nicht, hilft .. nicht, verstehe|versteh .. nicht|nur|kein, kapier .. nicht,
    kann .. nicht lesen|öffnen|gebrauchen|brauchen|nutzen|finden|verstehen, ist das alles, was soll|ist das,
    derselbe|gleiche|selbe fehler|problem|quatsch, klingt|liest|sieht .. wie ein|eine|google,
    nochmal|noch mal|noch einmal .. bitte|nachsehen|prüfen|nachzählen|lesen|versuchen|neu, versuch's|schau|lies|zähl|rechne nochmal|noch,
    genauer, das ist nicht der|die|das|mein|meine|für, sind nicht die|meine|für, keins|keine|keiner davon, wie oft noch, schief, verzerrt,
    verschwommen, unscharf, zum dritten|zweiten mal, du hast .. falsche|falschen|falsches|alte|alten genommen
  `,
  grumble: `
    leider, naja, na ja, hm naja, puh, oje, komisch, seltsam, merkwürdig, immer noch, schade, ach nö, nö, nein, nee, geht so
  `,
  harm: `
    funktioniert|klappt|geht|läuft|tut|startet|lädt|öffnet|druckt|baut|kompiliert|reagiert|hält|antwortet .. nicht|nix|nichts,
    geht nicht auf|mehr|an|rein, hat .. nicht funktioniert|geklappt|geholfen|gereicht, fehler, fehlermeldung, error, absturz, abgestürzt,
    stürzt ab, hängt .. fest|sich, hängt, abgelehnt, abgewiesen, verweigert, zurückgekommen, zurückgewiesen, fehlgeschlagen, schlägt fehl,
    nicht gefunden|erreichbar|bestanden|angekommen, immer noch|weiterhin .. nicht|kein|keine|falsch|kaputt|rot|da|alt|die|der|das|derselbe,
    nach wie vor, noch immer, leer, langsamer, lauter, schlimmer, verschwunden, weg sind|ist, rot, kommt nichts|nix, passiert nichts|nix,
    tut sich nichts|nix, keine änderung|veränderung|wirkung|reaktion, nichts passiert|geändert|verändert, unbekannt*, ungültig*, ständig,
    immer wieder, stürzt dauernd, geht dauernd, wieder kaputt|rot|leer|weg|offline, genau wie vorher, genauso wie vorher, im spam,
    zurückgeschickt, gesperrt, verpasst, bricht ab, springt raus
  `,
  doubt: `
    bist du sicher, bist du dir sicher, sicher dass, wirklich so|das, seit wann, kann .. nicht sein|stimmen, das kann nicht,
    glaub|glaube .. nicht|kaum, bezweifle, wie kommst du, woher hast, gibt es|gibts .. nicht|gar, existiert .. nicht, ich dachte,
    wo ist|sind .. hin|geblieben, warum hast|fehlt|fehlen|steht|ist da, klingt|scheint|wirkt .. hoch|niedrig|komisch|seltsam|viel|wenig,
    laut .. sind|ist|sinds, im kalender|laut kalender|website|karte
  `,
  undo: `
    rückgängig, mach .. zurück|weg, zurück zu|zum|zur, stell|setz|setze|mach .. wieder her|zurück, wiederherstellen,
    alte|vorige|ursprüngliche version, war vorher besser, vorher war .. besser, wie vorher|zuvor, revert
  `,
  giveUp: `
    gebe auf, geb auf, geb's auf, ich geb's auf, mach|mache ich's|ichs|ich .. selbst|selber, mach ich .. selbst|selber|hand, von hand,
    vergiss es, lass gut sein, lass es gut, zwecklos, hoffnungslos, zeitverschwendung, bringt nichts|nix, hat keinen sinn,
    mir reicht's|reichts, hör|höre|hören .. auf, frag|frage .. jemand|kollegen anderen, dann eben anders|ohne
  `,
  wish: `
    zu lang|kurz|groß|klein|viel|viele|wenig|spät|früh|langsam|schnell|teuer|formell|förmlich|steif|ausführlich|kompliziert|detailliert|technisch|allgemein|laut|leise|dunkel|hell|weit|locker|salzig|süß|scharf|knapp,
    viel|immer|etwas|doch|leider|noch zu, sollte|sollten|müsste|müssten|hätte|hätten .. sein|haben|stehen|heißen|werden|sollen|müssen,
    soll|muss .. sein|heißen|stehen|bleiben|rein|raus|weg, ich|wir wollte|wollten|meinte|meinten|hatte|hatten,
    hab|habe .. doch|schon|bereits gesagt|geschrieben, wie .. gesagt, statt, stattdessen, sondern, eigentlich|gemeint war|ist,
    das andere|der andere|die andere, andere|anderes|anderer datei|repo|ordner|spalte|tabelle|konto|stadt|person|seite|richtung,
    mach|macht|schreib .. kürzer|länger|einfacher|größer|kleiner|förmlicher|lockerer, nicht .. sondern, heißt .. nicht,
    schreibt|schreib man|sich
  `,
  hint: `
    lieber, bitte nur|ohne|auf|mit|kürzer|länger|als|nicht|keine, nur die|das|den|ein|eine|drei|zwei, ohne die|das|den,
    nimm .. statt|lieber, immer mit|ohne|in, kürzer, länger, einfacher, kleiner, größer, lockerer, förmlicher, weniger,
    etwas mehr|weniger|kürzer|länger, auf deutsch|englisch, wir haben|nutzen|schreiben|duzen|siezen, ich brauche|brauch, muss .. noch,
    zuerst, nach oben|unten|vorne|hinten
  `,
  nextTime: `
    nächstes mal, das nächste mal, beim nächsten mal, in zukunft, künftig, zukünftig, ab jetzt, von nun an, fürs nächste, demnächst bitte
  `,
  idle: `
    noch nicht .. angeschaut|gelesen|probiert|getestet|angesehen|geschaut, nicht dazu gekommen, keine zeit,
    schaue|schau|guck|gucke .. an|später|morgen|mal|gleich|rein, lese|les .. später|morgen|gleich|mal, melde mich,
    überleg|überlege .. noch|mir|mal|es, muss .. überlegen|schauen|nachdenken|fragen|gucken|los|weg, morgen, später, nachher, moment, warte,
    sekunde, kurz, mal sehen|schauen|gucken, vielleicht, weiß .. nicht, keine ahnung, kommt drauf an,
    probier|probiere|teste .. aus|gleich|mal|später, bin .. unterwegs|besprechung|gleich, egal, hat sich erledigt, abgesagt, verschoben,
    doch nicht, brauch|brauche|brauchen .. nicht|nimmer mehr, nicht mehr nötig, nicht nötig, planänderung, bin gespannt, aha, mal gucken
  `,
  exception: `
    aber, nur, bis auf, außer, ausser, allerdings, jedoch, leider, einzig, lediglich, fast, beinahe, schade nur|dass, wenn nur, abgesehen
  `,
  but: "aber, jedoch, allerdings",
  now: "jetzt, nun, endlich, diesmal, wieder",
  more: "auch, außerdem, noch, ebenso, dann, danach, als nächstes, das gleiche, dasselbe, inzwischen",
  past: `
    vorher, früher, zuvor, bisher, seit tagen|wochen|monaten|gestern|jahren, der alte, die alte, das alte,
    letzte|letztes|letzten woche|mal|monat|jahr, gestern noch, stundenlang, tagelang
  `,
  negation: "nicht, kein, keine, keinen, keiner, nie, niemals, kaum, weder, ohne, nix, nichts",
  supposes: "wenn, falls, sofern, ob, sobald, angenommen",
  asks: `
    kannst|könntest|kann|können|magst|würdest du|ich|man|sie|wir, was, wie, wer, wo, wann, warum, wieso, welche|welcher|welches, gibt es,
    hast du, zeig, sag, such, finde, schreib|schreibe mir|eine|einen|ein, erstelle, erklär|erkläre, prüf|prüfe, übersetz*, fass|fasse,
    rechne, lösch|lösche, mach|mache eine|einen|ein|mir, erinnere, buch|buche, lies, füge, übrigens, apropos
  `,
  fillers: `
    und, so, also, ja, ok, okay, ach, ah, oh, na, doch, mal, bitte, hey, hallo, jo, jep, oder, dann, jetzt, nun, ganz, einfach
  `,
  others: `
    er, mein, meine, meiner, sein, seine, ihr, ihre, unser, unsere, jemand, manche, leute, der nachbar|chef|zug|bus|wetter,
    die nachbarn|nachbarin|bahn, das wetter
  `,
  thing: "der _, die _, den _, ein _, eine _, diese _, dieser _, dieses _",
  work: `
    antwort*, ergebnis*, summe, ausgabe, datei*, tabelle, liste, reihenfolge, zusammenfassung, übersetzung, text, brief, mail, code, skript,
    format, bild, grafik, diagramm, link, datum, name, titel, plan, rezept, bericht, version, entwurf, zahl, zahlen, werte, spalte, zeile,
    betrag, preis, adresse, ton, es, das, deine, dein
  `,
  plain: `
    kein problem|thema|stress|ding|ahnung, nein danke, keine sorge|eile, guten morgen|tag|abend, gute nacht|frage|besserung|reise,
    schönen tag|abend|feierabend, alles gut|klar, gut zu wissen, besser nicht, nicht schlecht|übel, na gut, schon gut, macht nichts,
    nicht nur, kein wunder, immer noch besser, viel glück|spaß, gut möglich, ganz schön, so gut wie, wie gut|schön|viel|spät|geht,
    was ist falsch, gar nicht so schlecht|übel, ist|bin gut dabei
  `,
};
