import type { Pack, PolicyVersion } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { AskFirst } from '../../shell/opens.tsx';
import { hoursOf } from './rules.tsx';
import { rulesOf } from './written.ts';

/** Puts the legal hours of a country in force beside the rules that are; asks once, and says for how many people. */
type PutInForceProps = { pack: Pack; policy: PolicyVersion; words: string; isMain?: boolean };

export function PutInForce({ pack, policy, words, isMain }: PutInForceProps) {
  const { title, name } = pack;
  const running = useActiveCampaigns().data?.items.filter(({ state }) => state === 'running') ?? [];
  const waiting = running.reduce((sum, { balance }) => sum + balance.waiting, 0);
  const set = useAct('PUT /api/policy', {
    quiet: true,
    done: () => 'The legal hours are in force, for every campaign.',
  });
  const rules = rulesOf(policy);
  const body = { ...rules, hours: [...(rules.hours ?? []), name] };
  return (
    <AskFirst
      words={words}
      label={words.includes(title) ? undefined : `${words}: ${title}`}
      kind={isMain ? 'main' : 'plain'}
      small={!isMain}
      may="admin"
      isSafe
      title={`Put the ${title} in force?`}
      act="Put them in force"
      of={set}
      onAct={() => set.mutateAsync({ body, ifMatch: policy.version ?? 0 })}
    >
      <p>
        {counted(waiting, 'person waits', 'people wait')} in {counted(running.length, 'running campaign')}.
        From the next call on, each is called only in these hours, by the clock where they are:{' '}
        {hoursOf(pack)}. Whoever’s hours are closed waits, and nobody is lost.
      </p>
    </AskFirst>
  );
}

/** A decision for no rules is one too: the activity keeps it, and nobody is asked again. */
export function CallWithout() {
  const set = useAct('PUT /api/policy', { quiet: true, done: () => 'Calls go on without contact rules.' });
  return (
    <AskFirst
      words="Call without rules"
      may="admin"
      title="Call without contact rules?"
      act="Call without rules"
      of={set}
      onAct={() => set.mutateAsync({ body: {}, ifMatch: 0 })}
    >
      Only the hours of each campaign count then. The activity keeps that you chose it, and Overview asks for
      it no more.
    </AskFirst>
  );
}

/** The pack of a country; without one, of the country of the viewer’s language, such as US of en-US. */
export function usePack(country = ''): Pack | undefined {
  const guess = navigator.languages.map((each) => /-([A-Z]{2})$/.exec(each)?.[1]).find(Boolean);
  const wanted = country.trim().toUpperCase() || guess;
  return useAsk('GET /api/policy/packs', {}).data?.items.find(({ rows }) =>
    rows.some(({ area }) => area === wanted),
  );
}
