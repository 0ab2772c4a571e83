import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const period: Words['period'] = {
  choose: 'Période',
  units: { day: 'Jour', week: 'Semaine', month: 'Mois', year: 'Année' },
  previous: { day: 'Jour d’avant', week: 'Semaine d’avant', month: 'Mois d’avant', year: 'Année d’avant' },
  next: { day: 'Jour d’après', week: 'Semaine d’après', month: 'Mois d’après', year: 'Année d’après' },
  goTo: 'Aller à une date',
  used: 'Consommé',
  usedSoFar: 'Consommé jusqu’ici',
  produced: 'Produit',
  producedSoFar: 'Produit jusqu’ici',
  cost: 'Coût',
  now: 'Maintenant',
  average: 'Puissance moyenne',
  /** Of a power. */
  lastMinutes: (low: string, high: string) => `10 dernières minutes : minimum ${low}, maximum ${high}.`,
  nowMean: (minutes) =>
    plural(minutes, { one: 'moyenne de la dernière minute', other: 'moyenne des # dernières minutes' }),
  before: { day: 'Une semaine avant', week: 'La semaine d’avant', month: (weeks) => `${weeks} semaines avant` },
  lastYear: 'Un an avant',
  less: (share) => `${share} de moins qu’alors`,
  more: (share) => `${share} de plus qu’alors`,
  same: 'autant qu’alors',
  /** If money moved otherwise than energy. */
  energyChange: (change: string) => `Énergie : ${change}`,
  costChange: (change: string) => `Coût : ${change}`,
  partKnown: (share) => `seulement ${share} connus`,
  likeWithLike: 'Comparé à autant de jours, aux mêmes jours de la semaine, jusqu’à la même heure.',
  base: 'Toujours allumé',
  baseAYear: (energy) => `${energy} par an`,
  baseCost: (money) => `environ ${money} par an`,
  ownUsed: (energy) => `${energy} de votre propre énergie consommés`,
  stored: (energy) => `${energy} stockés dans la batterie`,
  load: 'Puissance au fil du jour',
  typicalDay: (days) => `Un de ces jours, en moyenne (${plural(days, { one: '# jour', other: '# jours' })})`,
  byDay: 'Consommation par jour',
  byMonth: 'Consommation par mois',
  peak: 'pointe',
  peakAt: (power, at) => `Quart d’heure le plus haut : **${power}**, ${at}.`,
  baseLine: (power) => `La ligne pointillée est ce qui est toujours allumé : ${power}.`,
  whatUses: 'Ce qui consomme',
  share: 'Part',
  night: 'La nuit',
  nightHours: 'Moyenne de 0 h à 5 h',
  nightMost: (device, power, energy) =>
    `La nuit, l’appareil qui consomme le plus est **${device}** : ${power} en moyenne, ${energy} par an.`,
  nightMostCost: (device, power, energy, money) =>
    `La nuit, l’appareil qui consomme le plus est **${device}** : ${power} en moyenne, ${energy} et environ ${money} par an.`,
  nightUnexplained: (power: string, energy: string) =>
    `La nuit, votre logement consomme en moyenne **${power}**, soit ${energy} par an. Aucun appareil mesuré séparément ne l’explique.`,
  profileOf: (days) =>
    `Toujours allumé : les deux heures régulières les plus basses d’un jour. La nuit : moyenne de 0 h à 5 h. Les deux sur les ${days} derniers jours.`,
  untrackedAbout: 'aucun appareil propre ne le dit',
  behind: (device) => `partie de ${device}`,
  gone: 'retiré',
  others: 'Compteurs et sources',
  in: 'Entrée',
  out: 'Sortie',
  noConsumers:
    'Aucun appareil ne dit ce qu’il consomme. Une prise connectée ou le compteur d’un circuit en fait connaître une partie : [associez-en un].',
  climateOf: (device) => `Température et chauffage : ${device}`,
  noClimate: 'Il n’a rien dit pendant ce temps.',
  week: 'Quand on consomme le plus',
  commodities: { before: 'Avant', lastYear: 'Un an avant' },
  firstSteps: {
    title: 'Trois étapes vers vos premiers chiffres',
    steps: [
      '[Associez un appareil] : votre compteur, un lecteur sur celui-ci ou une prise connectée. Vous recevez ce qu’il lui faut pour se connecter.',
      'Il envoie sa première mesure : vous la voyez ici en quelques secondes.',
      '[Ajoutez votre tarif], et chaque chiffre a son prix.',
    ],
    ofOther: (email) => `${email} n’a pas encore d’appareil. [Associez-en un], et sa consommation apparaîtra ici.`,
  },
  waiting: {
    title: 'Aucune mesure n’est encore arrivée',
    about:
      'Ce qui est associé n’a encore rien envoyé qui compte. [Ouvrez vos appareils] : chacun dit quand il a été entendu en dernier, et ce qu’il lui faut.',
  },
  thermostatOnly:
    'Aucun compteur ne dit ce que ce logement consomme ; ci-dessous, ce que dit le thermostat. [Associez un compteur] ou une prise connectée : consommation et coût s’y ajoutent.',
  nothingThen: (first) => `On ne sait rien de cette période. Ce que l’on sait commence le [${first}].`,
  nothingSoFar: (before) => `On ne sait encore rien de cette période. Voyez [${before}].`,
  nothing: 'On ne sait rien de cette période.',
  settings: 'Réglages',
  ofHome: 'Vue d’ensemble',
  offline: (ago) => `Pas de réseau. Vu ${ago}.`,
};
