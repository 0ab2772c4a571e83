import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const messages: Words['messages'] = {
  open: 'Nachricht lesen',
  title: (gateway) => `Was sagt eine Nachricht? ${gateway}`,
  about:
    'Fügen Sie eine Nachricht eines Geräts ein: Sie sehen, was daraus gelesen wird und warum nicht. Nichts davon wird gespeichert.',
  topic: 'Topic der Nachricht',
  topicHint: 'So, wie der eigene Broker des Geräts es hat, etwa tele/plug/SENSOR.',
  payload: 'Nachricht',
  retained: 'Der Broker hatte sie aufbewahrt (retain)',
  look: 'Nachsehen',
  outcomes: {
    read: (family) => `Sie wird gelesen, als **${family}**.`,
    asked: (family) =>
      `Sie gehört zu **${family}**. Nichts davon zählt, bis Sie auf der Seite des gekoppelten Geräts sagen, was es ist.`,
    refused: (family) => `Sie gehört zu **${family}** und ist unbrauchbar.`,
    nothing: (family) => `Sie gehört zu **${family}**. Sie sagt nichts, das gezählt wird.`,
    nobody: () =>
      'Niemand liest sie: Keine bekannte Art von Geräten hat ein solches Topic mit einer solchen Nachricht.',
  },
  device: 'Gerät',
  quantity: 'Größe',
  value: 'Wert',
  time: 'Zeit',
  atReceipt: 'wie sie eintrifft',
  isAsked: 'unbekannt',
  leftOut: (count) =>
    plural(count, {
      one: '# Messwert wird ausgelassen: Der Broker hatte die Nachricht aufbewahrt, und sie sagt nicht, wie alt sie ist.',
      other:
        '# Messwerte werden ausgelassen: Der Broker hatte die Nachricht aufbewahrt, und sie sagt nicht, wie alt sie ist.',
    }),
  would: (family) =>
    `Mit dieser Einstellung liest **${family}** mehr davon. Zonen, Einheiten und Zahlen darin sind Beispiele. Sie gehört in die \`decoder_config\` des Gateways.`,
  setting: 'Einstellung',
  use: 'Diese Einstellung verwenden',
  useHint:
    'Ändern Sie vor dem Speichern Zonen, Einheiten und Zahlen, die bei Ihnen anders sind. Sie ersetzt, was das Gateway unter diesem Namen hat.',
  noSetting: 'Das ist kein JSON-Objekt in geschweiften Klammern.',
  members: 'Was darin steht',
  membersAbout: 'Wählen Sie eine Zahl und sagen Sie, was sie ist: Von da an wird sie gelesen.',
  noMembers: 'Es steht keine Zahl darin, von der Sie etwas sagen könnten: Es muss JSON sein oder eine bloße Zahl.',
  place: 'Stelle',
  whole: 'die ganze Nachricht',
  choose: 'Sagen, was es ist',
  form: {
    title: (place) => `Was ist ${place}?`,
    meaning: 'Es ist',
    unit: 'Einheit',
    scale: 'Multiplizieren mit',
    scaleHint: '0,01, wenn Hundertstel dieser Einheit gezählt werden. Sonst leer.',
    topic: 'Auf Topics',
    topicHint: 'Ein + an der Stelle einer Ebene steht für jede und benennt das Gerät.',
    device: 'Name des Geräts',
    deviceHint: 'Leer: wofür das + steht, oder das Topic.',
    circuit: 'Welches von mehreren',
    circuitHint:
      'Ein Wort für das zweite seiner Art in einem Gerät, etwa pump. Es zählt zusätzlich zum ersten, darf also kein Teil davon sein. Sonst leer.',
    time: 'Ihre Zeit',
    noTime: 'wie sie eintrifft',
    total: 'Energie und Volumen müssen sein, was das Gerät seit jeher gezählt hat, nicht das eines Tages.',
    takesOver: (family) =>
      `Bisher liest **${family}** diese Nachricht. Sobald Sie speichern, zählt daraus nur noch, was Sie selbst angeben, und das Gerät von **${family}** erfährt aus solchen Nachrichten nichts mehr.`,
    try: 'Ausprobieren',
    tried: 'Damit:',
    save: 'Im Gateway speichern',
    saved: 'Gespeichert. Das Gerät erscheint mit seiner nächsten Nachricht unter den entdeckten; koppeln Sie es dort.',
  },
  meanings: {
    power: 'Leistung (unter 0: Einspeisung)',
    production: 'Erzeugung eines Geräts, das nur erzeugt',
  },
  mappings: {
    title: 'Was Sie von den Nachrichten dieses Gateways gesagt haben',
    remove: 'Zurücknehmen',
  },
};
