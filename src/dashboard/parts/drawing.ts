import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';

/** Returns the value of a colour of the style sheet in the current theme, for a canvas. */
export function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/**
 * Creates an element with a plot of the same width. The plot is redrawn whenever `keys` or the page's colours change.
 * If `draw` returns null, the element is empty.
 */
export function useDrawing(draw: (element: HTMLElement) => uPlot | null, keys: readonly unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  // Position of the pointer, which is preserved when the plot is redrawn.
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
    // A change of theme redraws the plot, because colours are read while drawing.
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
