import type { Words } from '../en.ts';

export const provider: Words['provider'] = {
  with: (label) => `Se connecter avec ${label}`,
  or: 'ou',
  problems: {
    over: 'Cette connexion a expiré ou a été commencée dans un autre navigateur. Recommencez.',
    denied: 'La connexion a été annulée.',
    unavailable:
      'Le service de connexion est injoignable pour le moment. Réessayez plus tard, ou faites-vous envoyer un lien.',
    failed:
      'Le service de connexion n’a pas répondu comme prévu. Recommencez ; si cela ne suffit pas, adressez-vous à l’exploitant de ce service.',
    many: 'Trop de connexions depuis cet endroit. Réessayez dans une minute.',
    unverified:
      'Le service de connexion n’a pas vérifié votre adresse e-mail. Faites-la vérifier, ou faites-vous envoyer un lien.',
    unknown: 'Aucun compte ne correspond ici à votre adresse e-mail. Demandez-en un à l’exploitant de ce service.',
    domain: 'Une adresse e-mail comme la vôtre ne permet pas de se connecter ici.',
    taken:
      'Le compte de votre adresse e-mail appartient à la connexion d’une autre personne. Adressez-vous à l’exploitant de ce service.',
    roles: 'Le service de connexion n’a pas indiqué vos droits. Adressez-vous à l’exploitant de ce service.',
    unusable: 'Le service de connexion n’a pas indiqué qui vous êtes. Adressez-vous à l’exploitant de ce service.',
  },
};
