/** The first that is found counts: Edge says that it is Chrome, and Chrome that it is Safari. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: [mark: RegExp, name: string][] = [
  [/\biPhone\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'a Mac'],
  [/\bCrOS\b/, 'a Chromebook'],
  [/\bLinux\b/, 'Linux'],
];

/** What a person calls a browser that says this of itself (User-Agent). */
export function browserName(userAgent: string | null): string {
  const of = (list: [RegExp, string][]) => list.find(([mark]) => mark.test(userAgent ?? ''))?.[1];
  const system = of(SYSTEMS);
  return `${of(BROWSERS) ?? 'A program'}${system === undefined ? '' : ` on ${system}`}`;
}
