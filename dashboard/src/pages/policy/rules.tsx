import { type ReactNode, useState } from 'react';
import type { AnswerOf, Pack, PolicyVersion } from '../../api/ask.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/basics.tsx';
import { Form, FormProblem, TextField, useForm } from '../../kit/form.tsx';
import { Glance, Section } from '../../kit/page.tsx';
import { codeOf, Facts, phoneText, Time } from '../../kit/values.tsx';
import { counted, localTimeOf, sentenceOf, type WaitReason, waitWords } from '../../kit/words.ts';
import { hoursOf, regionOf, rulesOf, stricterOf, wholeOf } from '../../order/rules.ts';
import { lineWords, readWeek, weekWords } from '../../order/week.ts';
import { DayBand } from '../../order/window-field.tsx';
import { AskFirst } from '../../shell/opens.tsx';
import { useActiveCampaigns } from '../../shell/reads.ts';

/** Adds a country’s legal hours to the rules in force, or takes them out. Without a pack, it records the choice to call without rules. */
type PutInForceProps = { pack: Pack | null; policy: PolicyVersion; words: string; isMain?: boolean };

export function PutInForce({ pack, policy, words, isMain }: PutInForceProps) {
  const { running, waiting } = useWaiting();
  const { hours = [], ...rules } = rulesOf(policy);
  const isOut = pack === null || hours.includes(pack.name);
  const named = isOut ? hours.filter((name) => name !== pack?.name) : [...hours, pack.name];
  return (
    <AskFirst
      words={words}
      label={pack ? `${words}: ${pack.title}` : undefined}
      kind={isMain ? 'main' : pack === null ? 'quiet' : 'plain'}
      small={pack !== null && !isMain}
      may="admin"
      isSafe={!isOut}
      title={pack ? `${words}: ${pack.title}?` : 'Call without contact rules?'}
      act={isOut ? words : 'Put them in force'}
      name="PUT /api/policy"
      asked={{
        body: pack ? { ...rules, ...(named.length > 0 && { hours: named }) } : {},
        ifMatch: policy.version ?? 0,
      }}
      done={() =>
        pack
          ? `The hours of ${regionOf(pack)} are ${isOut ? 'out of' : 'in'} force, for every campaign.`
          : 'Calls go on without contact rules.'
      }
    >
      {counted(waiting, 'person waits', 'people wait')} in {counted(running, 'running campaign')}.{' '}
      {pack && !isOut
        ? `From the next call on, people in ${regionOf(pack)} are called only ${hoursOf(pack)}, by the clock where they are${stricterOf(pack)}. Whoever’s hours are closed waits, and nobody is lost.`
        : 'Each is called in the hours of the campaign, whatever the law says.'}
      {!pack && ' The activity keeps that you chose it, and Overview asks for it no more.'}
    </AskFirst>
  );
}

export function useWaiting() {
  const running = useActiveCampaigns().data?.items.filter(({ state }) => state === 'running') ?? [];
  const waiting = running.reduce((sum, { balance }) => sum + balance.waiting, 0);
  const people = useAsk('GET /api/calls', { state: 'waiting', limit: 100 }).data?.items ?? [];
  const codes = new Set(people.flatMap((each) => codeOf(each) ?? []));
  const unbound = running.filter(({ kind, window }) => kind === 'list' && !window);
  return { running: running.length, waiting, codes, unbound, bare: codes.has('+1') ? [] : [...codes] };
}

/** The pack of a country: of the one that is given, of a running campaign, or of the viewer’s language, such as US of en-US. */
export function usePack(country = '', isElsewhere = false): Pack | undefined {
  const active = useActiveCampaigns().data?.items ?? [];
  const named = active.find(({ state, country: of }) => state === 'running' && of)?.country;
  const guess = navigator.languages.map((each) => /-([A-Z]{2})$/.exec(each)?.[1]).find(Boolean);
  const wanted = country.trim().toUpperCase() || named || guess;
  return useAsk('GET /api/policy/packs', {}).data?.items.find(
    ({ rows }) => !isElsewhere && rows.some(({ area }) => area === wanted),
  );
}

/** All rules have one shape: what it is about, what it says, what changes it. */
type RuleRowProps = { name: ReactNode; act?: ReactNode; children: ReactNode };

export const RuleRow = ({ name, act, children }: RuleRowProps) => (
  <div className="grid items-start gap-y-2 border-t border-line py-2.5 gap-x-6 lg:grid-cols-[11rem_minmax(0,1fr)_7rem] xl:gap-x-10 xl:grid-cols-[15rem_minmax(0,1fr)_7rem]">
    <p className="font-semibold">{name}</p>
    <div>{children}</div>
    <div className="lg:text-right">{act}</div>
  </div>
);

