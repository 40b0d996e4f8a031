// What people write in Spanish about an answer. See lexicon.ts.
import type { Lexicon } from "./lexicon.ts";

export const SPANISH: Partial<Lexicon> = {
  praise: `
    perfecto, perfecta, perfectos|perfectas, perfectamente, excelente*, genial, geniales, estupendo|estupenda, fantástico|fantástica,
    fenomenal, maravilloso|maravillosa, increíble, espectacular, impecable, magnífico|magnífica, brutal, bárbaro, buenísimo|buenísima,
    muy buena|bueno|bien|bonito|claro|clara|útil|rico|buen, bravo, enhorabuena, felicidades, chapó, exacto, exactamente, justo lo|eso|así,
    tal cual|como, lo que quería|buscaba|necesitaba|pedía|pedí, buen trabajo|consejo|ojo|dato, buena idea|respuesta|elección|explicación,
    bien hecho|visto|pensado|explicado, me|nos encanta|encantó|encantan|fascina, me .. salvado|salvaste|salvas,
    eres .. crack|genio|mejor|máquina|sol|grande, un crack, de diez, de lujo, de maravilla, como la seda, mucho|bastante mejor, mejor que,
    quedó|queda|ha quedado|quedaron .. perfecto|genial|bien|bonito|precioso|lindo|padrísimo, precioso|preciosa, guay,
    qué bien|bueno|guay|maravilla|padre|chulo, chulo|chula, padrísimo, impresionante, impresionado|impresionada,
    ahora|por fin .. entiendo|entendí, ya entiendo|entendí|lo entiendo, tiene sentido, muchas|muchísimas|mil gracias, delicioso|deliciosa,
    riquísimo, ole, olé, wow
  `,
  liked: `
    bien, claro como, útil, práctico, bonito, chévere, contento|contenta, satisfecho, me gusta, nos gusta, me gustó, me sirve,
    por fin, mejor, correcto, correcta, lindo, linda, sencillo, super, súper, vale así
  `,
  thanks: "gracias, te lo agradezco, se agradece",
  approval: `
    envíalo|envíala|mándalo|mándala|publícalo|súbelo|guárdalo|imprímelo|úsalo|déjalo|fusiónalo|despliégalo|apruébalo, mándaselo,
    puedes|puede enviarlo|mandarlo|publicarlo|cerrarlo|subirlo|cerrar|enviar|mandar, aprobado|aprobada, firmado|firmada, visto bueno,
    doy el ok|visto, adelante, dale, me lo quedo, me quedo con, nos quedamos con, lo dejamos así, déjalo así, así está bien|perfecto,
    así se queda, se queda así, lo mismo para|con, igual para|con, haz|hazlo .. igual|mismo para|con, otro|otra|uno|una más así|igual|como,
    siempre así, más así, a partir de ahora así|siempre, lo usamos, lo uso, lo compro, listo para, queda aprobado, ya puedes cerrarlo
  `,
  effect: `
    funciona, funciona bien|perfecto|ahora|ya, ya|ahora funciona|anda|va|carga|abre|arranca|compila|entra|sale,
    va .. bien|perfecto|fino|rápido, funcionó, ha funcionado, sirvió, me sirvió, ayudó, ha servido,
    pasó|pasa|pasan .. prueba|pruebas|tests|todo|revisión|filtro, los tests pasan,
    todo .. verde|bien|correcto|ok|cuadra|orden|listo|perfecto, en verde, cuadra, cuadran, coincide, coinciden, encaja, solucionado,
    resuelto, arreglado, corregido, se arregló|solucionó, compila, aceptado|aceptada, lo aceptaron, la aceptaron, aprobaron,
    dijo|dijeron|han dicho que sí, ganamos|gané, vendido|vendimos, sin errores|problemas|fallos|quejas, ni un error|fallo|problema,
    ningún error|problema|fallo, ya no .. falla|error|da|sale, a la primera, al céntimo|centavo, más rápido,
    mucho|bastante más rápido|claro|barato|fácil|sencillo, es correcto|verdad|cierto, está .. correcto|bien|perfecto|todo, tenías razón,
    comprobado|confirmado|verificado, les|le encantó|gustó|gustaron|encantaron,
    todos|todas .. encantados|felices|contentos|rieron|aplaudieron, salió|salieron .. bien|perfecto|rico|genial|bueno, llegó bien|a tiempo,
    ya estoy dentro, ya entré, pude entrar, entré, en producción, en vez de .. horas|minutos|días|segundos, ya no gotea|pita|falla|suena|se,
    dejó de fallar|gotear|sonar|pitar, me contestaron|respondieron|llamaron, agotado|agotadas, misión cumplida, asunto resuelto,
    por fin nadie|todos|todo|puedo|se|ya, ya está|están pegado|colgado|enviado|impreso|listo|hecho
  `,
  used: `
    lo|la|los ya he|mandé|envié|imprimí|publiqué|subí|guardé|usé|reservé|compré|firmé|pegué,
    ya lo|la mandé|envié|imprimí|he|publiqué|subí|usé|reservé, impreso, enviado|enviada, reservado|reservada, guardado|guardada en,
    publicado|publicada, entregado|entregada, colgado|colgada en, lo tengo colgado|impreso|en
  `,
  complaint: `
    está|están|estaba|sigue .. mal, mal hecho|escrito|traducido|calculado|puesto|ordenado, muy|fatal mal, qué mal,
    incorrecto|incorrecta|incorrectos, equivocado|equivocada, equivocaste, te equivocas, te has equivocado, falso|falsa, erróneo|errónea,
    horrible, fatal, pésimo|pésima, malo|mala|malos|malísimo, feo|fea, basura, mierda, inútil, ridículo, ilegible, confuso|confusa,
    incompleto|incompleta, incomprensible, decepcion*, aburrido|aburrida, roto|rota, desastre, chapuza, vergüenza, error, errores, errata,
    falta, faltan, faltaba, olvidaste, te olvidaste, has|te olvidado, se te olvidó|pasó, ignoraste, borraste, borró, inventaste,
    inventado|inventada, confundiste, mezclaste, duplicado|duplicada|duplicados,
    no es|era|son .. eso|esto|lo|así|correcto|correcta|cierto|bueno|verdad, no lo que, eso no, así no,
    no .. entiendo|entiende|cuadra|coincide|sirve|vale|ayuda|pega|encaja|gusta|convence, no entendiste|leíste, no tiene .. sentido,
    sin sentido, parece|suena a|un|una|como, mismo|misma error|problema|fallo, no está bien, vuelve a mirar|leer|contar|intentar, otra vez,
    de nuevo, inténtalo, revisa bien, mira bien|mejor, lee bien, ese|esa|esto|eso no es|son mi|el|la|los|para,
    ninguno|ninguna de|sirve|funciona, cuántas veces, borroso|borrosa, torcido|torcida,
    pusiste|mandaste|usaste .. equivocado|equivocada|viejo|vieja|mal
  `,
  grumble: `
    regular, meh, lástima, desgraciadamente, lamentablemente, por desgracia, raro, rara, extraño, uf, uff, ay, no, todavía, sigue igual
  `,
  harm: `
    no .. funciona|funcionó|abre|carga|arranca|compila|imprime|responde|va|anda|enciende|entra|llega|llegó|deja, falla, falló, fallan,
    sigue|siguen .. sin|saliendo|igual|fallando|roto|rojo|dando|apareciendo|mostrando|mal|ahí|haciendo, todavía|aún no|sale|aparece|hay|da,
    sigue igual, se cae|cayó|cuelga|colgó|bloquea|bloqueó, rechazado|rechazada|rechazaron, denegado, devuelto|devolvieron, vacío|vacía,
    en blanco, peor, más lento|lenta|caro|feo, desapareció|desaparecieron|desaparecido,
    no existe|encuentra|encontrado|cambió|cambia|pasa nada, nada cambió|ha cambiado, no hace nada, desconocido|desconocida,
    inválido|inválida, caducado|caducada, me sale error|un, no deja de|para, otra vez roto|caído|igual|lo, sigue y sigue, en spam,
    rechazada|devuelta, multado, bloqueado|bloqueada, perdí|perdimos el|la, vuelve a fallar|salir|pasar, se .. riendo|ríe|ríen
  `,
  doubt: `
    estás seguro|segura, seguro que|de, desde cuándo, no puede ser, imposible, no creo, lo dudo, dudo que, no me cuadra,
    me parece .. mucho|poco|raro|alto|bajo|caro, de dónde sacas|sacaste|sale, dónde está|están .. mi|el|la,
    por qué has|borraste|cambiaste|falta|hay|pusiste, creía que, creí que, pensaba que, pensé que, eso no existe, ya no existe|está,
    cerró|cerraron hace, según .. es|son, el calendario|la web|el manual|la página dice|pone
  `,
  undo: `
    deshaz, deshazlo, deshacer, revierte, reviértelo, vuelve .. atrás|como|a|versión, vuelve a .. poner|dejar, restaura, restáuralo,
    como estaba|antes, ponlo|déjalo como, versión anterior, el|la de antes, estaba mejor antes, antes estaba mejor, devuelve
  `,
  giveUp: `
    me rindo, me doy por vencido, lo hago|haré yo|a|por|mano, yo mismo|misma, a mano, olvídalo, déjalo ya|estar, pérdida de tiempo,
    no hay manera|caso, basta, deja de, para de, ya está bien, harto|harta
  `,
  wish: `
    muy largo|larga|corto|corta|formal|frío|seco|lento|caro|tarde|técnico|complicado|serio|genérico|vago, demasiado,
    demasiada|demasiados|demasiadas, debería|debía|deberían|tenía|tiene|tienen|debe .. ser|estar|tener|decir|ir|poner,
    te|le dije|pedí|había, ya te|lo .. dije|dicho, como .. dije, yo|nosotros quería|quería|dije|pedí, yo pedí, te pedí,
    quería|quiero decir|decía, me refería|refiero, en vez|lugar de, en su lugar, sino, el otro|la otra,
    otro|otra archivo|carpeta|ciudad|cuenta|repo|columna|fecha, hazlo|ponlo|hazla .. más|menos corto|largo|sencillo|formal|en, no .. sino,
    hay que, basta con, con .. basta
  `,
  hint: `
    mejor|prefiero en|con|sin|que|un|una, prefiero, preferiría, solo|sólo los|las|el|la|un|una|tres|dos,
    más corto|corta|largo|sencillo|simple|formal|informal|breve|pequeño|grande|cercano, menos formal|texto|largo, sin los|las|el|la,
    en español|inglés|euros, necesito, primero, siempre en|con|sin, nunca uses|pongas, no uses|pongas|escribas|traduzcas,
    usa|usen|pon|pongan, arriba del|de
  `,
  nextTime: `
    la próxima vez, para la próxima, en el futuro, de ahora en adelante, a partir de ahora, en adelante, en lo sucesivo
  `,
  idle: `
    todavía|aún no .. leído|visto|mirado|probado|leí|vi|miro, no .. he tenido|tuve tiempo,
    luego|después|mañana|más tarde lo|los|la|miro|leo|veo|te|pruebo, los|lo|la miro|leo|pruebo|reviso .. luego|calma|mañana|tarde,
    lo .. pienso|pensaré|consulto|consultaré|miraré|revisaré, déjame .. ver|pensar|mirar|leer|revisar,
    voy a .. ver|probar|pensar|mirar|leer|preguntar, te .. aviso|digo|cuento, mañana, más tarde, espera, un momento|segundo|minuto,
    ya veremos, a ver, quizás, quizá, tal vez, puede ser, no sé, no lo sé, ni idea, depende, se canceló|cancela|cancelado,
    cancelado|cancelada, al final no, ya no hace|necesito|hace, no hace falta, no importa, da igual, cambio de planes, con calma
  `,
  exception: `
    pero, excepto, salvo, menos, aunque, sin embargo, solo que, sólo que, lo único, lástima que, casi, si no fuera
  `,
  but: "pero, excepto, salvo",
  now: "ahora, ya, por fin, al fin, esta vez",
  more: "también, además, luego, después, lo mismo, otro, otra, igual",
  past: `
    antes, anteriormente, hasta ahora, desde hace|ayer, la vez pasada, la semana pasada, el mes pasado, el anterior, la anterior, llevaba,
    horas|días|semanas
  `,
  negation: "no, nunca, sin, ningún, ninguna, ninguno, tampoco, ni, apenas, nada",
  supposes: "si, cuando, en caso, siempre que, a menos, en cuanto",
  asks: `
    puedes|podrías|puede|podría|podemos|puedo, qué, cuál, cuáles, cuándo, dónde, cómo, por qué, quién, cuánto, cuánta, cuántos, hay, tienes,
    busca, encuentra, escribe, haz|hazme un|una, muestra, dime, explica, comprueba, revisa, traduce, resume, calcula, añade, borra, crea,
    recuérdame, lee, reserva|compra un|una, dame, por cierto
  `,
  fillers: `
    y, pues, bueno, vale, ok, ah, oh, eh, sí, entonces, luego, también, hola, oye, o, mira, ay, por favor, ya, ahora, que
  `,
  others: `
    él, ella, mi, mis, tu madre, su, sus, nuestro, nuestra, alguien, la gente, el vecino|jefe|tren|bus|tiempo, la vecina|jefa
  `,
  thing: "el _, la _, los _, las _, un _, una _, este _, esta _, estos _",
  work: `
    respuesta*, resultado*, total, suma, archivo*, código, script, formato, lista, tabla, texto, carta, correo, mensaje, traducción,
    resumen, versión, plan, receta, informe, título, enlace, fecha, nombre, imagen, foto, cifra*, importe, precio, columna, fila, tono, eso,
    esto, lo
  `,
  plain: `
    no hay problema|prisa|de, no pasa nada, no gracias, buenos días, buenas tardes|noches, buena suerte|pregunta|noche, buen viaje|día|fin,
    no está mal, nada mal, no te preocupes, sin duda|falta, está bien, bueno saber, si bien, más bien, bien cocido, de nada, no solo,
    mejor no, nada más
  `,
};
