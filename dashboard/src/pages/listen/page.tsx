import { useLive } from '../../data/use-live.ts';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty, Read, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useMay } from '../../shell/me.ts';
import { toJudge } from '../../shell/needs.ts';
import { NameLink } from '../../shell/page-link.tsx';
import { FirstCalls } from './calls.tsx';
import { LatestCalls } from './latest.tsx';

/** The calls that a campaign paused for, judged before it calls everyone else; and at any time those that were answered last. */
export function ListenPage() {
  const { campaign: wanted, latest } = useSearch('/listen');
  const sees = useMay('read_people');
  const active = useActiveCampaigns(15_000);
  const waiting = (active.data?.items ?? []).filter((each) => toJudge(each) > 0);
  const chosen = wanted ?? (latest === undefined ? waiting[0]?.id : undefined);
  const campaign = useLive(
    'GET /api/campaigns/{id}',
    { params: { id: chosen ?? '' } },
    { everyMs: 15_000, on: ['campaign.'], enabled: chosen !== undefined },
  );
  if (!sees)
    return (
      <>
        <PageHead title="Listen back" />
        <Empty title="This token may not hear people">
          An admin can make one with the role “read people”.
        </Empty>
      </>
    );
  const chips = (waiting.length > 0 || wanted) && (
    <Chips label="Which calls">
      {waiting.map((each) => (
        <Chip
          key={each.id}
          on={each.id === chosen || each.name === chosen}
          onClick={() => void navigate({ to: '/listen', search: { campaign: each.id } })}
          label={each.name}
          n={toJudge(each)}
        />
      ))}
      <Chip
        on={chosen === undefined}
        onClick={() => void navigate({ to: '/listen', search: { latest: 'all' } })}
        label="Latest answered"
      />
    </Chips>
  );
  return (
    <>
      <PageHead
        title="Listen back"
        state={
          campaign.data && (
            <span className="text-sm text-quiet max-md:hidden">
              <NameLink of="campaigns" id={campaign.data.id} name={campaign.data.name} />
              {campaign.data.first !== null &&
                `, the first ${campaign.data.first} of ${campaign.data.balance.rows}`}
            </span>
          )
        }
      />
      <Read of={active} lines={6} />
      {campaign.error && <Trouble problem={campaign.error} retry={() => void campaign.refetch()} />}
      {active.data && chosen === undefined && <LatestCalls none={<Nothing />}>{chips}</LatestCalls>}
      {campaign.data && (
        <FirstCalls key={campaign.data.id} campaign={campaign.data}>
          {chips}
        </FirstCalls>
      )}
    </>
  );
}

const Nothing = () => (
  <Empty title="No call was answered yet">
    <p>
      Answered calls stand here, the latest first. A campaign that begins with a few people pauses after them,
      until you have heard theirs. New campaign proposes it; in a terminal:
    </p>
    <Command>carillon run people.csv --agent AGENT_ID --first 20</Command>
  </Empty>
);
