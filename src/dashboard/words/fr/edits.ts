import type { Words } from '../en.ts';

export const edits: Words['edits'] = {
  title: 'Mesures corrigées à la main',
  about:
    'Ce que quelqu’un sait de mesures et qu’aucune règle ne peut reconnaître. Les corrections restent visibles ; rien de ce que l’appareil a envoyé n’est supprimé.',
  list: 'Liste des corrections',
  none: 'Rien n’a été corrigé.',
  new: 'Nouvelle correction',
  what: 'Quoi',
  actions: { exclude: 'Des mesures ne comptent pas', add: 'J’ai relevé le compteur' },
  actionHints: {
    exclude:
      'Les mesures de cette période sont ignorées, y compris celles qui arrivent plus tard. Sur l’intervalle manquant d’un index, son énergie est répartie uniformément.',
    add: 'Le relevé compte comme une mesure arrivée tard. S’il ne concorde pas avec les autres, il ne compte pas, comme toute autre mesure.',
  },
  quantity: 'Grandeur',
  every: 'toutes les grandeurs',
  at: 'Relevé le',
  value: (units: string) => `Index affiché (${units})`,
  from: 'Du',
  to: 'Au (non inclus)',
  zone: (zone: string) => `Heures de ${zone}.`,
  reason: 'Motif',
  reasonHint: 'Il sera lu par quiconque consultera la correction.',
  when: 'Quand',
  made: 'Créée',
  fromTo: (from: string, to: string) => `du ${from} au ${to}`,
  excludedOf: (quantity: string) => `Ne compte pas : ${quantity}`,
  readOf: (value: string, quantity: string) => `Relevé à la main : ${value} (${quantity})`,
  statuses: { in_force: 'en vigueur', revoked: 'révoquée' },
  waits: 'calcul en cours',
  you: 'vous',
  erased: 'compte supprimé',
  revoke: 'Révoquer',
  revokeQuestion:
    'La consommation de cet appareil est alors calculée comme si la correction n’avait jamais existé. Elle reste dans cette liste. Elle ne peut pas être remise en vigueur, mais refaite.',
  wrong: (message: string) => `Le service répond : ${message}`,
};
