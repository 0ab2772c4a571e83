/** What OpenMQTTGateway heard by its rtl_433 module. */
const TOPIC = /^(?!.*\/commands\/)(?:.+\/)?RTL_433toMQTT(?:\/.*)?$/;

/** Whether a topic is `home/OpenMQTTGateway/RTL_433toMQTT`, with or without model and id behind it; owners choose the words before it. */
export const isRtl433Topic = (topic: string): boolean => TOPIC.test(topic);
