/** The same in every language. */
export const NAME = 'Home Assistant';

/** What the operator of the service sets so that Home Assistant is told of a home (docs/home-assistant.md). */
export const homeAssistantSettings = (email: string): string =>
  `HOMEASSISTANT_MQTT_URL=mqtt://USER:PASSWORD@homeassistant.local:1883\nHOMEASSISTANT_USERS=${email}`;
