import type { Pack, PolicyVersion } from '../../api/description.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { AskFirst } from '../../shell/opens.tsx';
import { hoursOf, stricterOf } from './rules.tsx';
import { rulesOf } from './written.ts';

/** Adds a country’s legal hours to the rules in force. Without a pack, it records the choice to call without rules. */
type PutInForceProps = { pack: Pack | null; policy: PolicyVersion; words: string; isMain?: boolean };

export function PutInForce({ pack, policy, words, isMain }: PutInForceProps) {
  const { running, waiting } = useWaiting();
  const set = useAct('PUT /api/policy', {
    quiet: true,
    done: () =>
      pack ? 'The legal hours are in force, for every campaign.' : 'Calls go on without contact rules.',
  });
  const rules = rulesOf(policy);
  const body = pack ? { ...rules, hours: [...(rules.hours ?? []), pack.name] } : {};
  return (
    <AskFirst
      words={words}
      label={pack ? `${words}: ${pack.title}` : undefined}
      kind={isMain ? 'main' : pack ? 'plain' : 'quiet'}
      small={pack !== null && !isMain}
      may="admin"
      isSafe={pack !== null}
      title={pack ? `Put the ${pack.title} in force?` : 'Call without contact rules?'}
      act={pack ? 'Put them in force' : words}
      of={set}
      onAct={() => set.mutateAsync({ body, ifMatch: policy.version ?? 0 })}
    >
      {counted(waiting, 'person waits', 'people wait')} in {counted(running, 'running campaign')}.{' '}
      {pack
        ? `From the next call on, each is called only in these hours, by the clock where they are: ${hoursOf(pack)}${stricterOf(pack)}. Whoever’s hours are closed waits, and nobody is lost.`
        : 'Each is called in the hours of the campaign, whatever the law says. The activity keeps that you chose it, and Overview asks for it no more.'}
    </AskFirst>
  );
}

/** How many campaigns run, and how many people wait in them. */
export function useWaiting() {
  const running = useActiveCampaigns().data?.items.filter(({ state }) => state === 'running') ?? [];
  return { running: running.length, waiting: running.reduce((sum, { balance }) => sum + balance.waiting, 0) };
}

const regions = new Intl.DisplayNames('en', { type: 'region', style: 'short' });

/** `US`, `Canada`. */
export const regionOf = ({ rows }: Pack) => regions.of(rows[0]!.area.slice(0, 2));

/** The pack of a country; without one, of the country of the viewer’s language, such as US of en-US. */
export function usePack(country = ''): Pack | undefined {
  const guess = navigator.languages.map((each) => /-([A-Z]{2})$/.exec(each)?.[1]).find(Boolean);
  const wanted = country.trim().toUpperCase() || guess;
  return useAsk('GET /api/policy/packs', {}).data?.items.find(({ rows }) =>
    rows.some(({ area }) => area === wanted),
  );
}
