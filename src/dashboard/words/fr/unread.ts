import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const unread: Words['unread'] = {
  title: (gateway, topics) =>
    plural(topics, {
      one: `Parle par ${gateway} sans être compris : # type de message`,
      other: `Parle par ${gateway} sans être compris : # types de messages`,
    }),
  about:
    'Les messages que ce service ne comprend pas, par topic ; `+` remplace ce qui change d’un appareil à l’autre. Si l’un de vos compteurs ou de vos prises est du nombre, il manque peut-être un réglage à sa passerelle, ou son langage n’est pas encore connu ici : ouvrez l’exemple et dites ce que sont ses nombres.',
  messages: 'Messages reçus',
  example: 'Un exemple',
  exampleOf: (topic) => `Un exemple de ${topic}`,
  show: 'Afficher',
  none: 'aucun n’est conservé',
  others: 'tous les autres topics',
  cut: (bytes) => plural(bytes, { one: 'Le début de # octet.', other: 'Le début de # octets.' }),
  base64: 'En base64, car ce n’est pas du texte.',
};
