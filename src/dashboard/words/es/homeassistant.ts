import type { Words } from '../en.ts';

export const homeassistant: Words['homeassistant'] = {
  what: 'Home Assistant puede mostrar esta vivienda en su página Energía, con los costes y cada dispositivo. Allí no hay que configurar nada.',
  how: 'Quien gestiona este servicio define dos variables y lo reinicia; la primera indica el bróker que usa Home Assistant, con un usuario suyo. Después aparece **Home energy** en **Ajustes**, **Dispositivos y servicios**, **MQTT**.',
  settings: 'Ajustes del servicio',
};
