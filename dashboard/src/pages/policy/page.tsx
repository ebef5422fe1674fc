import { Link } from '@tanstack/react-router';
import type { PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useMay } from '../../shell/me.ts';
import { Opens } from '../../shell/opens.tsx';
import { EditRules } from './edit.tsx';
import { Packs, PutInForce, regionOf, useLatestCalls, usePeoplePack, useWaiting } from './put-in-force.tsx';
import { isWithoutRules, numberOf, RuleLines, rulesOf } from './rules.tsx';
import { TestCall } from './test-call.tsx';

/** The contact rules: those in force, a call judged by them, and the packs of hours that they can name. */
export function PolicyPage() {
  const policy = useAsk('GET /api/policy', {});
  const [packs, active, calls] = [
    useAsk('GET /api/policy/packs', {}),
    useActiveCampaigns(),
    useLatestCalls(),
  ];
  // Drawn together, so that none of its parts moves another.
  const whole =
    packs.isPending || active.isPending || calls.isLoading ? { ...policy, data: undefined } : policy;
  const maySeePeople = useMay('read_people');
  const has = policy.data && !isWithoutRules(rulesOf(policy.data));
  const fromFile = has && policy.data.source === 'file';
  return (
    <>
      <PageHead
        title="Contact rules"
        // While there are none, it stands beside what ends that.
        acts={has && !fromFile && <ChangeRules policy={policy.data} words="Change the rules" isMain />}
      />
      <Read of={whole}>
        {(data) => (
          <>
            <RulesGlance policy={data} />
            <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[minmax(0,1fr)_22rem]">
              <div>
                <Section id="rules" title="What holds for every call">
                  <RuleLines rules={rulesOf(data)} isWhole />
                </Section>
                <Source policy={data} />
                {fromFile && (
                  <p className="mb-6">
                    A file rules: while it does, the rules cannot be changed here. Change the file that
                    CARILLON_POLICY names, and start the processes again.
                  </p>
                )}
                <Packs rules={rulesOf(data)} policy={fromFile ? undefined : data} />
              </div>
              {maySeePeople && <TestCall />}
            </div>
          </>
        )}
      </Read>
    </>
  );
}

/** How many rules hold; where there are none, with the acts that end that. */
function RulesGlance({ policy }: { policy: PolicyVersion }) {
  const n = numberOf(rulesOf(policy));
  const { pack, place } = usePeoplePack();
  const { waiting } = useWaiting();
  const lacks = !pack && place ? `There is no pack of legal hours for ${place} yet` : '';
  if (n > 0)
    return (
      <Glance
        level={lacks ? 'watch' : 'fine'}
        title={`${counted(n, 'rule is', 'rules are')} in force${lacks && `, but no legal hours for ${place}`}.`}
      >
        For every campaign and every single call.{' '}
        {lacks && `${lacks}: give the campaigns that call there their hours.`}
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
              words={`Put the ${regionOf(pack)} hours in force`}
              isMain
            />
          )}
          <ChangeRules policy={policy} words="Write rules" isMain={!pack} />
          {policy.version === null && <PutInForce pack={null} policy={policy} words="Call without rules" />}
        </>
      }
    >
      {waiting > 0 && `${counted(waiting, 'person waits', 'people wait')} in running campaigns. `}
      Only the hours of each campaign hold: one without hours may call at night.
      {lacks && ` ${lacks}: write how often and on which days, and give each campaign its hours.`}
    </Glance>
  );
}

type ChangeProps = { policy: PolicyVersion; words: string; isMain: boolean };

const ChangeRules = ({ policy, words, isMain }: ChangeProps) => (
  <Opens words={words} may="admin" kind={isMain ? 'main' : 'plain'}>
    {(close) => <EditRules policy={policy} onClose={close} />}
  </Opens>
);

/** Which version holds, since when and from where. */
function Source({ policy: { version, source, since } }: { policy: PolicyVersion }) {
  const maySee = useMay('operate');
  if (version === null || since === null) return null;
  return (
    <p className="-mt-3 mb-6 text-sm text-quiet">
      Version {version}, since <Time at={since} />
      {source === 'file' && ', from a file (CARILLON_POLICY)'}.{' '}
      {maySee && source === 'api' && (
        <Link to="/activity" search={{ verb: 'policy.set' }} className="link">
          Who changed what
        </Link>
      )}
    </p>
  );
}
