/** A chart of values over time as SVG, written by hand: legible in light and dark, and small. */
export type Panel = {
  title: string;
  /** How many seconds one value covers. */
  bin: number;
  /** Filled from below; refusals stand on top of accepted requests. */
  accepted: readonly number[];
  refused: readonly number[];
  /** Lines; no line where a value is not a number. */
  truth: readonly number[];
  belief: readonly number[];
};
export type Drawing = {
  title: string;
  note: string;
  seconds: number;
  /** Times that get a thin line in each panel. */
  edges: readonly number[];
  panels: readonly Panel[];
};

const width = 860;
const left = 48;
const right = 14;
const top = 64;
const first = 240;
const other = 120;
const gap = 40;

const style = `text{font:12px system-ui,sans-serif;fill:#444}.h{font-size:15px;font-weight:600;fill:#111}
.g{fill:#fff}.x{stroke:#ddd}.e{stroke:#9a6bd0;stroke-dasharray:2 3}.a{fill:#9cc5ea}.r{fill:#d33}
.t,.b{fill:none;stroke-width:1.6}.t{stroke:#111}.b{stroke:#d97706}
@media(prefers-color-scheme:dark){text{fill:#bbb}.h{fill:#eee}.g{fill:#15181c}.x{stroke:#333}.a{fill:#2f5f8c}.r{fill:#ff6b6b}.t{stroke:#eee}.b{stroke:#ffb347}}`;

export function svgOf({ title, note, seconds, edges, panels }: Drawing): string {
  const heights = panels.map((_, i) => (i === 0 ? first : other));
  const height = top + heights.reduce((sum, each) => sum + each + gap, 0) + 4;
  const xOf = (second: number) => left + (second / seconds) * (width - left - right);
  let y = top;
  const drawn = panels.map((panel, i) => {
    const from = y;
    y += heights[i]! + gap;
    return drawPanel(panel, { from, height: heights[i]!, seconds, edges, xOf });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}</style><rect class="g" width="${width}" height="${height}" rx="6"/>`,
    `<text class="h" x="${left}" y="22">${escaped(title)}</text><text x="${left}" y="40">${escaped(note)}</text>`,
    legend(edges.length > 0),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

function legend(hasEdges: boolean): string {
  const box = (x: number, kind: string, text: string) =>
    `<rect class="${kind}" x="${x}" y="48" width="12" height="8"/><text x="${x + 17}" y="57">${text}</text>`;
  const line = (x: number, kind: string, text: string) =>
    `<path class="${kind}" d="M${x} 52h14"/><text x="${x + 19}" y="57">${text}</text>`;
  return [
    box(420, 'a', 'accepted'),
    box(508, 'r', 'refused'),
    line(586, 't', 'the limit'),
    line(668, 'b', 'believed'),
    hasEdges ? line(752, 'e', 'windows') : '',
  ].join('');
}

type Place = {
  from: number;
  height: number;
  seconds: number;
  edges: readonly number[];
  xOf(second: number): number;
};

function drawPanel(panel: Panel, { from, height, seconds, edges, xOf }: Place): string {
  const { title, bin, accepted, refused, truth, belief } = panel;
  const most = scaleFor(panel);
  const base = from + height;
  const yOf = (value: number) => base - (Math.min(value, most) / most) * height;
  const sums = accepted.map((value, i) => value + (refused[i] ?? 0));
  const xAt = (place: number) => tenth(xOf(place * bin));
  return [
    `<text x="${left}" y="${from - 6}" opacity=".8">${escaped(title)}</text>`,
    ...[0, 0.5, 1].map((share) => {
      const at = tenth(base - share * height);
      return `<path class="x" d="M${left} ${at}H${width - right}"/><text x="${left - 6}" y="${at + 4}" text-anchor="end">${roundOf(share * most)}</text>`;
    }),
    ...ticksFor(seconds).map((second) => {
      const anchor = second > seconds * 0.98 ? 'end' : 'middle';
      const label = seconds <= 300 ? `${second} s` : `${second / 60} min`;
      return `<text x="${tenth(xOf(second))}" y="${base + 16}" text-anchor="${anchor}">${label}</text>`;
    }),
    refused.some((value) => value > 0) ? `<path class="r" d="${area(sums, accepted, xAt, yOf)}"/>` : '',
    `<path class="a" d="${area(accepted, null, xAt, yOf)}"/>`,
    edges.length > 0
      ? `<path class="e" d="${edges.map((second) => `M${tenth(xOf(second))} ${from}v${height}`).join('')}"/>`
      : '',
    `<path class="t" d="${line(truth, xAt, yOf)}"/><path class="b" d="${line(belief, xAt, yOf)}"/>`,
  ].join('');
}

/** The steps from value to value; if the bottom is given, only the part above it. */
function area(
  tops: readonly number[],
  bottoms: readonly number[] | null,
  xAt: (place: number) => number,
  yOf: (value: number) => number,
): string {
  if (!bottoms) {
    const steps = tops.map((value, i) => `${i === 0 ? '' : `H${xAt(i)}`}V${tenth(yOf(value))}`).join('');
    return `M${xAt(0)} ${tenth(yOf(0))}${steps}H${xAt(tops.length)}V${tenth(yOf(0))}Z`;
  }
  return tops
    .map((value, i) =>
      value > bottoms[i]!
        ? `M${xAt(i)} ${tenth(yOf(bottoms[i]!))}V${tenth(yOf(value))}H${tenth(Math.max(xAt(i + 1), xAt(i) + 1.5))}V${tenth(yOf(bottoms[i]!))}Z`
        : '',
    )
    .join('');
}

function line(
  values: readonly number[],
  xAt: (place: number) => number,
  yOf: (value: number) => number,
): string {
  let path = '';
  let last = Number.NaN;
  for (const [i, value] of values.entries()) {
    const y = Number.isFinite(value) ? tenth(yOf(value)) : Number.NaN;
    if (y === last) continue;
    // The line of the previous value ends here.
    if (!Number.isNaN(last)) path += `H${xAt(i)}`;
    if (!Number.isNaN(y)) path += Number.isNaN(last) ? `M${xAt(i)} ${y}` : `V${y}`;
    last = y;
  }
  return Number.isNaN(last) ? path : `${path}H${xAt(values.length)}`;
}

/** A round number just above what is drawn: a short overshoot of the belief may be cut off. */
function scaleFor({ accepted, refused, truth, belief }: Panel): number {
  const finite = (values: readonly number[]) => values.filter((value) => Number.isFinite(value));
  const sent = accepted.map((value, i) => value + (refused[i] ?? 0));
  const limit = Math.max(0, ...finite(truth));
  const most = Math.max(limit, ...sent, Math.min(Math.max(0, ...finite(belief)), 1.3 * limit || 1e9));
  const unit = 10 ** Math.floor(Math.log10(most || 1));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
    .map((each) => each * unit)
    .find((each) => each >= most * 1.02)!;
}

function ticksFor(seconds: number): number[] {
  const step = [30, 60, 120, 300, 600].find((each) => seconds / each <= 10) ?? 3_600;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, i) => i * step);
}

function roundOf(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
