import { Link } from '@tanstack/react-router';
import type { PolicyVersion } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useMay } from '../../shell/me.ts';
import { Opens } from '../../shell/opens.tsx';
import { whoText } from '../activity/sentences.ts';
import { EditRules } from './edit.tsx';
import { Packs } from './packs.tsx';
import { PutInForce, regionOf, usePack, useWaiting } from './put-in-force.tsx';
import { isWithoutRules, numberOf, Rules } from './rules.tsx';
import { TestCall } from './test-call.tsx';
import { rulesOf } from './written.ts';

/** The contact rules: those in force, a call judged by them, and the packs of hours that they can name. */
export function PolicyPage() {
  const policy = useAsk('GET /api/policy', {});
  const [packs, active] = [useAsk('GET /api/policy/packs', {}), useActiveCampaigns()];
  // Drawn together, so that none of its parts moves another.
  const whole = packs.isPending || active.isPending ? { ...policy, data: undefined } : policy;
  const maySeePeople = useMay('read_people');
  const fromFile = policy.data?.source === 'file' && !isWithoutRules(rulesOf(policy.data));
  return (
    <>
      <PageHead
        title="Contact rules"
        // While there are none, it stands beside what ends that.
        acts={
          policy.data &&
          !fromFile &&
          !isWithoutRules(rulesOf(policy.data)) && <ChangeRules policy={policy.data} isMain />
        }
      />
      <Read of={whole}>
        {(data) => (
          <>
            <RulesGlance policy={data} />
            <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[minmax(0,1fr)_22rem]">
              <div>
                <Rules rules={rulesOf(data)} />
                <Source policy={data} fromFile={fromFile} />
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

/** The rules in force, in words; where there are none, with the acts that end that. */
function RulesGlance({ policy }: { policy: PolicyVersion }) {
  const n = numberOf(rulesOf(policy));
  const pack = usePack();
  const { waiting } = useWaiting();
  if (n > 0)
    return (
      <Glance level="fine" title={`${counted(n, 'rule is', 'rules are')} in force.`}>
        For every campaign and every single call.
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
          <ChangeRules policy={policy} />
          {policy.version === null && <PutInForce pack={null} policy={policy} words="Call without rules" />}
        </>
      }
    >
      {waiting > 0 && `${counted(waiting, 'person waits', 'people wait')} in running campaigns. `}
      Only the hours of each campaign say when people are called: one without hours may call at night.
    </Glance>
  );
}

function ChangeRules({ policy, isMain }: { policy: PolicyVersion; isMain?: boolean }) {
  return (
    <Opens words={isMain ? 'Change the rules' : 'Write rules'} may="admin" kind={isMain ? 'main' : 'plain'}>
      {(close) => <EditRules policy={policy} onClose={close} />}
    </Opens>
  );
}

/** Which version holds, since when, from where and by whom. */
type SourceProps = { policy: PolicyVersion; fromFile: boolean };

function Source({ policy: { version, source, since }, fromFile }: SourceProps) {
  const maySee = useMay('operate');
  const set = useAsk('GET /api/activity', { query: { verb: 'policy.set', limit: 20 } }, { enabled: maySee });
  if (version === null || since === null) return null;
  const by = set.data?.items.find(({ after }) => after?.version === version);
  return (
    <div className="-mt-3 mb-6">
      <p className="text-sm text-quiet">
        Version {version}, since <Time at={since} />
        {source === 'file' && ', from a file (CARILLON_POLICY)'}
        {by && (
          <>
            , by <span className="text-text">{whoText(by)}</span>
          </>
        )}
        .{' '}
        {maySee && source === 'api' && (
          <Link to="/activity" search={{ verb: 'policy.set' }} className="link">
            Earlier changes
          </Link>
        )}
      </p>
      {fromFile && (
        <p className="mt-2">
          A file rules: while it does, the rules cannot be changed here. Change the file that CARILLON_POLICY
          names, and start the processes again.
        </p>
      )}
    </div>
  );
}
