import type { AUTHORIZED_DAYS } from '#src/auth/authorizations.ts';
import type { LANGUAGES } from '#src/database/enums.ts';

/**
 * Texts of the consent page. The descriptions of scopes are in delivery/words, because mails about apps also use them.
 * `{app}`: name of the app. `{host}`: host that receives its access. `{length}` and `{history}`: durations with their
 * units.
 */
export interface ConsentWords {
  title: string;
  moment: string;
  next: string;
  over: string;
  notAHome: string;
  goBack: string;
  signInFirst: string;
  signIn: string;
  comeBack: string;
  signOut: string;
  asks: string;
  greenButton: string;
  about: string;
  receives: string;
  end: string;
  howLong: string;
  until: Readonly<Record<keyof typeof AUTHORIZED_DAYS, string>>;
  allow: string;
  deny: string;
}

/** The texts in the languages of the dashboard. */
export const CONSENT_WORDS: Readonly<Record<(typeof LANGUAGES)[number], ConsentWords>> = {
  en: {
    title: 'Access to your home',
    moment: 'One moment.',
    next: 'Continue',
    over: 'This request has expired, or was started in another browser. Go back to the app, and start again.',
    notAHome: 'Only the account of a homeowner can give apps access. You are signed in with another kind of account.',
    goBack: 'Go back',
    signInFirst:
      '{app} requests access to your home. Sign in first: you can give access within 15 minutes after a sign-in.',
    signIn: 'Sign in',
    comeBack: 'Then come back to this page:',
    signOut: 'Sign out to sign in again',
    asks: '{app} requests access to your home. It could:',
    greenButton:
      'Through Green Button it gets your import and export. Length of the intervals: {length}. Length of the history: {history}.',
    about: 'About the app:',
    receives: 'You then return to {host}.',
    end: 'You get a mail, and can end the access at any time in the dashboard, on the Account page.',
    howLong: 'How long',
    until: { month: 'for 30 days', year: 'for a year', unlimited: 'until you end it' },
    allow: 'Give access',
    deny: 'Cancel',
  },
  de: {
    title: 'Zugang zu Ihrem Zuhause',
    moment: 'Einen Moment.',
    next: 'Weiter',
    over: 'Diese Anfrage ist abgelaufen oder begann in einem anderen Browser. Gehen Sie zurück zur App und beginnen Sie noch einmal.',
    notAHome: 'Nur das Konto eines Haushalts lässt Apps zu. Sie sind mit einem Konto anderer Art angemeldet.',
    goBack: 'Zurück',
    signInFirst:
      '{app} bittet um Zugang zu Ihrem Zuhause. Melden Sie sich zuerst an: Eine App lassen Sie innerhalb von 15 Minuten nach der Anmeldung zu.',
    signIn: 'Anmelden',
    comeBack: 'Kommen Sie dann auf diese Seite zurück:',
    signOut: 'Abmelden, um sich neu anzumelden',
    asks: '{app} bittet um Zugang zu Ihrem Zuhause. Die App könnte:',
    greenButton:
      'Über Green Button erhält die App Ihren Bezug und Ihre Einspeisung. Länge der Intervalle: {length}. Länge des Verlaufs: {history}.',
    about: 'Über die App:',
    receives: 'Sie erhält den Zugang unter {host}.',
    end: 'Sie erhalten eine Mail und können den Zugang jederzeit im Dashboard auf der Seite „Konto“ beenden.',
    howLong: 'Wie lange',
    until: { month: '30 Tage', year: 'ein Jahr', unlimited: 'bis Sie ihn beenden' },
    allow: 'App zulassen',
    deny: 'Abbrechen',
  },
  es: {
    title: 'Acceso a tu casa',
    moment: 'Un momento.',
    next: 'Continuar',
    over: 'Esta solicitud ha terminado o empezó en otro navegador. Vuelve a la aplicación y empieza de nuevo.',
    notAHome: 'Solo la cuenta de un hogar da acceso a aplicaciones. Has iniciado sesión con otro tipo de cuenta.',
    goBack: 'Volver',
    signInFirst:
      '{app} pide acceso a tu casa. Primero inicia sesión: puedes dar acceso a una aplicación durante los 15 minutos siguientes.',
    signIn: 'Iniciar sesión',
    comeBack: 'Después vuelve a esta página:',
    signOut: 'Cerrar sesión para iniciarla de nuevo',
    asks: '{app} pide acceso a tu casa. Podría:',
    greenButton:
      'Por Green Button recibe la energía que compras y la que viertes. Duración de los intervalos: {length}. Duración del historial: {history}.',
    about: 'Sobre la aplicación:',
    receives: 'Recibe el acceso en {host}.',
    end: 'Recibirás un correo, y puedes terminar el acceso en cualquier momento en el panel, en la página «Cuenta».',
    howLong: 'Cuánto tiempo',
    until: { month: '30 días', year: 'un año', unlimited: 'hasta que lo termines' },
    allow: 'Dar acceso',
    deny: 'Cancelar',
  },
  fr: {
    title: 'Accès à votre logement',
    moment: 'Un instant.',
    next: 'Continuer',
    over: 'Cette demande est terminée ou a commencé dans un autre navigateur. Retournez à l’application et recommencez.',
    notAHome:
      'Seul le compte d’un foyer donne accès à des applications. Vous êtes connecté avec un compte d’un autre type.',
    goBack: 'Retour',
    signInFirst:
      '{app} demande l’accès à votre logement. Connectez-vous d’abord : vous pouvez donner l’accès dans les 15 minutes qui suivent.',
    signIn: 'Se connecter',
    comeBack: 'Revenez ensuite à cette page :',
    signOut: 'Se déconnecter pour se reconnecter',
    asks: '{app} demande l’accès à votre logement. Elle pourrait :',
    greenButton:
      'Par Green Button, elle reçoit l’énergie que vous achetez et celle que vous injectez. Durée des intervalles : {length}. Durée de l’historique : {history}.',
    about: 'À propos de l’application :',
    receives: 'Elle reçoit l’accès à l’adresse {host}.',
    end: 'Vous recevrez un message et pourrez mettre fin à l’accès à tout moment dans le tableau de bord, à la page « Compte ».',
    howLong: 'Durée',
    until: { month: '30 jours', year: 'un an', unlimited: 'jusqu’à ce que vous y mettiez fin' },
    allow: 'Donner l’accès',
    deny: 'Annuler',
  },
  nl: {
    title: 'Toegang tot je huis',
    moment: 'Een ogenblik.',
    next: 'Verder',
    over: 'Dit verzoek is verlopen of begon in een andere browser. Ga terug naar de app en begin opnieuw.',
    notAHome: 'Alleen het account van een huishouden laat apps toe. Je bent aangemeld met een ander soort account.',
    goBack: 'Terug',
    signInFirst:
      '{app} vraagt toegang tot je huis. Meld je eerst aan: je laat een app toe binnen 15 minuten na het aanmelden.',
    signIn: 'Aanmelden',
    comeBack: 'Kom daarna terug naar deze pagina:',
    signOut: 'Afmelden om opnieuw aan te melden',
    asks: '{app} vraagt toegang tot je huis. De app zou kunnen:',
    greenButton:
      'Via Green Button ontvangt de app je afname en je teruglevering. Lengte van de intervallen: {length}. Lengte van de historie: {history}.',
    about: 'Over de app:',
    receives: 'De app ontvangt de toegang op {host}.',
    end: 'Je krijgt een mail, en kunt de toegang altijd beëindigen in het dashboard, op de pagina ‘Account’.',
    howLong: 'Hoe lang',
    until: { month: '30 dagen', year: 'een jaar', unlimited: 'tot je hem beëindigt' },
    allow: 'App toelaten',
    deny: 'Annuleren',
  },
};
