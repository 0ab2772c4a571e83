import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const plainWords: Words['plainWords'] = {
  title: 'Gut zu wissen',
  staysOn: (least, usual, since) =>
    `Etwas bleibt an: Seit ${since} hat Ihr Zuhause nie weniger als ${least} verbraucht. In seinen ruhigsten Viertelstunden sind es sonst ${usual}.`,
  staysOnCost: (perDay) => `Geht das so weiter, sind das ${perDay} mehr am Tag.`,
  staysOnDevice: (location) => `Das meiste davon ist ${location}.`,
  staysOnLook:
    'Ein Kühlschrank, dessen Tür nicht schließt, ein vergessenes Heizgerät oder etwas Neues, das den ganzen Tag läuft?',
  nightRose: (quiet, usual) =>
    `Ihre Nächte brauchen mehr als bisher: ${quiet} in den ruhigsten zwei Stunden; in den vier Wochen davor waren es ${usual}.`,
  nightRoseLook: 'Ein Kühl- oder Gefriergerät, das kaum noch abschaltet, oder ein Gerät, das in Bereitschaft blieb?',
  deviceUsesMore: (location, energy, usual) =>
    `${location} hat in den letzten 24 Stunden ${energy} verbraucht. An fast jedem anderen Tag sind es ${usual}.`,
  deviceUsesMoreLook: 'Bei einem Kühl- oder Gefriergerät: Ist die Tür zu, die Dichtung heil, und vereist es?',
  productionMissing: (since, expected) =>
    `Ihre Solaranlage hat seit ${since} nichts erzeugt. Selbst an einem schlechten Tag wären es bis jetzt ${expected}.`,
  productionSilent: (since, expected) =>
    `Von Ihrer Solaranlage ist seit ${since} nichts zu hören. Selbst an einem schlechten Tag hätte sie bis jetzt ${expected} erzeugt.`,
  productionMissingLook: 'Sehen Sie nach dem Wechselrichter. Schnee auf den Modulen sieht von hier aus genauso aus.',
  unusualDay: (date, energy, usual, weekday) =>
    `${date} war ungewöhnlich für einen ${weekday}: ${energy}, sonst sind es ${usual}.`,
  cheaperTariff: (name, would, paid, start, end) =>
    `Mit „${name}“ hätten Sie ${would} statt ${paid} bezahlt, von ${start} bis ${end}.`,
  cheaperTariffLook:
    'Gerechnet mit Ihrem Verbrauch in jeder Viertelstunde, als hätte dieser Tarif die ganze Zeit gegolten.',
  compared: {
    title: 'Womit verglichen wird',
    titleOf: (remark) => `Womit verglichen wird: ${remark}`,
    when: 'Wann',
    level: 'Geringster Verbrauch',
    quiet: 'Ruhigste zwei Stunden',
    used: 'Verbrauch',
    made: 'Erzeugung',
    upTo: (time) => `Tag bis ${time}`,
    thisOne: (name) => `${name} (dieser)`,
    picture: (count, usual, now) =>
      `${plural(count, { one: '# Tag davor', other: '# Tage davor' })}, meist ${usual}; dieser ${now}`,
  },
  forecast: {
    title: 'Ende dieses Monats',
    expected: (energy) => `Etwa **${energy}** bis zum Ende des Monats.`,
    range: (low, high, percent) => `In ${percent} von 100 Monaten liegt es zwischen ${low} und ${high}.`,
    cost: (cost, low, high) => `Das kostet etwa **${cost}**, zwischen ${low} und ${high}.`,
    soFar: (energy, days) =>
      plural(days, { one: `Bisher ${energy}; # Tag ist vorbei.`, other: `Bisher ${energy}; # Tage sind vorbei.` }),
    wasOff: (share, months) =>
      plural(months, {
        one: `Am gleichen Tag eines früheren Monats lag sie um ${share} daneben.`,
        other: `Am gleichen Tag Ihrer letzten # Monate lag sie im Mittel um ${share} daneben.`,
      }),
    noPast: 'Wie gut die Prognose für Ihr Zuhause ist, zeigt sich nach den ersten ganzen Monaten.',
    evidence: 'Was sie früher gesagt hätte',
    month: 'Monat',
    said: 'Gesagt hätte sie',
    cameTo: 'Geworden sind es',
    off: 'Daneben um',
    lastYear: 'Gleicher Monat im Vorjahr: daneben um',
  },
};
