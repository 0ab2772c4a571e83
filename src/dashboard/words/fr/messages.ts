import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const messages: Words['messages'] = {
  open: 'Lire un message',
  title: (gateway) => `Que dit un message ? ${gateway}`,
  about:
    'Collez un message d’un appareil : vous voyez ce qui en est lu, ou pourquoi il ne l’est pas. Rien n’en est conservé.',
  topic: 'Topic du message',
  topicHint: 'Tel que le broker de l’appareil le connaît, par exemple tele/plug/SENSOR.',
  payload: 'Contenu',
  retained: 'Le broker l’avait conservé (retain)',
  look: 'Regarder',
  outcomes: {
    read: (family) => `Il est lu, comme **${family}**.`,
    asked: (family) =>
      `Il relève de **${family}**. Rien n’en est compté tant que vous ne dites pas ce que c’est, sur la page de l’appareil associé.`,
    refused: (family) => `Il relève de **${family}**, mais il est inutilisable.`,
    nothing: (family) => `Il relève de **${family}**. Il ne dit rien qui soit compté.`,
    nobody: () => 'Personne ne le lit : aucun type d’appareil connu n’a un tel topic avec un tel contenu.',
  },
  device: 'Appareil',
  quantity: 'Grandeur',
  value: 'Valeur',
  time: 'Heure',
  atReceipt: 'à son arrivée',
  isAsked: 'inconnu',
  leftOut: (count) =>
    plural(count, {
      one: '# mesure est écartée : le broker avait conservé le message, qui ne dit pas son âge.',
      other: '# mesures sont écartées : le broker avait conservé le message, qui ne dit pas son âge.',
    }),
  would: (family) =>
    `Avec ce réglage, **${family}** en lit davantage. Les fuseaux, unités et nombres y sont des exemples. Il va dans la \`decoder_config\` de la passerelle.`,
  setting: 'Réglage',
  use: 'Utiliser ce réglage',
  useHint:
    'Avant d’enregistrer, modifiez les fuseaux, les unités et les nombres qui ne sont pas les vôtres. Il remplace ce que la passerelle a sous ce nom.',
  noSetting: 'Ce n’est pas un objet JSON entre accolades.',
  members: 'Ce qu’il contient',
  membersAbout: 'Choisissez un nombre et dites ce que c’est : il est lu à partir de là.',
  noMembers: 'Il ne contient aucun nombre dont vous puissiez dire ce qu’il est : il faut du JSON, ou un simple nombre.',
  place: 'Emplacement',
  whole: 'tout le message',
  choose: 'Dire ce que c’est',
  form: {
    title: (place) => `Qu’est-ce que ${place} ?`,
    meaning: 'C’est',
    unit: 'Unité',
    scale: 'Multiplier par',
    scaleHint: '0,01 s’il s’agit de centièmes de cette unité. Sinon, vide.',
    topic: 'Sur les topics',
    topicHint: 'Un + à la place d’un niveau vaut pour tous, et nomme l’appareil.',
    device: 'Nom de l’appareil',
    deviceHint: 'Vide : ce que vaut le +, ou le topic.',
    circuit: 'Lequel de plusieurs',
    circuitHint:
      'Un mot pour le second du même genre dans un appareil, par exemple pump. Il s’ajoute au premier et ne doit donc pas en faire partie. Sinon, vide.',
    time: 'Son heure',
    noTime: 'à son arrivée',
    total: 'L’énergie et les volumes doivent être ce que l’appareil a compté depuis toujours, et non sur un jour.',
    takesOver: (family) =>
      `Pour l’instant, **${family}** lit ce message. Dès que vous enregistrez, seul ce que vous en dites compte, et l’appareil de **${family}** ne tire plus rien de tels messages.`,
    try: 'Essayer',
    tried: 'Avec cela :',
    save: 'Enregistrer dans la passerelle',
    saved: 'Enregistré. L’appareil apparaîtra parmi les appareils découverts à son prochain message ; associez-le là.',
  },
  meanings: {
    power: 'Puissance (sous 0 : injection)',
    production: 'Production d’un appareil qui ne fait que produire',
  },
  mappings: {
    title: 'Ce que vous avez dit des messages de cette passerelle',
    remove: 'Annuler',
  },
};
