const TOPIC = /(?:^|\/)device\/([^/]+)\/realtime$/;

/** The serial number in a topic `device/{SN}/realtime`, below any prefix; null for every other topic. */
export const parseIammeterTopic = (topic: string): string | null => TOPIC.exec(topic)?.[1] ?? null;
