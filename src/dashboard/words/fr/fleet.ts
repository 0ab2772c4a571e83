import type { Words } from '../en.ts';
import { plural } from '../locale.ts';

export const fleet: Words['fleet'] = {
  about: 'Les appareils de tous les foyers que vous suivez, et ceux qui se sont tus.',
  only: 'Cette page est réservée aux fournisseurs et aux administrateurs.',
  devices: 'Appareils',
  list: 'Liste des appareils du parc',
  text: 'Recherche',
  textHint: 'Le début d’un mot de l’emplacement, d’un identifiant ou d’une adresse e-mail.',
  any: 'indifférent',
  silent: 'Muet depuis',
  silences: { '1': 'une heure ou plus', '24': 'un jour ou plus', '168': 'une semaine ou plus' },
  order: 'Ordre',
  orders: {
    created_at: 'premiers associés d’abord',
    '-created_at': 'derniers associés d’abord',
    location: 'par emplacement',
    last_seen_at: 'muets depuis le plus longtemps d’abord',
  },
  show: 'Afficher',
  owner: 'Propriétaire',
  family: 'Messages',
  none: 'Aucun appareil ne correspond.',
  first: 'Première page',
  next: 'Page suivante',
  map: 'Carte des silences',
  mapLabel: 'Appareils devenus muets, par jour et par heure',
  mapAbout: 'Les appareils devenus muets ces sept derniers jours, heure par heure. Plus c’est foncé, plus il y en a.',
  groups: 'Ce qui s’est arrêté ensemble',
  day: 'Jour',
  noneFell: 'Aucun appareil n’est devenu muet pendant cette période.',
  unwatched:
    'Pendant une partie de cette période, personne ne surveillait les silences : ce qui ne s’est tu qu’alors n’est pas montré.',
  fell: (devices: number) =>
    plural(devices, { one: '# appareil est devenu muet', other: '# appareils sont devenus muets' }),
  left: (groups: number) =>
    plural(groups, { one: '# autre groupe n’est pas montré.', other: '# autres groupes ne sont pas montrés.' }),
  when: 'Quand',
  what: 'Quoi',
  why: 'Pourquoi',
  how: 'Appareils',
  again: 'Entendus à nouveau',
  unsure: 'incertain',
  of: (devices: number, homes: number) =>
    `${plural(devices, { one: '# appareil', other: '# appareils' })} dans ${plural(homes, { one: '# foyer', other: '# foyers' })}`,
  kinds: { outage: 'panne', gateway: 'passerelle', home: 'foyer', device: 'appareil', habit: 'habitude' },
  reasons: {
    beyond_chance:
      'Plus de foyers se sont tus à la fois que le hasard ne le permet : un broker, un réseau, une région.',
    whole_gateway: 'Tous les appareils de la passerelle se sont tus.',
    whole_home: 'Tous les appareils du foyer se sont tus.',
    others_go_on: 'D’autres appareils du foyer étaient encore entendus.',
    often_silent: 'Il s’est tu seul plusieurs fois la semaine précédente.',
    part_of_gateway: 'Certains appareils de la passerelle se sont tus, d’autres étaient encore entendus.',
    part_of_home: 'Certains appareils du foyer se sont tus, d’autres étaient encore entendus.',
    only_device: 'Rien d’autre du foyer n’aurait pu être entendu : son compteur, ou son réseau.',
    others_stopped_too: 'Un nombre inhabituel de foyers se sont tus à ce moment-là.',
  },
};
