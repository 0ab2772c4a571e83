import { withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { type FileChoice, FileMenu } from '../../parts/file-menu.ts';
import { dayName } from '../../parts/format.ts';
import { type Words, words } from '../../words/words.ts';

/** What is downloaded: of a home, or of one device of it, in rows by hour, day or month of its zone. */
interface Downloaded {
  userId: string;
  /** Empty: all of the home. */
  deviceId: string;
  /** First and last, YYYY-MM-DD. */
  days: { start: string; end: string };
  groupBy: 'hour' | 'day' | 'month';
}

interface Format extends Omit<FileChoice, 'path'> {
  /** Rows that it takes, whatever is shown. */
  groupBy?: 'hour';
}

const formats = (w: Words['common']['download']): Format[] => [
  { name: 'CSV', hint: w.csvHint, accept: 'text/csv', ending: 'csv' },
  {
    name: w.xlsx,
    hint: w.xlsxHint,
    accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: 'xlsx',
  },
  {
    name: 'Green Button (XML)',
    hint: w.greenButtonHint,
    accept: 'application/atom+xml',
    ending: 'xml',
    groupBy: 'hour',
  },
];

/** Everything that a table can tell of a home, and of a device. */
const INCLUDE = 'grid_import,grid_export,production,charged,discharged,untracked,autarky,estimated,coverage,cost';
const INCLUDE_OF_DEVICE = 'export,estimated,coverage,cost';

/** Where the file is asked for. */
function pathOf({ userId, deviceId, days, groupBy }: Downloaded, format: Format): string {
  const query = { ...days, group_by: format.groupBy ?? groupBy, tz: 'account' };
  if (deviceId !== '') return withQuery(`/v1/devices/${deviceId}/usage`, { ...query, include: INCLUDE_OF_DEVICE });
  return withQuery('/v1/energy-insights', { ...query, user_id: userId, include: INCLUDE });
}

/** A menu of files with what is shown. */
export function Download(props: Downloaded) {
  const w = words().common.download;
  const { start, end } = props.days;
  const choices = formats(w).map((format) => ({ ...format, path: pathOf(props, format) }));
  return html`<${FileMenu} of=${w.of({ start: dayName(start), end: dayName(end) })} fileName=${`${w.fileName}-${start}-${end}`} choices=${choices} />`;
}
