import { DAY_MS } from '#src/core/units.ts';
import { createSeededRandom } from './random.ts';

const MINUTES = 1440;
/** Minute of the local day at solar noon. It is after 12:00, because most places are west of the meridian of their time zone. */
const NOON_MINUTE = 750;
/** Tilt of the earth's axis. */
const TILT_DEGREES = 23.44;
/** Tilt of the panels on a roof, facing the equator. */
const ROOF_DEGREES = 35;
const RADIANS = Math.PI / 180;
/** Output of the panels divided by the ideal output, after losses by heat, cables and the inverter. */
const PERFORMANCE = 0.85;

/**
 * Returns the power of panels in watts for each minute of a local day, by the position of the sun (latitude in degrees, north is positive)
 * and random clouds. `peakW`: nominal peak power.
 */
export function simulateSolarWatts(seed: string, latitude: number, peakW: number, localDayMs: number): Int32Array {
  // Without panels, the weather need not be simulated.
  if (peakW === 0) return new Int32Array(MINUTES);
  const random = createSeededRandom(seed, localDayMs, 'sky');
  const cover = cloudCover(seed, latitude, localDayMs);
  const watts = new Int32Array(MINUTES);
  for (let minute = 0; minute < MINUTES; minute++) {
    const clear = computeClearSkyShare(latitude, localDayMs, minute);
    if (clear <= 0) continue;
    const hour = Math.floor(minute / 60);
    const share = (minute % 60) / 60;
    const clouds = (cover[hour] as number) * (1 - share) + (cover[hour + 1] as number) * share;
    // Under broken clouds, the output varies by the minute; under an overcast or clear sky, it does not.
    const flicker = clouds * (1 - clouds) * random.between(-1, 1);
    watts[minute] = Math.round(peakW * PERFORMANCE * clear * (1 - 0.85 * Math.min(1, Math.max(0, clouds + flicker))));
  }
  return watts;
}

/** Returns the share of the peak power under a clear sky. The share is 0 if the sun is below the horizon or behind the roof. */
export function computeClearSkyShare(latitude: number, localDayMs: number, minute: number): number {
  const declination = -TILT_DEGREES * RADIANS * northernWinter(localDayMs);
  const hourAngle = ((minute - NOON_MINUTE) / MINUTES) * 2 * Math.PI;
  const heightSine = sineAt(latitude * RADIANS, declination, hourAngle);
  // A roof that is tilted towards the equator receives as much light as a flat roof nearer to the equator.
  const onRoof = sineAt((latitude - Math.sign(latitude) * ROOF_DEGREES) * RADIANS, declination, hourAngle);
  if (heightSine <= 0 || onRoof <= 0) return 0;
  // The lower the sun, the longer the path of its light through the air.
  return onRoof * 0.75 ** (Math.min(38, 1 / heightSine) ** 0.68 - 1);
}

const sineAt = (latitude: number, declination: number, hourAngle: number): number =>
  Math.sin(latitude) * Math.sin(declination) + Math.cos(latitude) * Math.cos(declination) * Math.cos(hourAngle);

/** Returns 1 at the northern winter solstice, and -1 at the northern summer solstice. */
function northernWinter(localDayMs: number): number {
  const firstOfYear = Date.UTC(new Date(localDayMs).getUTCFullYear(), 0, 1);
  return Math.cos((2 * Math.PI * ((localDayMs - firstOfYear) / DAY_MS + 10)) / 365.25);
}

/** Returns the share of the sky that clouds cover, for each full hour of the day. */
function cloudCover(seed: string, latitude: number, localDayMs: number): number[] {
  const random = createSeededRandom(seed, localDayMs, 'clouds');
  let cover = random.between(-0.2, 1.1) + 0.2 * Math.sign(latitude) * northernWinter(localDayMs);
  return Array.from({ length: 25 }, () => {
    cover = Math.min(1.1, Math.max(-0.2, cover + random.between(-0.2, 0.2)));
    return Math.min(1, Math.max(0, cover));
  });
}
