/** Words of which one stands in each usual topic of a bridge; the body tells whose it is. */
const WORD = /growatt|grott|solar|inverter|shine/i;
const METER = /(?:^|\/)energy\/meter$/;

/** Whether a bridge may publish on a topic: `energy/growatt`, `energy/growatt/{serial}`, `energy/meter`, `energy/solar`. */
export const isGrowattTopic = (topic: string): boolean => WORD.test(topic) || METER.test(topic);
