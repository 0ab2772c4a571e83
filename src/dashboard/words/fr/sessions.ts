import type { Words } from '../en.ts';

export const sessions: Words['sessions'] = {
  question: 'Qui utilise ce navigateur est déconnecté aussitôt et doit se reconnecter.',
  about: (email) =>
    `Navigateurs dans lesquels ${email} est connecté. Si vous n’en reconnaissez pas un, fermez sa session et révoquez les clés d’API qui ne sont pas les vôtres.`,
  emailTitle: 'Adresse e-mail',
  emailNow: (email) => `Votre compte a l’adresse **${email}**.`,
  emailPending: (email) =>
    `Un e-mail à **${email}** contient un lien. L’adresse change lorsque vous l’utilisez, dans les 7 jours. Pas d’e-mail ? Regardez dans les indésirables, ou renvoyez-le.`,
  newEmail: 'Nouvelle adresse',
  newEmailHint:
    'Vous y recevez un e-mail avec un lien de confirmation. Ensuite, toutes les clés d’API et les autres sessions prennent fin, et les webhooks sont suspendus.',
  changeEmail: 'Changer l’adresse',
  sendAgain: 'Renvoyer',
  withdraw: 'Retirer',
  signedInTitle: 'Connexions ouvertes',
  list: 'Liste des sessions',
  browser: 'Navigateur',
  from: 'Connecté depuis',
  signedIn: 'Connexion',
  by: 'Par',
  ways: { mail: 'e-mail', provider: 'authentification unique' },
  lastUsed: 'Dernière utilisation',
  ends: 'Fin',
  thisOne: 'celui-ci',
  unknown: 'inconnu',
  end: 'Fermer',
  program: 'Un programme',
  on: (browser, system) => `${browser} sur ${system}`,
  iPhone: 'un iPhone',
  iPad: 'un iPad',
  mac: 'un Mac',
  chromebook: 'un Chromebook',
};
