import type { Words } from '../en.ts';

export const homeassistant: Words['homeassistant'] = {
  what: 'Home Assistant kan dit huis op zijn pagina Energie tonen, met kosten en elk apparaat. Daar hoef je niets in te stellen.',
  how: 'Wie deze dienst beheert, zet twee variabelen en start hem opnieuw; de eerste noemt de broker die Home Assistant gebruikt, met een gebruiker ervan. Daarna verschijnt **Home energy** onder **Instellingen**, **Apparaten & diensten**, **MQTT**.',
  settings: 'Instellingen van de dienst',
};
