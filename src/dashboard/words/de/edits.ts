import type { Words } from '../en.ts';

export const edits: Words['edits'] = {
  title: 'Von Hand bearbeitete Messwerte',
  about:
    'Was jemand über Messwerte weiß und keine Regel erkennen kann. Bearbeitungen bleiben sichtbar; nichts, was das Gerät gesendet hat, wird entfernt.',
  list: 'Liste der Bearbeitungen',
  none: 'Es wurde nichts bearbeitet.',
  new: 'Neue Bearbeitung',
  what: 'Was',
  actions: { exclude: 'Messwerte zählen nicht', add: 'Ich habe den Zähler abgelesen' },
  actionHints: {
    exclude:
      'Messwerte dieser Zeit werden übergangen, auch solche, die später kommen. Über die Lücke eines Zählers verteilt sich seine Energie gleichmäßig.',
    add: 'Der Wert zählt wie ein Messwert, der spät kommt. Passt er nicht zu den anderen, zählt er wie jeder andere nicht.',
  },
  quantity: 'Messgröße',
  every: 'alle Messgrößen',
  at: 'Abgelesen am',
  value: (units: string) => `Zählerstand (${units})`,
  from: 'Von',
  to: 'Bis (nicht mehr enthalten)',
  zone: (zone: string) => `Zeiten in ${zone}.`,
  reason: 'Grund',
  reasonHint: 'Wer später nachsieht, liest ihn.',
  when: 'Wann',
  made: 'Erstellt',
  fromTo: (from: string, to: string) => `${from} bis ${to}`,
  excludedOf: (quantity: string) => `Zählt nicht: ${quantity}`,
  readOf: (value: string, quantity: string) => `Von Hand abgelesen: ${value} (${quantity})`,
  statuses: { in_force: 'gilt', revoked: 'widerrufen' },
  waits: 'wird berechnet',
  you: 'Sie',
  erased: 'gelöschtes Konto',
  revoke: 'Widerrufen',
  revokeQuestion:
    'Der Verbrauch dieses Geräts wird dann so berechnet, als hätte es die Bearbeitung nie gegeben. Sie bleibt in dieser Liste stehen. Sie kann nicht wieder in Kraft gesetzt, aber neu erstellt werden.',
  wrong: (message: string) => `Der Dienst sagt: ${message}`,
};