/** The legal hours of a country, with their source and the date of that; their act is its child. */
export const PackRow = ({ pack, children }: { pack: Pack; children: ReactNode }) => (
  <RuleRow name={`People in ${regionOf(pack)}`} act={children}>
    <div>
      {readWeek(wholeOf(pack))?.map((line) => (
        <div
          key={line.days[0]}
          // One axis below all bands.
          className="grid items-start gap-x-4 leading-4 not-last:[&>span>span:last-child]:hidden not-last:mb-1 sm:grid-cols-[10rem_minmax(0,1fr)] xl:grid-cols-[14rem_minmax(0,1fr)]"
        >
          <span>{lineWords(line)}</span>
          <DayBand legal={pack} day={line.days[0]} />
        </div>
      ))}
    </div>
    <Stricter pack={pack} />
  </RuleRow>
);

/** The states with hours of their own, those with the same in one line; and where all of it stands. */
function Stricter({ pack: { title, rows, as_of, outdated } }: { pack: Pack }) {
  const states = new Map<string, string[]>();
  for (const { area, hours, no_holidays: closed, until, note } of rows) {
    if (!area.includes('-')) continue;
    const words = [weekWords(hours), closed && 'not on holidays', until && `until ${dateWords(until)}`, note];
    const key = words.filter(Boolean).join(', ');
    states.set(key, [...(states.get(key) ?? []), area.slice(3)]);
  }
  const n = new Set([...states.values()].flat()).size;
  return (
    <details className="mt-1 text-sm text-quiet" open={n > 0 && n < 6}>
      <summary className="w-max">{n > 0 ? `Stricter in ${counted(n, 'region')}` : 'Source'}</summary>
      <Facts of={[...states].map(([hours, areas]) => [areas.join(', '), hours])} />
      <p className="mt-2 [overflow-wrap:anywhere]">
        The {title}, compared on {dateWords(as_of)}
        {outdated && ', more than half a year ago: laws may have changed,'} with{' '}
        {[...new Set(rows.map(({ citation }) => citation))].join('; ')}. Where a number may be of several
        places, the strictest counts.
      </p>
    </details>
  );
}

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
export const dateWords = (date: string) =>
  /^\d{4}-\d\d-\d\d$/.test(date)
    ? dateFormat.format(new Date(date))
    : date.replace(/^holidays:(.*)$/, '$1 public holidays');

export function TestCall({ hasRules }: { hasRules: boolean }) {
  const test = useAct('POST /api/policy/test', { quiet: true });
  const [now] = useState(() => localTimeOf(Date.now()));
  const { codes, bare } = useWaiting();
  const { typed, field, frame } = useForm({ phone: '', at: now, state: '' }, test);
  const send = () => {
    const { phone, at, state } = typed;
    const time = new Date(at);
    const body = {
      phone,
      at: Number.isNaN(time.getTime()) ? at : time.toISOString(),
      ...(state.trim() && { state: state.trim() }),
    };
    test.run({ body });
  };
  return (
    <Section title="Do the rules allow this call?" note="who must not be called at all is in Suppressions">
      <Form
        onSend={send}
        className="grid max-w-4xl grid-cols-2 items-start gap-3 max-sm:[&>:nth-child(-n+2)]:col-span-2 sm:grid-cols-[minmax(0,1fr)_14rem_6rem_auto]"
      >
        <TextField
          placeholder={`${[...codes][0] ?? '+1'} …`}
          autoComplete="off"
          {...field('phone', 'Phone')}
        />
        <TextField type="datetime-local" {...field('at', 'At', 'By your clock.')} />
        <TextField placeholder={bare.length > 0 ? '' : 'TX'} {...field('state', 'Region', 'If known.')} />
        <Button type="submit" busy={test.isPending} className="mt-6 min-h-[34px]">
          Test
        </Button>
      </Form>
      <div className="not-empty:mt-3" aria-live="polite">
        <FormProblem {...frame} />
        {test.data && !test.isPending && (
          <Verdict of={test.data} phone={test.variables.body.phone} hasRules={hasRules} />
        )}
      </div>
    </Section>
  );
}

type Judged = { of: AnswerOf<'POST /api/policy/test'>; phone: string; hasRules: boolean };

function Verdict({ of: { allowed, rule, citation, until }, phone, hasRules }: Judged) {
  const reason = rule === null ? 'a rule holds it back' : (waitWords[rule as WaitReason] ?? rule);
  const who = phoneText(phone);
  // Where nothing was judged, nothing is found to be fine.
  if (allowed && !hasRules)
    return (
      <Glance level="watch" title={`No rule forbids a call to ${who}, at any hour.`}>
        Only the hours of each campaign hold.
      </Glance>
    );
  return (
    <Glance
      level={allowed ? 'fine' : 'watch'}
      title={`The rules ${allowed ? 'allow' : 'forbid'} a call to ${who} then.`}
    >
      {!allowed && `${sentenceOf(reason)} `}
      {until ? (
        <>
          It {allowed ? 'may' : 'must wait'} until <Time at={until} />.
        </>
      ) : (
        `No rule changes that in the time that is looked ahead.`
      )}
      {citation && <p className="text-sm">Source: {citation}</p>}
    </Glance>
  );
}
