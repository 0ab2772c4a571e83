/** First and last day, YYYY-MM-DD, of the month before that of a day. */
export function monthBefore(today: string): { start: string; end: string } {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const day = (ofMonth: number, date: number) => new Date(Date.UTC(year, ofMonth, date)).toISOString().slice(0, 10);
  return { start: day(month - 2, 1), end: day(month - 1, 0) };
}
