import { useState } from 'react';
import type { Pack, PolicyVersion } from '../../api/ask.ts';
import { useAsk, useDialogAct } from '../../data/queries.ts';
import { buttonClasses } from '../../kit/basics.tsx';
import { AreaField, FormDialog, TextField, useForm } from '../../kit/form.tsx';
import { Glance, Page, Section } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { Time } from '../../kit/values.tsx';
import { count, counted, spanText } from '../../kit/words.ts';
import { numberOf, regionOf, rulesOf, useHoursInForce, type WrittenRules } from '../../order/rules.ts';
import { Opens } from '../../shell/opens.tsx';
import { useLiveCalls, useMay } from '../../shell/reads.ts';
import { dateWords, PackRow, PutInForce, RuleRow, TestCall, usePack, useWaiting } from './rules.tsx';

/** Changes the contact rules but for the legal hours. The API checks them, and what it says stands at the field. */
function EditRules({ policy, onClose }: { policy: PolicyVersion; onClose(): void }) {
  // A change of another since the dialog opened must not be overwritten; the hours are those of now, whoever set them.
  const [opened] = useState(policy);
  const [was, is] = [opened, policy].map((each) => JSON.stringify(typedOf(rulesOf(each))));
  const base = (was === is ? policy : opened).version ?? 0;
  const set = useDialogAct(
    'PUT /api/policy',
    onClose,
    ({ version }) => `Version ${version} of the contact rules is in force.`,
  );
  const { typed, field, frame } = useForm(typedOf(rulesOf(policy)), set);
  const { hours } = rulesOf(policy);
  const written = { ...writtenOf(typed), ...(hours && { hours }) };
  const isEmpty = numberOf(written) === 0;
  return (
    <FormDialog
      wide
      title="Change the contact rules"
      onClose={onClose}
      act={isEmpty ? 'Switch all rules off' : 'Put in force'}
      keep="Keep as it is"
      danger={isEmpty}
      isEmpty={isEmpty && numberOf(rulesOf(policy)) === 0}
      onSend={() => set.run({ body: written, ifMatch: base })}
      {...frame}
    >
      <p className="text-quiet">
        They apply from the next call on; people who wait by the rules before are judged again. Write times as
        30m, 24h or 7d.
      </p>
      <AreaField
        rows={2}
        {...field('caps', 'Caps', 'How often one phone is called at most, one a line: 3 in 24h.')}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField {...field('gap', 'Gap', 'The least time between two calls to one phone, such as 4h.')} />
        <TextField
          {...field(
            'after_conversation',
            'After a conversation',
            'The least time after an answered call, such as 7d.',
          )}
        />
      </div>
      <AreaField
        rows={3}
        {...field(
          'not_on',
          'Days without calls',
          'Dates and the holidays of a country, one a line: 2026-12-24, holidays:US.',
        )}
      />
    </FormDialog>
  );
}

const typedOf = ({ caps, gap, after_conversation, not_on }: WrittenRules) => ({
  caps: (caps ?? []).map(({ calls, per }) => `${calls} in ${per}`).join('\n'),
  gap: gap ?? '',
  after_conversation: after_conversation ?? '',
  not_on: (not_on ?? []).join('\n'),
});

/** Empty fields are left out. Whether the rest makes sense is the API's to say. */
function writtenOf(typed: ReturnType<typeof typedOf>): WrittenRules {
  const [gap, pause] = [typed.gap.trim(), typed.after_conversation.trim()];
  const dates = typed.not_on.split(/[\s,]+/).filter(Boolean);
  const lines = typed.caps.split(/[\n,;]+/).map((line) => line.trim());
  const caps = lines.filter(Boolean).map((line) => {
    const [, calls = Number.NaN, per = line] =
      /^(\d+)\s*(?:calls?\s*)?(?:in|per|\/)?\s*(\S*)$/.exec(line) ?? [];
    return { calls: Number(calls), per };
  });
  return {
    ...(caps.length > 0 && { caps }),
    ...(gap && { gap }),
    ...(pause && { after_conversation: pause }),
    ...(dates.length > 0 && { not_on: dates }),
  };
}

/** The contact rules: a call judged by them, the packs of legal hours, and how often and on which days a phone is called. */
export function PolicyPage() {
  const policy = useAsk('GET /api/policy', {});
  const inForce = useHoursInForce();
  const maySeePeople = useMay('read_people');
  return (
    <Page title="Contact rules" of={{ ...policy, data: inForce && policy.data }} lines={4}>
      {/* Drawn with the packs, so that none of its parts moves another. */}
      {(data) => (
        <>
          <RulesGlance policy={data} />
          {maySeePeople && <TestCall hasRules={numberOf(rulesOf(data)) > 0} />}
          <Rules policy={data} />
        </>
      )}
    </Page>
  );
}

