import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';

/** A colour of the style sheet as a canvas takes it: what a name stands for depends on the theme. */
export function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/**
 * A box that a plot is drawn into: as wide as the box, and anew whenever `keys` or the colours of the page change. Null: there
 * is nothing to draw.
 */
export function useDrawing(draw: (element: HTMLElement) => uPlot | null, keys: readonly unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  // Where it is pointed at, over what is drawn anew meanwhile.
  const pointed = useRef({ left: -1, top: -1 });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot: uPlot | null = null;
    const end = () => {
      const { left = -1, top = -1 } = plot?.cursor ?? {};
      pointed.current = { left, top };
      plot?.destroy();
    };
    const again = () => {
      end();
      plot = draw(element);
      if (pointed.current.left >= 0) plot?.setCursor(pointed.current);
    };
    plot = draw(element);
    if (pointed.current.left >= 0) plot?.setCursor(pointed.current);
    const size = new ResizeObserver(() => {
      if (plot && Math.abs(plot.width - element.clientWidth) > 1)
        plot.setSize({ width: element.clientWidth, height: plot.height });
    });
    size.observe(element);
    // Colours are read when it is drawn.
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', again);
    return () => {
      size.disconnect();
      theme.disconnect();
      system.removeEventListener('change', again);
      end();
    };
  }, keys);
  return box;
}
