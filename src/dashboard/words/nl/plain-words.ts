import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const plainWords: Words['plainWords'] = {
  title: 'Goed om te weten',
  staysOn: (least, usual, since) =>
    `Er blijft iets aan: sinds ${since} heeft je huis nooit minder dan ${least} verbruikt. In de rustigste kwartieren is dat anders ${usual}.`,
  staysOnCost: (perDay) => `Gaat dat zo door, dan is dat ${perDay} meer per dag.`,
  staysOnDevice: (location) => `Het meeste daarvan is ${location}.`,
  staysOnLook:
    'Een koelkast waarvan de deur niet dicht is, een kachel die aan bleef, of iets nieuws dat de hele dag draait?',
  nightRose: (quiet, usual) =>
    `Je nachten verbruiken meer dan eerst: ${quiet} in de rustigste twee uur; in de vier weken ervoor was dat ${usual}.`,
  nightRoseLook: 'Een koelkast of vriezer die bijna niet meer afslaat, of een apparaat dat op stand-by bleef?',
  deviceUsesMore: (location, energy, usual) =>
    `${location} verbruikte ${energy} in de laatste 24 uur. Op bijna elke andere dag is dat ${usual}.`,
  deviceUsesMoreLook: 'Bij een koelkast of vriezer: is de deur dicht, is het rubber heel, en zit er ijs in?',
  productionMissing: (since, expected) =>
    `Je zonnepanelen hebben sinds ${since} niets opgewekt. Zelfs op een slechte dag zou dat nu ${expected} zijn.`,
  productionSilent: (since, expected) =>
    `Van je zonnepanelen is sinds ${since} niets gehoord. Zelfs op een slechte dag hadden ze nu ${expected} opgewekt.`,
  productionMissingLook: 'Kijk naar de omvormer. Sneeuw op de panelen ziet er van hieruit hetzelfde uit.',
  unusualDay: (date, energy, usual, weekday) =>
    `${date} was ongewoon voor een ${weekday}: ${energy}, terwijl het anders ${usual} is.`,
  cheaperTariff: (name, would, paid, start, end) =>
    `Met “${name}” had je ${would} in plaats van ${paid} betaald, van ${start} tot en met ${end}.`,
  cheaperTariffLook: 'Berekend met je verbruik in elk kwartier, alsof dat tarief de hele tijd had gegolden.',
  compared: {
    title: 'Waarmee het is vergeleken',
    titleOf: (remark) => `Waarmee het is vergeleken: ${remark}`,
    when: 'Wanneer',
    level: 'Laagste verbruik',
    quiet: 'Rustigste twee uur',
    used: 'Verbruikt',
    made: 'Opgewekt',
    upTo: (time) => `dag tot ${time}`,
    thisOne: (name) => `${name} (deze)`,
    picture: (count, usual, now) =>
      `${plural(count, { one: '# dag ervoor', other: '# dagen ervoor' })}, meestal ${usual}; deze ${now}`,
  },
  forecast: {
    title: 'Einde van deze maand',
    expected: (energy) => `Ongeveer **${energy}** aan het einde van de maand.`,
    range: (low, high, percent) => `In ${percent} van de 100 maanden ligt het tussen ${low} en ${high}.`,
    cost: (cost, low, high) => `Dat kost ongeveer **${cost}**, tussen ${low} en ${high}.`,
    soFar: (energy, days) =>
      plural(days, {
        one: `Tot nu toe ${energy}; # dag is voorbij.`,
        other: `Tot nu toe ${energy}; # dagen zijn voorbij.`,
      }),
    wasOff: (share, months) =>
      plural(months, {
        one: `Op deze dag van een eerdere maand zat de verwachting er ${share} naast.`,
        other: `Op deze dag van je laatste # maanden zat de verwachting er gemiddeld ${share} naast.`,
      }),
    noPast: 'Hoe goed de verwachting voor jouw huis is, blijkt na de eerste hele maanden.',
    evidence: 'Wat er eerder zou zijn gezegd',
    month: 'Maand',
    said: 'Verwacht',
    cameTo: 'Het werd',
    off: 'Ernaast met',
    lastYear: 'Zelfde maand een jaar eerder: ernaast met',
  },
};