function RulesGlance({ policy }: { policy: PolicyVersion }) {
  const n = numberOf(rulesOf(policy));
  const bound = useHoursInForce() ?? [];
  const { waiting, bare, unbound } = useWaiting();
  const [first] = unbound;
  const pack = usePack('', bare.length > 0);
  const calls = useLiveCalls().data?.items.flatMap(({ phone }) => phone ?? []) ?? [];
  // The packs that ship are of countries whose numbers begin so.
  const others = bound.length > 0 ? calls.filter((phone) => !phone.startsWith('+1')).length : 0;
  if (n > 0)
    return (
      <Glance
        level={others > 0 ? 'watch' : 'fine'}
        title={`${counted(n, 'rule is', 'rules are')} in force, ${bound.length > 0 ? `with the legal hours of ${bound.map(regionOf).join(' and ')} only` : 'and no legal hours'}.`}
      >
        {bound.length > 0 ? 'People elsewhere' : 'People'} are called in the hours of their campaign
        {others > 0 && `: ${count(others)} of the ${counted(calls.length, 'call')} in progress`}.
      </Glance>
    );
  return (
    <Glance
      level="watch"
      title="No contact rules are in force."
      acts={
        <>
          {pack && (
            <PutInForce
              pack={pack}
              policy={policy}
              words={`Put the hours of ${regionOf(pack)} in force`}
              isMain
            />
          )}
          {/* No pack has the hours of these people: their campaign can. */}
          {!pack && first && (
            <Link to={`/campaigns/${first.id}?tab=order`} className={buttonClasses('main')}>
              Set the hours of {first.name}
            </Link>
          )}
          {policy.version === null && <PutInForce pack={null} policy={policy} words="Call without rules" />}
        </>
      }
    >
      {waiting > 0 && `${counted(waiting, 'person waits', 'people wait')} in running campaigns. `}
      {bare.length > 0 && `Carillon has no rules for numbers with ${bare.join(', ')}. `}
      Only the hours of each campaign hold: one without hours may call at night.
    </Glance>
  );
}

function Rules({ policy }: { policy: PolicyVersion }) {
  const packs = useAsk('GET /api/policy/packs', {}).data?.items ?? [];
  const rules = rulesOf(policy);
  const n = numberOf(rules);
  const maySee = useMay('operate');
  const { version, source, since } = policy;
  const isFixed = n > 0 && source === 'file';
  const isIn = ({ name }: Pack) => Boolean(rules.hours?.includes(name));
  const others = packs.filter((pack) => !isIn(pack));
  const hours = (pack: Pack) => (
    <PackRow key={pack.name} pack={pack}>
      {/* To take them out drops a law. */}
      <span className={isIn(pack) ? 'text-bad' : ''}>
        {!isFixed && (
          <PutInForce pack={pack} policy={policy} words={isIn(pack) ? 'Take out' : 'Put in force'} />
        )}
      </span>
    </PackRow>
  );
  const edit = (words: string, of?: string) =>
    !isFixed && (
      <Opens words={words} label={of && `${words}: ${of}`} may="admin" small>
        {(close) => <EditRules policy={policy} onClose={close} />}
      </Opens>
    );
  return (
    <>
      <Section
        title="Rules in force"
        note="hours are by the clock where the person is; this is not legal advice"
        acts={edit('Add a rule')}
      >
        {packs.filter(isIn).map(hours)}
        {linesOf(rules).map(([name, value]) => (
          <RuleRow key={name + value} name={name} act={edit('Change', value)}>
            {value}
          </RuleRow>
        ))}
        {n === 0 && (
          <RuleRow name="None">People are called as the campaigns say, on every day of the year.</RuleRow>
        )}
        {version !== null && since !== null && (
          <p className="mt-2 text-sm text-quiet">
            Version {version}, since <Time at={since} />.{' '}
            {maySee && source === 'api' && <Link to="/activity?verb=policy.set">Who changed what</Link>}
          </p>
        )}
        {isFixed && (
          <p className="mt-2">
            A file rules: while it does, the rules cannot be changed here. Change the file that
            CARILLON_POLICY names, and start the processes again.
          </p>
        )}
      </Section>
      {others.length > 0 && (
        <Section title="Legal hours that are not in force">
          <div className="[filter:grayscale(1)]">{others.map(hours)}</div>
        </Section>
      )}
    </>
  );
}

const linesOf = ({ caps = [], gap, after_conversation: pause, not_on: dates = [] }: WrittenRules) =>
  [
    ...caps.map(({ calls, per }) => ['Calls to one phone', `at most ${count(calls)} in ${spanText(per)}`]),
    ['Between two calls to a phone', gap && `${spanText(gap)} at least`],
    ['After a conversation', pause && `a phone rests for ${spanText(pause)}`],
    ['Days without calls', dates.map(dateWords).join('; ')],
  ].filter((rule): rule is [string, string] => Boolean(rule[1]));
