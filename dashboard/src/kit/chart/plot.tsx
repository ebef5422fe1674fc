import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { legendTime, timeLabels, valueAt } from './labels.ts';
import type { ChartProps } from './series.ts';
import { type Drawn, drawn } from './stack.ts';

/** Draws a chart with uPlot, in the colours of the theme. */
export function Plot({ times, series, height, format }: Required<Omit<ChartProps, 'title'>>) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const lines = drawn(series);
  const data = [[...times], ...lines.map(({ heights }) => heights)] as UPlot.AlignedData;
  const latest = useRef({ data, lines });
  latest.current = { data, lines };
  const looks = lines.map(({ label, color }) => `${label}\n${color}`).join('\n');

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when its lines are others.
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const draw = () => {
      plot.current?.destroy();
      const told = (nth: number, at: number | null) => valueAt(latest.current.lines[nth - 1]?.values, at);
      const options = optionsOf(latest.current.lines, told, box, height, format);
      plot.current = new UPlot(options, latest.current.data, box);
    };
    draw();
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height }));
    resize.observe(box);
    // Its colours are read once: another theme needs another drawing.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    scheme.addEventListener('change', draw);
    return () => {
      resize.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [looks, height, format]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again whenever the numbers are others.
  useEffect(() => plot.current?.setData(latest.current.data), [times, series]);

  return <div ref={place} aria-hidden="true" className="w-full" />;
}

const stepped = UPlot.paths.stepped!({ align: 1 });

function optionsOf(
  lines: readonly Drawn[],
  told: (nth: number, at: number | null) => number | null | undefined,
  box: HTMLElement,
  height: number,
  format: (value: number) => string,
): UPlot.Options {
  const color = (token: string) => resolved(box, token);
  const axis = {
    stroke: color('--color-quiet'),
    grid: { stroke: color('--color-line'), width: 1 },
    ticks: { show: false },
    font: '12px ui-sans-serif, system-ui, sans-serif',
  };
  return {
    width: box.clientWidth,
    height,
    // From zero: a small change must not look like a large one.
    scales: { y: { range: (_, _least, most) => [0, most > 0 ? most * 1.05 : 1] } },
    cursor: { y: false },
    legend: { live: true },
    axes: [
      // As high as its words, and so far apart that a time with its AM stands beside the next one.
      { ...axis, size: 26, space: 80, values: (_, splits, _axis, _space, step) => timeLabels(splits, step) },
      { ...axis, size: 56, values: (_, values) => values.map((each) => format(each)) },
    ],
    series: [
      // Without a pointer the legend tells the last point.
      { value: (plot, at) => legendTime(at ?? plot.data[0].at(-1)) },
      ...lines.map(({ label, color: token, stacked, dots }) => ({
        label,
        stroke: color(token),
        width: dots ? 0 : stacked ? 1 : 2,
        points: { show: dots ?? false, size: 6, fill: color(token) },
        ...(stacked ? { fill: color(token), paths: stepped } : {}),
        value: (_: UPlot, _height: number | null, nth: number, at: number | null) => {
          const value = told(nth, at);
          return value === null || value === undefined ? '' : format(value);
        },
      })),
    ],
  };
}

/** A canvas knows no custom properties and no light-dark(). */
function resolved(box: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
