import type { Report } from '../../../api/description.ts';
import { isNight } from '../../../kit/local-time.ts';
import { useNarrow } from '../../../kit/narrow.ts';
import { count, percent } from '../../../kit/words.ts';

/** When people answer: the stronger the colour, the more. Each field has its number, so that no colour must be read. */
type HeatProps = { report: Report; by: 'hour' | 'weekday' };

const hours = Array.from({ length: 24 }, (_, hour) => String(hour));

export function HeatTable({ report: { items }, by }: HeatProps) {
  const known = new Map(items.map((item) => [by === 'hour' ? String(Number(item.value)) : item.value, item]));
  const isNarrow = useNarrow();
  const values = by === 'hour' && !isNarrow ? hours : [...known.keys()].filter((value) => value !== null);
  const atNight = (value: string) => by === 'hour' && isNight(Number(value)) && known.has(value);
  const mostCalls = Math.max(1, ...items.map(({ calls }) => calls));
  const mostRate = Math.max(0.01, ...items.map(({ connect_rate: rate }) => rate ?? 0));
  const lines: [string, (value: string) => [words: string, part: number]][] = [
    [
      'Calls answered',
      (value) => {
        const rate = known.get(value)?.connect_rate ?? null;
        return rate === null ? ['', 0] : [percent(Math.round(rate * 100) / 100), rate / mostRate];
      },
    ],
    [
      'Calls',
      (value) => {
        const calls = known.get(value)?.calls ?? 0;
        return calls === 0 ? ['', 0] : [count(calls), calls / mostCalls];
      },
    ],
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
    <section tabIndex={0} aria-label="When people answer" className="mb-4 overflow-x-auto">
      <table className="w-full border-separate border-spacing-0.5 text-center text-xs">
        <caption className="pb-1 text-left text-quiet">
          By the {by} where the person is: the stronger the colour, the more.
          {values.some(atNight) && <span className="ml-1 text-warn">Amber hours are night there.</span>}
        </caption>
        <thead>
          <tr>
            <td />
            {values.map((value) => (
              <th
                key={value}
                scope="col"
                className={`min-w-9 font-medium ${atNight(value) ? 'text-warn' : 'text-quiet'}`}
              >
                {value}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([label, of]) => (
            <tr key={label}>
              <th scope="row" className="pr-2 text-left font-medium text-quiet">
                {label}
              </th>
              {values.map((value) => {
                const [words, part] = of(value);
                return (
                  <td
                    key={value}
                    className="h-8 rounded-xs bg-sunken"
                    // At most so much of the colour that text can be read on it.
                    style={
                      part > 0
                        ? {
                            backgroundColor: `color-mix(in srgb, var(--color-good-fill) ${Math.round(8 + part * 32)}%, var(--color-card))`,
                          }
                        : {}
                    }
                  >
                    {words}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
