import { Fact } from '../../kit/facts.tsx';
import { durationText } from '../../kit/time.tsx';
import { classes, cost, counted } from '../../kit/words.ts';
import type { OrderGroup } from '../../order/fields.ts';
import { OrderWords } from '../../order/words.tsx';
import type { Draft } from './draft.ts';
import type { ListCheck } from './list-check.tsx';
import { type Lack, orderedOf, useCurrency } from './order.ts';
import { fewPeople, hearsFirst } from './start-acts.tsx';
import { isProposed } from './step-list.tsx';
import type { Step } from './step-names.ts';

/** What will happen as the draft stands; what nobody chose yet is quiet. */
const rows: readonly [name: string, step: Step, groups: readonly OrderGroup[]][] = [
  ['What', 'calls', ['who', 'pace']],
  ['When', 'hours', ['when']],
  ['Again', 'limits', ['tries']],
  ['Stops', 'limits', ['brakes']],
];

type SummaryProps = { draft: Draft; lacks: readonly Lack[]; check: ListCheck | null };

export function Summary({ draft, lacks, check }: SummaryProps) {
  const order = orderedOf(draft);
  const foretold = useForetold(check);
  const { file, found, map } = draft;
  const missing = (step: Step) =>
    lacks
      .filter((each) => each.step === step)
      .map(({ words }) => words)
      .join(' ');
  const used = Object.entries(map).map(([role, column]) => `${role} from the column ${column}`);
  const people = found ? `${counted(found.people, 'person', 'people')} from ${file?.name}` : file?.name;
  return (
    <div className="rounded-lg bg-quiet-soft px-4 pt-3 pb-4 text-sm xl:sticky xl:top-20">
      <h2 className="mb-3 font-semibold">What will happen</h2>
      <dl className="grid grid-cols-[3rem_minmax(0,1fr)] gap-x-4 gap-y-3">
        <Fact name="Who">
          <div className={classes(!people && 'text-quiet')}>
            {people ? `${[people, ...used].join(', ')}.` : missing('people')}
          </div>
        </Fact>
        {rows.map(([name, step, groups]) => (
          <Fact key={name} name={name}>
            <div className={classes((isProposed(step, draft) || missing(step) !== '') && 'text-quiet')}>
              {missing(step) || groups.map((group) => <OrderWords key={group} group={group} order={order} />)}
            </div>
          </Fact>
        ))}
        {hearsFirst(draft) && (
          <Fact name="First">
            <span className="text-quiet">
              After the first {fewPeople} people it pauses, so that you can listen.
            </span>
          </Fact>
        )}
        {foretold && (
          <Fact name="Then">
            <span className="text-quiet">{foretold}</span>
          </Fact>
        )}
      </dl>
      <p className="mt-3 border-t border-line pt-3 text-xs text-quiet">
        Grey is proposed, not chosen yet. This browser keeps the draft; nobody is called before you start it.
      </p>
    </div>
  );
}

/** How long all calls take, and what they cost; null where that is not known. */
function useForetold(check: ListCheck | null): string | null {
  const currency = useCurrency();
  const forecast = check?.answer?.forecast;
  if (!check || !forecast) return null;
  if (check.isRunning) return 'The end is being reckoned…';
  const { ends_at: end, cost: sum } = forecast;
  const [soonest, middle, latest] = [end.p10, end.p50, end.p90].map(
    (at) => at && durationText(Date.parse(at) - check.at),
  );
  if (!middle) return null;
  const range = soonest === latest ? '' : `, 8 times of 10 between ${soonest} and ${latest}`;
  return `All calls take about ${middle}${range}.${sum === null ? '' : ` About ${cost(sum, currency)}.`}`;
}
