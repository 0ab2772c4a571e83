import type { Words } from '../en.ts';

export const provider: Words['provider'] = {
  with: (label) => `Inloggen met ${label}`,
  or: 'of',
  problems: {
    over: 'Deze inlogpoging is verlopen of in een andere browser begonnen. Begin opnieuw.',
    denied: 'Het inloggen is geannuleerd.',
    unavailable: 'De inlogdienst is nu niet bereikbaar. Probeer het later opnieuw, of laat je een link mailen.',
    failed:
      'De inlogdienst antwoordde niet zoals het hoort. Begin opnieuw; helpt dat niet, vraag het dan de beheerder van deze dienst.',
    many: 'Te vaak ingelogd vanaf hier. Probeer het over een minuut opnieuw.',
    unverified:
      'De inlogdienst heeft je e-mailadres niet geverifieerd. Laat het daar verifiëren, of laat je een link mailen.',
    unknown: 'Bij je e-mailadres hoort hier geen account. Vraag de beheerder van deze dienst erom.',
    domain: 'Met een e-mailadres als het jouwe kun je hier niet inloggen.',
    taken:
      'Het account van je e-mailadres hoort bij het inloggen van iemand anders. Vraag het de beheerder van deze dienst.',
    roles: 'De inlogdienst zei niet wat je mag. Vraag het de beheerder van deze dienst.',
    unusable: 'De inlogdienst zei niet wie je bent. Vraag het de beheerder van deze dienst.',
  },
};
