import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const unread: Words['unread'] = {
  title: (gateway, topics) =>
    plural(topics, {
      one: `Spricht über ${gateway} und wird nicht gehört: # Art von Nachrichten`,
      other: `Spricht über ${gateway} und wird nicht gehört: # Arten von Nachrichten`,
    }),
  about:
    'Nachrichten, die dieser Dienst nicht versteht, nach ihrem Topic; `+` steht für das, was sich von Gerät zu Gerät unterscheidet. Ist einer Ihrer Zähler oder Stecker darunter, fehlt vielleicht eine Einstellung seines Gateways, oder seine Sprache ist hier noch nicht bekannt: Öffnen Sie das Beispiel und sagen Sie, was seine Zahlen bedeuten.',
  messages: 'Nachrichten',
  example: 'Ein Beispiel',
  exampleOf: (topic) => `Ein Beispiel für ${topic}`,
  show: 'Anzeigen',
  none: 'wird nicht aufbewahrt',
  others: 'alle weiteren Topics',
  cut: (bytes) => plural(bytes, { one: 'Der Anfang von # Byte.', other: 'Der Anfang von # Bytes.' }),
  base64: 'In Base64, da es kein Text ist.',
};
