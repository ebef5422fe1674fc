import type { Key } from '../../api/description.ts';
import { useAsk } from '../../api/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { Ago } from '../../kit/time.tsx';
import { classes, count } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';

/** One lane a key: how full its two queues are, and how much of that is delayed or active. A press shows only its jobs. */
const everyMs = 5_000;
const head = 'px-3 py-2 text-xs font-medium text-quiet';
const cell = 'px-3 py-1.5';

type Choose = { chosen: string | undefined; onChoose(key: string | undefined): void };

export function Lanes(choose: Choose) {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  if (keys.error && !keys.data) return <Trouble problem={keys.error} />;
  if (!keys.data || keys.data.items.length === 0) return null;
  return (
    <Section id="lanes" title="Lanes" bare>
      <div className="overflow-x-auto border-t border-line">
        <table aria-labelledby="lanes" className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-b border-line">
              <th scope="col" className={`${head} text-left`}>
                Key
              </th>
              <th scope="col" className={`${head} text-right`}>
                To make
              </th>
              <th scope="col" className={`${head} text-right max-sm:hidden`}>
                Delayed
              </th>
              <th scope="col" className={`${head} text-right max-sm:hidden`}>
                Active
              </th>
              <th scope="col" className={`${head} text-left max-lg:hidden`}>
                Oldest
              </th>
              <th scope="col" className={`${head} text-right`}>
                To follow
              </th>
              <th scope="col" className={`${head} text-right max-sm:hidden`}>
                Delayed
              </th>
              <th scope="col" className={`${head} text-right max-sm:hidden`}>
                Active
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.data.items.map((key) => (
              <Lane key={key.name} of={key} {...choose} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function Lane({ of: { name, state }, chosen, onChoose }: { of: Key } & Choose) {
  const one = useAsk('GET /api/keys/{name}', { params: { name } }, { everyMs });
  const queues = one.data?.queues;
  const isChosen = chosen === name;
  const numbers = (kind: 'dial' | 'track') => {
    const depth = queues?.[kind];
    const text = (n: number | undefined) => (n === undefined ? '–' : count(n));
    return (
      <>
        <td className={`${cell} number`}>{text(depth && depth.waiting + depth.delayed + depth.active)}</td>
        <td className={`${cell} number max-sm:hidden`}>{text(depth?.delayed)}</td>
        <td className={`${cell} number max-sm:hidden`}>{text(depth?.active)}</td>
      </>
    );
  };
  const oldest = queues?.dial.oldest_at;
  return (
    <tr className={classes('border-b border-line last:border-0', isChosen && 'bg-accent-soft')}>
      <th scope="row" className={`${cell} text-left font-normal`}>
        <button
          type="button"
          aria-pressed={isChosen}
          onClick={() => onChoose(isChosen ? undefined : name)}
          className="link mr-2 font-medium"
        >
          {name}
        </button>
        <Badge state={state} />
        {one.data && queues === null && <span className="ml-2 text-warn">the queue cannot be reached</span>}
      </th>
      {numbers('dial')}
      <td className={`${cell} max-lg:hidden`}>
        {oldest ? <Ago at={oldest} /> : <span className="text-quiet">–</span>}
      </td>
      {numbers('track')}
    </tr>
  );
}
