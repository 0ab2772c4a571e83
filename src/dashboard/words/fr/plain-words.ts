import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const plainWords: Words['plainWords'] = {
  title: 'Bon à savoir',
  staysOn: (least, usual, since) =>
    `Quelque chose reste allumé : depuis ${since}, votre logement n’a jamais consommé moins de ${least}. Dans ses quarts d’heure les plus calmes, c’est d’habitude ${usual}.`,
  staysOnCost: (perDay) => `Si cela continue, c’est ${perDay} de plus par jour.`,
  staysOnDevice: (location) => `L’essentiel vient de ${location}.`,
  staysOnLook:
    'Un réfrigérateur mal fermé, un radiateur oublié, ou quelque chose de nouveau qui tourne toute la journée ?',
  nightRose: (quiet, usual) =>
    `Vos nuits consomment plus qu’avant : ${quiet} dans leurs deux heures les plus calmes, contre ${usual} les quatre semaines précédentes.`,
  nightRoseLook: 'Un réfrigérateur ou un congélateur qui ne s’arrête presque plus, ou un appareil resté en veille ?',
  deviceUsesMore: (location, energy, usual) =>
    `${location} a consommé ${energy} ces dernières 24 heures. Presque tous les autres jours, c’est ${usual}.`,
  deviceUsesMoreLook:
    'Pour un réfrigérateur ou un congélateur : la porte est-elle fermée, le joint intact, y a-t-il du givre ?',
  productionMissing: (since, expected) =>
    `Vos panneaux n’ont rien produit depuis ${since}. Même un mauvais jour, ce serait déjà ${expected}.`,
  productionSilent: (since, expected) =>
    `Aucune nouvelle de vos panneaux depuis ${since}. Même un mauvais jour, ils auraient déjà produit ${expected}.`,
  productionMissingLook: 'Regardez l’onduleur. De la neige sur les panneaux donne la même chose, vu d’ici.',
  unusualDay: (date, energy, usual, weekday) =>
    `${date} était inhabituel pour un ${weekday} : ${energy}, alors que c’est d’habitude ${usual}.`,
  cheaperTariff: (name, would, paid, start, end) =>
    `Avec « ${name} », vous auriez payé ${would} au lieu de ${paid}, du ${start} au ${end}.`,
  cheaperTariffLook:
    'Calculé avec votre consommation de chaque quart d’heure, comme si ce tarif s’était appliqué tout le temps.',
  compared: {
    title: 'À quoi c’est comparé',
    titleOf: (remark) => `À quoi c’est comparé : ${remark}`,
    when: 'Quand',
    level: 'Consommation minimale',
    quiet: 'Deux heures les plus calmes',
    used: 'Consommation',
    made: 'Production',
    upTo: (time) => `jour jusqu’au ${time}`,
    thisOne: (name) => `${name} (celui-ci)`,
    picture: (count, usual, now) =>
      `${plural(count, { one: '# jour avant', other: '# jours avant' })}, le plus souvent ${usual} ; celui-ci ${now}`,
  },
  forecast: {
    title: 'Fin de ce mois',
    expected: (energy) => `Environ **${energy}** à la fin du mois.`,
    range: (low, high, percent) => `Dans ${percent} mois sur 100, ce sera entre ${low} et ${high}.`,
    cost: (cost, low, high) => `Cela coûte environ **${cost}**, entre ${low} et ${high}.`,
    soFar: (energy, days) =>
      plural(days, {
        one: `${energy} jusqu’ici ; # jour est passé.`,
        other: `${energy} jusqu’ici ; # jours sont passés.`,
      }),
    wasOff: (share, months) =>
      plural(months, {
        one: `Le même jour d’un mois précédent, la prévision s’écartait de ${share}.`,
        other: `Le même jour de vos # derniers mois, la prévision s’écartait en moyenne de ${share}.`,
      }),
    noPast: 'On saura après les premiers mois entiers si la prévision convient à votre logement.',
    evidence: 'Ce qu’elle aurait dit avant',
    month: 'Mois',
    said: 'Elle aurait dit',
    cameTo: 'Résultat',
    off: 'Écart',
    lastYear: 'Même mois un an avant : écart',
  },
};
