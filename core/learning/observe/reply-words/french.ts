// What people write in French about an answer. See lexicon.ts.
import type { Lexicon } from "./lexicon.ts";

export const FRENCH: Partial<Lexicon> = {
  praise: `
    parfait*, excellent*, génial, géniale|géniaux, genial, super, top, nickel, impec, impeccable*, magnifique*, splendide, formidable,
    merveilleux|merveilleuse, fantastique, extra, sublime, superbe*, extraordinaire, incroyable, épatant, remarquable, chouette, canon,
    exactement, précisément, pile poil, pile ce|ça|le, tout à fait ça, ce que je voulais|cherchais|demandais|souhaitais,
    ce qu'il me|nous|fallait, ce dont j'avais, bravo, chapeau, bien joué|vu|fait|trouvé|pensé,
    très|vraiment|trop|hyper|super bien|bon|bonne|beau|belle|clair|claire|utile|joli|jolie|pratique|réussi,
    beau|bon|joli|excellent travail|boulot, bonne|super|belle idée|réponse|explication|traduction|trouvaille, j'adore, adore, on adore,
    c'est .. parfait|ça|génial|top|super|nickel, tu es un|le|la .. génie|meilleur|ange|amour, tu gères, tu assures, tu me sauves,
    sauvé|sauve la|ma, au top, comme il faut, comme prévu, comme sur des roulettes, rien à redire|dire|changer|ajouter, bluffé*,
    impressionnant*, impressionné*, ravi*, enchanté*, bien|beaucoup|nettement mieux|meilleur, mieux que,
    je comprends enfin|mieux|maintenant, enfin je comprends, ça y est j'ai compris, j'ai compris, merci mille fois|infiniment, mille mercis,
    merci beaucoup, délicieux, un régal, dix sur dix, waouh, wow
  `,
  liked: `
    bien, bon, bonne, cool, clair, claire, utile, pratique, joli, jolie, propre, sympa, content, contente, satisfait*, ça me plaît,
    me plaît, j'aime bien|beaucoup, enfin, mieux, correct, correcte, juste, simple, drôle
  `,
  thanks: "merci, merci bien|à toi, je te remercie, je vous remercie",
  approval: `
    envoie|envoyez|expédie|publie|valide|garde|imprime|fusionne le|la|les|ça|comme,
    tu peux|vous pouvez .. envoyer|valider|publier|garder|fermer|merger|clôturer|partir, on peut .. envoyer|publier|valider, validé|validée,
    approuvé*, signé*, je valide, on valide, je prends, on prend, je garde, on garde, vendu, adjugé, on part là|sur|comme, vas y comme,
    c'est bon pour, bon pour moi|nous, feu vert, ça me va, ça nous va, pareil|même chose|idem pour|avec|la|le, fais pareil|de même,
    la même|le même pour|avec, encore un|une comme, toujours comme ça|cela, continue comme, à partir de maintenant, on garde ce|cette,
    rien à changer
  `,
  effect: `
    ça|cela|tout|il|elle marche|fonctionne|roule|passe|tourne|démarre, marche|fonctionne bien|maintenant|parfaitement|enfin|très|nickel|à,
    ça a .. marché|fonctionné|aidé|suffi, a .. marché|fonctionné|aidé, est passé|passée|passe, sont passés, tests passent|ok,
    tout est vert|bon|là|correct|juste|ok, au vert, réglé|réglée, résolu*, corrigé*, réparé*, débloqué,
    plus d'erreur|erreurs|problème|souci|bug, plus aucune|aucun erreur|problème|bug|souci|plainte, aucune erreur|plainte|remarque,
    aucun problème|souci|bug|accroc, sans problème|souci|accroc|erreur|faute|encombre, du premier coup, au centime, le compte est bon,
    tombe juste, les comptes|chiffres collent|correspondent, correspond, ça colle|correspond, c'est juste|exact|vrai|correct,
    tu avais raison, vérifié|confirmé, accepté*, reçu l'accord, a dit oui, gagné, vendu, plus rapide|vite|clair|simple qu'avant,
    beaucoup|bien plus rapide|vite|clair|simple, je suis|j'suis dedans|connecté|connectée,
    tout le monde|ils|elles|invités|clients|équipe .. adoré|aimé|ravi|ravis|content|contents|applaudi|ri, a adoré|aimé|adorent,
    ont adoré|aimé|ri|applaudi, à l'heure, bien arrivé|reçu|passé, nous a|m'a bien|beaucoup aidé, en production,
    au lieu de .. heures|minutes|jours|secondes, ne fuit|bipe|plante|bloque plus, ne .. plus d'erreur,
    on a reçu|eu une|un réponse|accord|offre, invité|invitée à|pour, complet, c'est en ligne, mission accomplie, affaire réglée, ça marche,
    suis|jsuis|est|sommes pris|prise|embauché|embauchée|admis|admise|retenu|retenue, du jamais vu, plus de bug|panne|bruit|plainte*
  `,
  used: `
    imprimé*, envoyé|envoyée|envoyés hier|tel|ce|à|au, je l'ai envoyé|imprimé|publié|signé|posté|utilisé|affiché|réservé, réservé*,
    commandé*, enregistré, affiché*, déposé*, publié*, mis en favori|ligne, je m'en sers, on l'utilise,
    c'est parti|envoyé|posté|imprimé|publié|réservé|signé
  `,
  complaint: `
    faux, fausse|fausses, mauvais|mauvaise|mauvaises, incorrect*, inexact*, erroné*, nul, nulle, pourri, inutile, inutilisable, illisible,
    incompréhensible, n'importe quoi, ridicule, horrible, affreux, moche, laid, confus, brouillon, décevant, déçu|déçue, ennuyeux, plat,
    raté*, manqué, incomplet, bâclé, cassé|cassée, trompé*, tu t'es trompé|planté,
    tu as .. oublié|ignoré|raté|supprimé|effacé|cassé|confondu|inventé|mélangé|sauté,
    vous avez .. oublié|ignoré|raté|supprimé|confondu|inventé, mal compris|traduit|fait|écrit|rangé|trié, erreur, erreurs, faute de|d',
    il manque, manque, manquent, oublié|oubliée, en double,
    pas ce|ça|du|bon|bonne|juste|correct|correcte|terrible|top|clair|claire|exact|assez|le bon|la bonne, pas ce que, c'est pas,
    ce n'est pas, ça ne va pas, ça va pas, ne .. sert à rien, sert à rien, aucun sens, pas de sens, comprends rien|pas,
    on comprend rien|pas, on dirait un|une|du, sonne|fait robot|faux|bizarre, ne me plaît pas, j'aime pas, je n'aime pas, relis, recommence,
    recommencez, refais, recompte, essaie encore, regarde mieux|encore, encore une fois, ce n'est|c'est pas le|la|les|mon|ma|pour,
    ce ne sont pas, aucun d'eux|ne, combien de fois, flou|floue, de travers, tordu, déformé,
    tu as mis|pris|envoyé .. mauvais|mauvaise|ancien|ancienne
  `,
  grumble: `
    bof, mouais, mouais bof, dommage, hélas, malheureusement, bizarre, étrange, pfff, pff, non, toujours, zut, mince, aïe
  `,
  harm: `
    marche|fonctionne|passe|démarre|ouvre|répond|charge|imprime|compile|aide .. pas|plus, ne|n' .. marche|fonctionne|passe|ouvre pas|plus,
    n'a rien changé|donné|fait, ça plante, plante, planté, bloqué*, refusé*, rejeté*, échoué, échec, échoue,
    toujours pas|aucun|rien|la|le|les|cette|ce|en|rouge|cassé|bloqué, encore faux|cassé|rouge|pas|une|la,
    même erreur|problème|message|résultat, page blanche|vide, vide, introuvable, n'existe pas|plus, disparu*, pire,
    plus lent|lente|mal|moche|compliqué, rien ne se|change|bouge, rien n'a changé, se passe rien, inconnu|inconnue, invalide,
    expiré|expirée, n'arrête pas de, sans arrêt, encore et encore, de nouveau bloqué|cassé|en, comme avant encore, dans les spams,
    renvoyé|renvoyée, annulé par, coupé, ça recommence
  `,
  doubt: `
    tu es sûr|sûre|certain, t'es sûr|sûre, vous êtes sûr*, es tu sûr*, sûr de, depuis quand, d'où sort|sors|vient, ça m'étonne|m'étonnerait,
    j'en doute, je doute, impossible, pas possible, c'est pas possible,
    ça me|me paraît|semble|parait .. beaucoup|peu|bizarre|faux|élevé|bas|cher|trop, je croyais, je pensais,
    où est|sont passé|passée|passés|passées, pourquoi tu as|as tu|avoir|il manque, n'est ce pas plutôt, c'est pas plutôt,
    n'est plus là|ouvert|en, le site|calendrier|manuel|plan|thermomètre dit|indique
  `,
  undo: `
    annule, annulez, annule ça|tout, remets|remettez|remet .. comme|avant|en|l', reviens|revenir|revenez .. à|en, retour en arrière,
    rétablis*, restaure*, l'ancien|ancienne|l'ancienne version|était, comme avant, c'était mieux avant
  `,
  giveUp: `
    j'abandonne, abandonne, laisse tomber, laissez tomber, je vais le|la|les .. moi|même|main, je le fais|ferai moi|à, moi même, à la main,
    tant pis, perte de temps, sert à rien, j'en ai marre|assez, ras le bol, arrête|arrêtez de|ça,
    je demanderai|demande .. quelqu'un|collègue
  `,
  wish: `
    trop long|longue|court|courte|compliqué|compliquée|formel|froid|vague|cher|tard|tôt|lent|grand|petit|sec|familier|technique|détaillé|salé|sucré|lourd|générique|poli,
    beaucoup|bien|un peu|encore|toujours trop, il faut|fallait|faudrait|faut que, devrait|devait|devraient|doit|doivent .. être|avoir|dire,
    j'ai|j'avais dit|demandé|écrit, je voulais|parlais|pensais|demandais, je t'ai|te l'ai .. dit, comme .. dit, au lieu, à la place,
    plutôt que|un|une|en|le|la, pas toute|tous|toutes|celui|celle|le|la, l'autre,
    un|une|le|la autre fichier|dossier|ville|compte|repo|colonne, fais|mets|rends .. plus|moins court|long|simple|formel, c'est .. pas,
    moi c'est, on écrit|dit
  `,
  hint: `
    plutôt, juste|seulement les|le|la|un|une|ceux, plus court|courte|long|simple|formel|petit|grand|sobre|léger|concis,
    moins de|long|formel, sans les|le|la, en français|anglais|espagnol, il me faut, j'ai besoin, je préfère, préfère, toujours en|avec|sans,
    évite|évitez, d'abord, en haut|bas|premier
  `,
  nextTime: "la prochaine fois, à l'avenir, désormais, dorénavant, pour la suite, pour les prochains|prochaines",
  idle: `
    pas encore .. lu|regardé|testé|essayé|vu|eu, pas eu le temps,
    je regarde|lis|teste|verrai|vais .. tard|demain|voir|regarder|lire|réfléchir|essayer|tester|demander, je reviens vers, je te dis|redis,
    j'y réfléchis, je réfléchis, demain, plus tard, tout à l'heure, attends, attendez, un instant|moment, une seconde|minute, on verra,
    à voir, peut être, je sais pas|plus, je ne sais pas, aucune idée, ça dépend, c'est annulé, annulé finalement, finalement non|pas,
    plus besoin, pas besoin, pas la peine, changement de programme, reporté|reportée, je suis en .. réunion, en route
  `,
  exception: `
    mais, sauf, à part, hormis, excepté, cependant, par contre, en revanche, toutefois, seul bémol, juste un, presque, dommage que,
    si ce n'est
  `,
  but: "mais, sauf, sauf que, cependant",
  now: "maintenant, enfin, désormais, cette fois",
  more: "aussi, également, encore, ensuite, puis, la même chose, pareil, entretemps",
  past: `
    avant, autrefois, jusqu'ici, depuis des|hier|lundi, l'ancien, l'ancienne, la dernière fois, le mois dernier, la semaine dernière,
    des heures|jours
  `,
  negation: "pas, ne, n', jamais, aucun, aucune, sans, rien, ni, guère",
  supposes: "si, s'il, s'ils, quand, lorsque, au cas, à condition, dès que",
  asks: `
    peux tu, tu peux, pouvez vous, vous pouvez, pourrais tu, pourriez, est ce que, qu'est, quel, quelle, quels, quelles, qui, où, quand,
    comment, pourquoi, combien, y a t, trouve, cherche, écris, écrivez, fais|faites un|une|moi, montre, dis, explique, vérifie, traduis,
    résume, calcule, ajoute, supprime, crée, rappelle, lis, réserve un|une, au fait, d'ailleurs, sinon
  `,
  fillers: `
    et, alors, bon, ben, bah, oui, ok, ah, oh, euh, donc, puis, ensuite, salut, voilà, hé, s'il te|vous plaît, en, là
  `,
  others: `
    il, mon, ma, mes, son, sa, ses, notre, nos, quelqu'un, les gens, le voisin|chef|patron|train|bus|métro|temps, la voisine|météo
  `,
  thing: "le _, la _, les _, l'_, un _, une _, cette _, ces _",
  work: `
    réponse*, résultat*, total, somme, fichier*, code, script, format, liste, tableau, texte, lettre, mail, message, traduction, résumé,
    version, plan, recette, rapport, titre, lien, date, nom, image, photo, chiffre*, montant, prix, colonne, ligne, ton, ça, c'est, ce
  `,
  plain: `
    pas de problème|souci|quoi|panique|mal, pas grave, non merci, bon courage|appétit|anniversaire|week|matin,
    bonne journée|soirée|nuit|chance|question|année|soirée, bien sûr, bien entendu, bien à, c'est pas grave, ce n'est pas grave, pas mal,
    sans doute|faute, eh bien, ou bien, super marché, plus ou moins, bon à savoir, tant mieux, plus que, de rien, rien de grave
  `,
};
