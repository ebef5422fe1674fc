/** Counters, histograms and gauges of one process, in Prometheus's text form. Counting is a look-up in a map. */
type LabelValues = Readonly<Record<string, string>>;
export type Sampled = { labels: LabelValues; value: number };

/** What is shown under one name, for those who show it in another form than Prometheus's. */
export type Figure = { name: string; help: string } & (
  | { kind: 'counter' | 'gauge'; read(): readonly Sampled[] }
  | { kind: 'histogram'; bounds: readonly number[]; follow(told: Histogram): void }
);

export type Counter = { inc(labels: LabelValues, by?: number): void };
type Histogram = { observe(labels: LabelValues, value: number): void };

type Exposition = {
  counter(name: string, help: string): Counter;
  /** `bounds` are the upper limits of its buckets, rising. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** A counter that another part keeps; read when somebody asks. */
  counted(name: string, help: string, read: () => readonly Sampled[]): void;
  /** Read when somebody asks. */
  gauge(name: string, help: string, read: () => readonly Sampled[]): void;
  /** Everything that was added. */
  readonly figures: readonly Figure[];
  text(): string;
};

export function createExposition(): Exposition {
  const families: (Figure & { lines(): string[] })[] = [];
  const readable = (
    kind: 'counter' | 'gauge',
    name: string,
    help: string,
    read: () => readonly Sampled[],
  ) => {
    const lines = () => read().map(({ labels, value }) => lineOf(name, labelText(labels), value));
    families.push({ name, help, kind, read, lines });
  };

  return {
    counter(name, help) {
      const totals = new Map<string, { labels: LabelValues; value: number }>();
      readable('counter', name, help, () => [...totals.values()]);
      return {
        inc(labels, by = 1) {
          // A counter never falls, whatever cost a service reports.
          if (!(by > 0)) return;
          const key = keyOf(labels);
          const own = totals.get(key);
          if (own) own.value += by;
          else totals.set(key, { labels, value: by });
        },
      };
    },
    histogram(name, help, bounds) {
      const series = new Map<string, { labels: LabelValues; counts: number[]; sum: number }>();
      const followers: Histogram[] = [];
      families.push({
        name,
        help,
        kind: 'histogram',
        bounds,
        follow: (told) => void followers.push(told),
        lines: () =>
          [...series.values()].flatMap((each) => bucketLines(name, labelText(each.labels), bounds, each)),
      });
      return {
        observe(labels, value) {
          if (!Number.isFinite(value)) return;
          const key = keyOf(labels);
          let own = series.get(key);
          if (!own) {
            own = { labels, counts: bounds.map(() => 0).concat(0), sum: 0 };
            series.set(key, own);
          }
          // Two clocks may differ, so the difference may be negative.
          const took = Math.max(0, value);
          const at = bounds.findIndex((bound) => took <= bound);
          own.counts[at < 0 ? bounds.length : at]! += 1;
          own.sum += took;
          for (const told of followers) told.observe(labels, took);
        },
      };
    },
    counted: (name, help, read) => readable('counter', name, help, read),
    gauge: (name, help, read) => readable('gauge', name, help, read),
    figures: families,
    text: () =>
      families
        .map(({ name, help, kind, lines }) =>
          [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines()].join('\n'),
        )
        .concat('')
        .join('\n'),
  };
}

function bucketLines(
  name: string,
  labels: string,
  bounds: readonly number[],
  { counts, sum }: { counts: readonly number[]; sum: number },
): string[] {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    const bound = `le="${bounds[at] ?? '+Inf'}"`;
    return lineOf(`${name}_bucket`, labels ? `${labels},${bound}` : bound, total);
  });
  return [...buckets, lineOf(`${name}_sum`, labels, sum), lineOf(`${name}_count`, labels, total)];
}

function lineOf(name: string, labels: string, value: number): string {
  return `${name}${labels ? `{${labels}}` : ''} ${value}`;
}

/** Cheaper than the text, which is made only on request. Each caller passes the same names in the same order. */
function keyOf(labels: LabelValues): string {
  let key = '';
  for (const name in labels) key += `${labels[name]}\n`;
  return key;
}

function labelText(labels: LabelValues): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
}
