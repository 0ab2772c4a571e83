/** Groups of meters of a site, each of several devices but the grid. */
const GROUPS = ['pv', 'battery', 'aux', 'ext', 'consumers'] as const;

export type Meter = 'grid' | (typeof GROUPS)[number] | 'loadpoint';

/** What is on a topic of evcc. `device`: the topic of the meter, the root among it. */
export type EvccTopic =
  | { about: 'value'; root: string; meter: Meter; device: string; value: string; phase: 1 | 2 | 3 | null }
  /** Whether a site has a meter at the grid at all. */
  | { about: 'grid configured'; root: string }
  | { about: 'command' };

const COMMAND = /^.+\/(?:site|loadpoints\/\d{1,3})\/[A-Za-z]+\/set$/;
const CONFIGURED = /^(.+)\/site\/gridConfigured$/;
const GRID = /^(.+)\/site\/grid\/([A-Za-z]+)(?:\/([123]))?$/;
/** Of versions before `grid` was an object. */
const OLD_GRID = /^(.+)\/site\/grid(Power|Energy)$/;
const OF_GROUP = new RegExp(`^(.+)/site/(${GROUPS.join('|')})/(?:devices/)?([1-9]\\d{0,2})/([A-Za-z]+)(?:/([123]))?$`);
const LOADPOINT = /^(.+)\/loadpoints\/([1-9]\d{0,2})\/([A-Za-z]+)$/;

/** Reads a topic by its end, as the root is its owner's (`evcc` by default); null: not one of evcc's meters. */
export function parseEvccTopic(topic: string): EvccTopic | null {
  if (COMMAND.test(topic)) return { about: 'command' };
  const configured = CONFIGURED.exec(topic)?.[1];
  if (configured) return { about: 'grid configured', root: configured };
  const [, oldRoot, oldValue] = OLD_GRID.exec(topic) ?? [];
  if (oldRoot && oldValue) return meterValue(oldRoot, 'grid', `${oldRoot}/grid`, oldValue.toLowerCase());
  const [, gridRoot, gridValue, gridPhase] = GRID.exec(topic) ?? [];
  if (gridRoot && gridValue) return meterValue(gridRoot, 'grid', `${gridRoot}/grid`, gridValue, gridPhase);
  const [, root, group, number, value, phase] = OF_GROUP.exec(topic) ?? [];
  if (root && group && value) return meterValue(root, group as Meter, `${root}/${group}/${number}`, value, phase);
  const [, ofLoadpoint, loadpoint, charged] = LOADPOINT.exec(topic) ?? [];
  if (!ofLoadpoint || !charged) return null;
  return meterValue(ofLoadpoint, 'loadpoint', `${ofLoadpoint}/loadpoints/${loadpoint}`, charged);
}

const meterValue = (root: string, meter: Meter, device: string, value: string, phase?: string): EvccTopic => ({
  about: 'value',
  root,
  meter,
  device,
  value,
  phase: phase === undefined ? null : (Number(phase) as 1 | 2 | 3),
});
