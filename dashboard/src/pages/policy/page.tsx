import { Link } from '@tanstack/react-router';
import type { PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { counted, spanText } from '../../kit/words.ts';
import { numberOf, regionOf, rulesOf, useHoursInForce, type WrittenRules } from '../../order/rules.ts';
import { useMay } from '../../shell/me.ts';
import { Opens } from '../../shell/opens.tsx';
import { EditRules } from './edit.tsx';
import { dateWords, Packs, PutInForce, usePack, useWaiting } from './put-in-force.tsx';
import { TestCall } from './test-call.tsx';

/** The contact rules: a call judged by them, the packs of legal hours, and how often and on which days a phone is called. */
export function PolicyPage() {
  const policy = useAsk('GET /api/policy', {});
  const inForce = useHoursInForce();
  const maySeePeople = useMay('read_people');
  const has = policy.data && numberOf(rulesOf(policy.data)) > 0;
  const fromFile = has && policy.data.source === 'file';
  return (
    <>
      <PageHead title="Contact rules" />
      {/* Drawn with the packs, so that none of its parts moves another. */}
      <Read of={{ ...policy, data: inForce && policy.data }}>
        {(data) => (
          <>
            <RulesGlance policy={data} />
            {maySeePeople && <TestCall />}
            <Packs policy={data} isFixed={Boolean(fromFile)} />
            <Section
              id="rules"
              title="How often, and on which days"
              acts={
                !fromFile && (
                  <Opens words={has ? 'Change the rules' : 'Write rules'} may="admin" small>
                    {(close) => <EditRules policy={data} onClose={close} />}
                  </Opens>
                )
              }
            >
              <RuleLines rules={rulesOf(data)} />
              <Source policy={data} />
              {fromFile && (
                <p className="mt-2">
                  A file rules: while it does, the rules cannot be changed here. Change the file that
                  CARILLON_POLICY names, and start the processes again.
                </p>
              )}
            </Section>
          </>
        )}
      </Read>
    </>
  );
}

/** How many rules hold, and for whom; where there are none, with the acts that end that. */
function RulesGlance({ policy }: { policy: PolicyVersion }) {
  const n = numberOf(rulesOf(policy));
  const bound = useHoursInForce() ?? [];
  const pack = usePack();
  const { waiting } = useWaiting();
  if (n > 0)
    return (
      <Glance level="fine" title={`${counted(n, 'rule is', 'rules are')} in force.`}>
        {bound.length > 0
          ? `The hours bind calls to people in ${bound.map(regionOf).join(' and ')} only; all others have the hours of their campaign. `
          : 'No legal hours are among them: people are called in the hours of their campaign. '}
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
          {policy.version === null && <PutInForce pack={null} policy={policy} words="Call without rules" />}
        </>
      }
    >
      {waiting > 0 && `${counted(waiting, 'person waits', 'people wait')} in running campaigns. `}
      Only the hours of each campaign hold: one without hours may call at night.
    </Glance>
  );
}

/** A sentence for each rule that there is. */
function RuleLines({ rules }: { rules: WrittenRules }) {
  const { caps = [], gap, after_conversation: pause, not_on: notOn = [] } = rules;
  const lines = [
    ...caps.map(
      ({ calls, per }) => `One phone is called at most ${counted(calls, 'time')} in ${spanText(per)}.`,
    ),
    gap && `Between two calls to a phone there are ${spanText(gap)} at least.`,
    pause && `After a conversation a phone rests for ${spanText(pause)}.`,
    ...notOn.map((date) => `Nobody is called on ${dateWords(date)}.`),
  ].filter(Boolean);
  if (lines.length === 0)
    return <p className="text-quiet">No rule: as the campaigns say, on every day of the year.</p>;
  return (
    <ul className="space-y-1.5">
      {lines.map((line) => (
        <li key={String(line)}>{line}</li>
      ))}
    </ul>
  );
}

/** Which version holds, since when and from where. */
function Source({ policy: { version, source, since } }: { policy: PolicyVersion }) {
  const maySee = useMay('operate');
  if (version === null || since === null) return null;
  return (
    <p className="mt-2 text-sm text-quiet">
      Version {version}, since <Time at={since} />.{' '}
      {maySee && source === 'api' && (
        <Link to="/activity" search={{ verb: 'policy.set' }} className="link">
          Who changed what
        </Link>
      )}
    </p>
  );
}
