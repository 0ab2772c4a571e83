import type { Words } from '../en.ts';

export const homeassistant: Words['homeassistant'] = {
  what: 'Home Assistant peut afficher ce logement sur sa page Énergie, avec les coûts et chaque appareil. Rien n’y est à configurer.',
  how: 'La personne qui exploite ce service définit deux variables et le redémarre ; la première désigne le broker utilisé par Home Assistant, avec un de ses utilisateurs. **Home energy** apparaît ensuite sous **Paramètres**, **Appareils et services**, **MQTT**.',
  settings: 'Réglages du service',
};
