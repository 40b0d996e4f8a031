// What people write in Portuguese about an answer. See lexicon.ts.
import type { Lexicon } from "./lexicon.ts";

export const PORTUGUESE: Partial<Lexicon> = {
  praise: `
    perfeito, perfeita, perfeitos|perfeitas, excelente*, ótimo, ótima, otimo|otima, maravilha, maravilhoso|maravilhosa,
    fantástico|fantástica, incrível, sensacional, show, showzaço, massa, top, demais, impecável, espetacular, lindo|linda, genial,
    brilhante, arrasou, mandou bem, matou a pau, nota dez|10, parabéns, exatamente, exato, exatinho, isso mesmo|aí, era isso|exatamente,
    é isso aí|mesmo, do jeito que, o que eu queria|precisava|procurava, bom trabalho, boa ideia|sacada|resposta,
    bem feito|pensado|lembrado|explicado, muito bom|boa|bem|bonito|claro|útil|legal|melhor,
    ficou .. ótimo|ótima|lindo|linda|perfeito|perfeita|bom|boa|show|massa|bem|legal, amei, adorei, adoramos, amamos, me salvou,
    salvou .. dia|vida|pele, você é .. demais|gênio|melhor|fera, melhor que, bem melhor, agora .. entendi|entendo|saquei,
    finalmente entendi, faz sentido, fez sentido, muito|mega obrigado|obrigada, valeu demais|mesmo, delícia, delicioso|deliciosa, caprichou,
    impressionante, impressionado|impressionada, uau, wow
  `,
  liked: `
    bom, boa, bem, legal, bacana, útil, claro, prático, bonito|bonita, contente, feliz, gostei, curti, gosto assim, finalmente, melhor,
    certo, certinho, correto, correta, simples
  `,
  thanks: "obrigado, obrigada, obg, brigado|brigada, valeu, vlw, agradeço",
  approval: `
    pode .. mandar|enviar|publicar|fechar|subir|mesclar|imprimir|seguir|deixar|usar|ficar,
    manda|mande|envia|publica|sobe|fecha .. assim|bala|ver|pra|para, manda bala|ver, aprovado|aprovada, assinado|assinada,
    tá aprovado, dou ok, vou .. usar|ficar|levar com|esse|essa|isso|assim, fico com, ficamos com, deixa assim, fica assim, fechado|fechou,
    mesma coisa|mesmo para|pra|com, igual para|pra|com, faz|faça .. mesmo|igual|mesma para|pra|com, mais um|uma assim|desse|desses,
    sempre assim, de agora em diante assim, vira|virou padrão, pode fechar
  `,
  effect: `
    funciona, funcionou, funcionando, tá|está|ta funcionando|certo|certinho|ok|verde|rodando|perfeito|ótimo|pronto, deu certo|bom, rodou,
    roda .. agora|certinho, passou, passaram, testes passaram|passando, tudo certo|ok|verde|bateu|funcionando|pronto|certinho, bateu,
    bate certinho|com|tudo, bateram, confere, coincide, resolvido|resolveu, consertado|consertou, corrigido, arrumado, compilou,
    subiu .. certinho|bem|tudo|agora, aceito|aceita|aceitaram, aprovaram, disse|disseram que sim, ganhei|ganhamos, vendi|vendemos|vendeu,
    sem erro|erros|problema|problemas|reclamação, nenhum erro|problema|bug, zero erro|erros|problemas, não deu mais, de primeira,
    na primeira, nos centavos, mais rápido|rápida|fácil|claro|barato, muito|bem mais rápido|fácil|claro|barato, é verdade, tinha razão,
    confirmado|confirmei|conferi, todo mundo|eles|elas .. amou|adorou|gostou|elogiou|riu|adoraram|amaram|gostaram, adoraram, amaram,
    elogiaram, chegou .. certinho|bem|tempo, consegui entrar|acessar|logar, entrei, ajudou, saiu|sumiu|parou o erro,
    voltou a funcionar|normal, em produção, no ar, em vez de .. horas|minutos|dias|segundos, parou de vazar|apitar|travar|falhar|cair,
    não trava|vaza|falha mais, responderam|ligaram, esgotado|esgotou, missão cumprida, pronto resolvido
  `,
  used: `
    já mandei|enviei|imprimi|publiquei|usei|salvei|comprei|reservei, mandei .. pro|pra|para|assim|todo, imprimi, reservei, salvei,
    publiquei, assinei, enviado|enviada, impresso|impressa, reservado|reservada, usei .. hoje|ontem|assim|no|na, tô usando, estou usando,
    pendurei, colei
  `,
  complaint: `
    errado, errada, errados|erradas, incorreto|incorreta, falso|falsa, ruim, péssimo|péssima, horrível, terrível, feio|feia, lixo, merda,
    droga, inútil, ridículo|ridícula, ilegível, confuso|confusa, incompleto|incompleta, estranho|estranha, chato|chata, quebrado|quebrada,
    fraco|fraca, bagunçado|bagunça, decepcion*, vergonha, erro, erros, falta, faltou, faltam, faltando, esqueceu,
    você .. esqueceu|apagou|ignorou|inventou|trocou|errou|confundiu|pulou|deixou|misturou|mudou, inventou, inventado, apagou,
    duplicado|duplicada|duplicados, repetido|repetida, não é|era|foi .. isso|bem|assim|o|esse|essa|certo|verdade, não o que, assim não,
    não .. entendi|entendo|bate|serve|ajuda|ajudou|presta|gostei|curti|combina|faz, não tem|faz sentido, sem sentido,
    parece|parecendo|soa|ficou .. google|robô|tradutor|que, ficou .. ruim|feio|estranho|horrível|confuso|errado, mesmo erro|problema,
    tá|está errado|ruim|horrível, de novo, outra vez, tenta novamente|de, olha direito|bem|melhor, lê direito, refaz, refaça,
    esse|essa|isso|isto não é|são meu|minha|o|a|os|para|pra, nenhum|nenhuma deles|delas|funciona|serve, quantas vezes, borrado|borrada,
    torto|torta, colocou|mandou|usou|pegou .. errado|errada|velho|velha|antigo
  `,
  grumble: "infelizmente, que pena, pena, sei lá, poxa, puxa, eita, nossa, aff, ai, não, ainda, mais ou menos",
  harm: `
    não .. funciona|funcionou|abre|carrega|roda|rodou|compila|imprime|responde|liga|entra|chegou|abriu|deu|passou|vai,
    deu .. erro|ruim|errado|pau|problema|404, falha, falhou,
    continua|continuam .. igual|sem|dando|o|a|com|errado|quebrado|vermelho|na|lento, ainda não|dá|está|tá|aparece|mostra|tem, travou, trava,
    travado|travando, caiu, recusado|recusaram|rejeitado|rejeitaram|negado|devolveram, vazio|vazia, em branco, pior|piorou,
    mais lento|lenta|feio|caro, sumiu, sumiram, não existe|encontrado|encontra|mudou|muda, nada mudou|aconteceu, mudou nada,
    não acontece nada, desconhecido|desconhecida, inválido|inválida, expirado|expirou, não para de, toda hora, de novo quebrado|fora|igual,
    caiu no spam, devolvido|devolvida, multado, bloqueado|bloqueada, perdi|perdemos o|a, voltou a dar|falhar|cair,
    nem .. aparece|aparecem|abre|abrem|funciona|funcionam|entra|liga
  `,
  doubt: `
    tem certeza, certeza que|disso, desde quando, não pode ser, impossível, duvido, acho que não, de onde .. tirou|veio|saiu, cadê,
    por que você|sumiu|apagou|tem, achei que|pensei que|pensava que, não existe mais|isso, já fechou .. anos,
    parece .. muito|pouco|caro|alto|baixo|estranho, o site|calendário|manual|mapa diz|fala|mostra, segundo .. é|são
  `,
  undo: `
    desfaz, desfaça, desfazer, reverte, reverter, volta .. como|atrás|antes|versão|ao, voltar .. como|atrás|versão|ao, restaura,
    como .. antes|estava, versão anterior|antiga, a de antes, tava melhor antes, antes .. melhor
  `,
  giveUp: `
    desisto, deixa pra lá, vou fazer .. mão|mesmo|mesma|sozinho, faço eu, eu mesmo|mesma .. faço, na mão, perda de tempo, não adianta,
    chega, para de, pare de, cansei
  `,
  wish: `
    muito longo|longa|curto|curta|formal|grande|pequeno|caro|técnico|seco|frio|genérico|lento|complicado|vago,
    longo|longa|formal|curto demais, deveria|devia|deveriam|tem|tinha|precisa|era pra|para|que|ser|estar|ter,
    eu queria|pedi|disse|falei|quis, já .. disse|falei|pedi, como .. disse|falei, quis dizer, em vez|lugar de, ao invés, e sim,
    o outro|a outra, outro|outra arquivo|pasta|cidade|conta|coluna|data|repo,
    faz|faça|deixa|deixe .. mais|menos curto|longo|simples|formal|em, não .. mas sim, é com|sem
  `,
  hint: `
    prefiro, melhor em|com|sem, só os|as|o|a|um|uma|três|dois, apenas os|as|o|a,
    mais curto|curta|longo|simples|formal|informal|breve|direto, menos formal|texto|longo, sem os|as|o|a, em português|inglês|reais,
    preciso, primeiro, sempre em|com|sem, não use|usa|coloque|escreva|traduza, usa|use|coloca|coloque
  `,
  nextTime: `
    da próxima vez, na próxima, próxima vez, no futuro, daqui pra frente, de agora em diante, a partir de agora, daqui em diante
  `,
  idle: `
    ainda não .. li|vi|olhei|testei|abri, não .. deu tempo, não tive tempo,
    vou .. ver|olhar|ler|testar|pensar|perguntar|conferir|checar|dar, depois .. vejo|olho|leio|te|eu|testo,
    deixa eu .. ver|pensar|olhar|ler, te .. aviso|falo, amanhã, mais tarde, depois, espera, peraí, um momento|minuto|segundo, vamos ver,
    talvez, pode ser, quem sabe, não sei, sei não, sem ideia, depende, cancelado|cancelada|cancelaram|cancelou, não precisa mais|não,
    não precisa, mudança de planos, mudei de ideia, tanto faz, deixa quieto
  `,
  exception: "mas, porém, exceto, menos, só que, apesar, tirando, a não ser, quase, pena que, único, única",
  but: "mas, porém, exceto",
  now: "agora, já, finalmente, enfim, dessa vez",
  more: "também, além, depois, o mesmo, a mesma, outro, outra, igual",
  past: `
    antes, até agora, desde ontem, da última vez, semana passada, mês passado, o antigo, a antiga, faz dias|semanas|meses
  `,
  negation: "não, nao, nunca, sem, nenhum, nenhuma, nem, jamais, nada",
  supposes: "se você|eu|for|der|puder|não|tiver|quiser, quando, caso, assim que, desde que",
  asks: `
    pode me|você, você pode, consegue, poderia, qual, quais, quando, onde, como, por que, quem, quanto, quantos, quantas, tem como, o que,
    busca, procura, acha, escreve, escreva, faz|faça um|uma, mostra, diz, explica, verifica, confere, traduz, resume, calcula, adiciona,
    apaga, cria, lembra, leia, reserva|compra um|uma, me dá|diz|mostra|ajuda, aliás, a propósito
  `,
  fillers: "e, então, aí, ah, oh, oi, ok, sim, pois, né, também, tá, ta, olha, bom, por favor, gente, agora, só",
  others: `
    ele, ela, meu, minha, meus, minhas, o|a|os|as meu|minha|meus|minhas, seu pai, dele, dela, nosso, nossa, alguém, o pessoal, o vizinho|chefe|ônibus|tempo, a vizinha|chefe
  `,
  thing: "o _, a _, os _, um _, uma _, este _, esta _, esse _, essa _",
  work: `
    resposta*, resultado*, total, soma, arquivo*, código, script, formato, lista, tabela, texto, carta, email, mensagem, tradução, resumo,
    versão, plano, receita, relatório, título, link, data, nome, imagem, foto, número*, valor*, preço, coluna, linha, tom, isso, isto
  `,
  plain: `
    sem problema|problemas|pressa, não tem problema, não obrigado|obrigada, bom dia|fim, boa tarde|noite|sorte|pergunta|viagem|semana,
    tudo bem|bom, nada mal, não se preocupe, sem dúvida, bom saber, de nada, não só, melhor não, se bem, bem passado, beleza
  `,
};
