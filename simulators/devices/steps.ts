/** Every whole multiple of the cadence in [from, to], Unix ms. */
export function* everyStep(fromMs: number, toMs: number, cadenceSeconds: number): Generator<number> {
  const stepMs = cadenceSeconds * 1000;
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs <= toMs; atMs += stepMs) yield atMs;
}
