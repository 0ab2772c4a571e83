import { type Words, words } from '../../words/words.ts';

/** The first that is found counts: Edge says that it is Chrome, and Chrome that it is Safari. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems = ({ iPhone, iPad, mac, chromebook }: Words['sessions']): [mark: RegExp, name: string][] => [
  [/\biPhone\b/, iPhone],
  [/\biPad\b/, iPad],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, mac],
  [/\bCrOS\b/, chromebook],
  [/\bLinux\b/, 'Linux'],
];

/** What a person calls a browser that says this of itself (User-Agent). */
export function browserName(userAgent: string | null): string {
  const of = (list: [RegExp, string][]) => list.find(([mark]) => mark.test(userAgent ?? ''))?.[1];
  const { sessions: w } = words();
  const browser = of(BROWSERS) ?? w.program;
  const system = of(systems(w));
  return system === undefined ? browser : w.on({ browser, system });
}
