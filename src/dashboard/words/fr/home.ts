import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const home: Words['home'] = {
  lastReading: 'Dernière mesure',
  timesIn: (zone) => `Heures de ${zone}.`,
  addTariff: 'Combien cela coûte-t-il ? Ajoutez votre tarif',
  live: 'en direct',
  notLive: 'pas en direct',
  waiting: 'en attente de mesures',
  commodities: { gas: 'Gaz', heat: 'Chaleur', water: 'Eau' },
  allMeasured: 'tout est mesuré',
  figure: {
    opens: (name, shown) => `${name} : ${shown}. De quoi cela se compose`,
    title: (name) => `${name} : de quoi cela se compose`,
    usedOn: (energy, day) => `**${energy}** consommés le ${day} :`,
    usedFrom: (energy, start, end) => `**${energy}** consommés du ${start} au ${end} :`,
    parts: (measured, estimated) => `${measured} mesurés, ${estimated} estimés.`,
    known: (share) => `${share} du temps est connu.`,
    knownSoFar: (share) => `${share} du temps est connu ; la journée n’est pas terminée.`,
    whyEstimated:
      'Estimé : un index est resté muet plus d’une heure. La quantité est certaine, sa répartition entre ces heures ne l’est pas.',
    in: 'Entrée',
    out: 'Sortie',
    estimated: 'Estimé',
    notCounted: 'Non compté, et pourquoi',
    readings: (count) => plural(count, { one: 'Une mesure', other: '# mesures' }),
    refused: (readings, reason) => `${readings} refusées : ${reason}`,
    notes: {
      held: 'en suspens : invraisemblable, jusqu’à ce que les suivantes disent ce que c’était',
      glitch: 'écartée : invraisemblable, et la suivante concordait avec la précédente',
      late: 'tardive : ce qui est arrivé d’un coup a été réparti sur le temps concerné',
      back: 'écartée : les suivantes concordaient avec celles d’avant',
      reset: 'après une remise à zéro : comptée à partir de zéro',
      rollover: 'après un retour à zéro de l’index : comptée au-delà',
      swap: 'd’un autre compteur : nouvel index de départ, le saut ne compte pas',
      overlap: 'écartée : elle chevauche un autre intervalle',
    },
  },
  flows: {
    title: 'D’où vient et où va l’énergie',
    production: 'Production',
    gridImport: 'Soutirage du réseau',
    discharged: 'De la batterie',
    gridExport: 'Injection',
    charged: 'Vers la batterie',
    consumption: 'Indiqué par des appareils',
    untracked: 'Non attribué',
    used: 'Consommation',
    autarky: 'Autonomie',
    unequal: 'Pas d’image : ce qui est entré et ce qui est sorti diffèrent.',
    doubts: (doubts) => `Tout n’est pas connu : ${doubts}. Sous Appareils, vous indiquez où se trouve chacun.`,
    silent: 'un compteur est resté muet',
    fromNowhere: 'de l’énergie a été injectée qu’aucun appareil ici ne produit',
    otherTimes: 'un appareil parle d’un moment où un autre était muet ou pas encore là',
  },
  swaps: {
    title: 'Un compteur a-t-il été remplacé ?',
    fell: (location: string, before: string, after: string, at: string) =>
      `**${location}** : l’index est passé de ${before} à ${after} le ${at}, il a baissé. Le compteur a-t-il été remplacé ?`,
    leapt: (location: string, before: string, after: string, at: string) =>
      `**${location}** : l’index a sauté de ${before} à ${after} le ${at}. Le compteur a-t-il été remplacé ?`,
    yes: 'Oui, remplacé',
    no: 'Non, ignorer ces mesures',
    /** Of the edit that excludes them. */
    reason: 'Non remplacé : mesures fausses',
  },
  heat: {
    label: 'Consommation par jour de la semaine et par heure',
    weekday: 'Jour',
    most: (weekday, hour, energy, weeks) =>
      `La consommation est la plus forte le ${weekday} à ${hour}, en moyenne ${energy} : moyennes sur ${plural(weeks, { one: 'la dernière semaine', other: 'les # dernières semaines' })}.`,
  },
};
