import { useEffect, useState } from 'preact/hooks';
import { call, sentenceOf } from '../../api.ts';
import { type AlertType, thresholdFields, type WouldHaveFired } from './alert.ts';

/** A preview is fetched when typing has paused for this long. */
const PAUSE_MS = 300;

/** On which periods an alert with this threshold would have fired. */
export interface Preview {
  type: AlertType;
  threshold: number;
  fired: WouldHaveFired[];
}

/**
 * Tries a rule on the last 90 days, whenever typing pauses; what was found for the threshold before stays until then. Null
 * while there is nothing to show.
 */
export function usePreview(
  userId: string,
  type: AlertType,
  threshold: number | null,
): { preview: Preview | null; error: string | null } {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let isTooLate = false;
    const ask = async (threshold: number) => {
      const body = { user_id: userId, type, ...thresholdFields(type, threshold) };
      try {
        const { data } = await call<{ data: WouldHaveFired[] }>('POST', '/v1/alerts/preview', body);
        if (isTooLate) return;
        setPreview({ type, threshold, fired: data });
        setError(null);
      } catch (reason) {
        if (!isTooLate) setError(sentenceOf(reason));
      }
    };
    const timer = threshold === null ? undefined : setTimeout(ask, PAUSE_MS, threshold);
    return () => {
      isTooLate = true;
      clearTimeout(timer);
    };
  }, [userId, type, threshold]);
  return { preview: threshold !== null && preview?.type === type ? preview : null, error };
}
