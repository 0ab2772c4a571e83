import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';

/** Returns the value of a colour of the style sheet, for a canvas. It depends on the theme. */
export function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/**
 * Element that contains a plot of the same width. It is redrawn whenever `keys` or the page's colours change. A `draw` that returns null
 * draws nothing.
 */
export function useDrawing(draw: (element: HTMLElement) => uPlot | null, keys: readonly unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  // Position of the pointer, preserved across redraws.
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
    // Colours are read at each drawing, so a change of theme redraws the plot.
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
