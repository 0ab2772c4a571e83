import { useEffect, useRef } from 'preact/hooks';

/** A swipe is at least so long, and more than twice as wide as high: else it scrolls. */
const MIN_SWIPE_PX = 60;
const STEEPEST = 0.5;
/** What takes a finger's way, or an arrow key, for itself. */
const OWN = ['input', 'select', 'textarea', 'dialog', '.heat', '.scroll'].join();

/** Steps by a swipe over an element and by the arrow keys, wherever nothing else takes them. Answers what to attach to the element. */
export function useSteps(step: (by: number) => void) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(step);
  latest.current = step;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let from: { x: number; y: number } | null = null;
    const begin = (event: TouchEvent) => {
      const [touch] = event.touches;
      const isOurs = event.touches.length === 1 && !(event.target as Element).closest(OWN);
      from = isOurs && touch ? { x: touch.clientX, y: touch.clientY } : null;
    };
    const end = (event: TouchEvent) => {
      const [touch] = event.changedTouches;
      if (!from || !touch) return;
      const [dx, dy] = [touch.clientX - from.x, touch.clientY - from.y];
      from = null;
      if (Math.abs(dx) >= MIN_SWIPE_PX && Math.abs(dy) < STEEPEST * Math.abs(dx)) latest.current(dx < 0 ? 1 : -1);
    };
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (
        by === undefined ||
        (event.target as Element).closest(`${OWN}, nav`) ||
        document.querySelector('dialog[open]')
      )
        return;
      latest.current(by);
    };
    element.addEventListener('touchstart', begin, { passive: true });
    element.addEventListener('touchend', end, { passive: true });
    document.addEventListener('keydown', press);
    return () => {
      element.removeEventListener('touchstart', begin);
      element.removeEventListener('touchend', end);
      document.removeEventListener('keydown', press);
    };
  }, []);
  return box;
}
