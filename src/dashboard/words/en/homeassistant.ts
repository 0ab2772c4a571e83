/** How Home Assistant comes to show the home. */
export const homeassistant = {
  what: 'Home Assistant can show this home on its Energy page, with costs and each device. Nothing is configured there.',
  how: 'Whoever runs this service sets two variables and starts it again; the first names the broker that Home Assistant uses, with a user of it. **Home energy** then appears under **Settings**, **Devices & services**, **MQTT**.',
  settings: 'Settings of the service',
};
