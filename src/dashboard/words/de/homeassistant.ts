import type { Words } from '../en.ts';

export const homeassistant: Words['homeassistant'] = {
  what: 'Home Assistant kann dieses Zuhause auf seiner Seite „Energie“ zeigen, mit Kosten und jedem Gerät. Dort wird nichts eingerichtet.',
  how: 'Wer diesen Dienst betreibt, setzt zwei Variablen und startet ihn neu; die erste nennt den Broker, den Home Assistant benutzt, mit einem Benutzer davon. Danach erscheint **Home energy** unter **Einstellungen**, **Geräte & Dienste**, **MQTT**.',
  settings: 'Einstellungen des Dienstes',
};
