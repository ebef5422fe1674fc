import { useContext } from 'react';
import { Button, buttonClasses, Icon, Mark } from '../kit/basics.tsx';
import { Commands, PageBar } from '../kit/page.tsx';
import { Link } from '../kit/router.tsx';
import { Since, Time, useSecond } from '../kit/values.tsx';
import { classes, counted } from '../kit/words.ts';
import { type Act, leastRole } from './causes.ts';
import type { Need } from './need.ts';
import { useMay } from './reads.ts';

/** Everything that needs a person: a line a cause, the gravest first, each with its one act and the key that does it. */
const looks = {
  bad: ['border-l-bad-fill', 'text-bad', 'up'],
  odd: ['border-l-odd-fill', 'text-odd', 'query'],
  warn: ['border-l-warn-fill', 'text-warn', 'up'],
} as const;

/** Under a `title` of its own it is a part of what needs a person, and has no numbers. */
export function NeedsList({ items, title }: { items: readonly Need[]; title?: string }) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title ?? 'Needs you'} className="mb-6 overflow-hidden rounded-lg border border-line">
      <div className="flex items-center gap-2 border-b border-line bg-quiet-soft px-4 py-2">
        <h2 className="font-semibold">{title ?? 'Needs you'}</h2>
        {!title && (
          <>
            <span className="text-sm text-quiet">{counted(items.length, 'thing')}</span>
            <span className="ml-auto text-xs text-quiet max-md:hidden">press the number to open</span>
          </>
        )}
      </div>
      <ul className="divide-y divide-line">
        {items.map((need, place) => {
          const { id, tone, what, since, act, all, icon } = need;
          const nth = title ? 0 : place + 1;
          const kind = place === 0 ? 'main' : 'plain';
          const [edge, ink, shape] = looks[tone];
          const spread = 'w-full md:has-[kbd]:justify-between!';
          return (
            <li
              key={id}
              className={classes(
                'grid grid-cols-[1.25rem_minmax(0,1fr)] items-center gap-x-3 gap-y-2 border-l-[3px] px-3 py-2 md:grid-cols-[1.25rem_minmax(0,1fr)_auto_11rem]',
                edge,
                tone === 'bad' && 'bg-bad-soft',
                all && 'py-4',
              )}
            >
              <span className={classes('self-start pt-1 md:self-center md:pt-0', ink)}>
                {icon ? <Icon name={icon} /> : <Mark shape={shape} size={all ? 20 : 14} />}
              </span>
              <div className="min-w-0">
                <p className={classes('font-semibold', all && 'text-xl tracking-[-0.01em]')}>{what}</p>
                <p className="text-sm text-quiet">
                  <NeedText of={need} />
                </p>
              </div>
              <span className="text-xs text-quiet max-md:hidden">{since && <Since at={since} />}</span>
              {act && (
                <div className="max-md:col-start-2">
                  <NeedAct act={act} kind={kind} nth={nth} className={spread} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The consequence of a need, and when Carillon asks the service next. */
export const NeedText = ({ of: { text, asks } }: { of: Need }) => (
  <>
    <Commands text={text} />
    {asks && <Asks at={asks} />}
  </>
);

type NeedActProps = { act: Act; kind?: 'main' | 'plain'; small?: boolean; nth?: number; className?: string };

/** The one act of a need, for those who may do it: it leads to a page, or opens a dialog. */
export function NeedAct({ act, kind = 'main', small = false, nth = 0, className = '' }: NeedActProps) {
  const { open } = useContext(PageBar);
  const may = useMay('opens' in act ? leastRole[act.opens] : 'read');
  const words = (
    <>
      {act.words}
      {nth > 0 && nth <= 9 && <kbd className="key-in-button max-md:hidden">{nth}</kbd>}
    </>
  );
  if ('to' in act)
    return (
      <Link to={act.to} className={classes(buttonClasses(kind, small), className)}>
        {words}
      </Link>
    );
  return (
    may && (
      <Button acts kind={kind} small={small} className={className} onClick={() => open(act.opens)}>
        {words}
      </Button>
    )
  );
}

/** Counted down below a minute. */
function Asks({ at }: { at: string }) {
  const seconds = Math.ceil((Date.parse(at) - useSecond()) / 1_000);
  if (seconds <= 60) return ` It asks again ${seconds > 0 ? `in ${seconds} s` : 'now'}.`;
  return (
    <>
      {' '}
      It asks again at <Time at={at} />.
    </>
  );
}
