import { type Check, ok, warning } from '../finding.ts';

/** Whether a service holds the data directory. One whose roles run apart holds none. */
export const service: Check = {
  name: 'service',
  judge({ service: running, config, database }) {
    if (!('valid' in config)) return [];
    if (running) return [ok(`runs on ${config.valid.dataDir} (process ${running.pid})`)];
    // Whose roles run apart is seen at their ports.
    if (!database?.isEmbedded) return [];
    return [
      warning(
        `no service runs on ${config.valid.dataDir}`,
        'Start it (npm start), or set DATA_DIR to the folder of the one that runs.',
      ),
    ];
  },
};
