import type { CampaignItem } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty, Read, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { Ago } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useMay } from '../../shell/me.ts';
import { toJudge } from '../../shell/needs.ts';
import { NameLink, PageLink } from '../../shell/page-link.tsx';
import { FirstCalls } from './calls.tsx';

/** The calls that a campaign paused for: heard one after the other, and judged, before it calls everyone else. */
export function ListenPage() {
  const { campaign: wanted } = useSearch('/listen');
  const sees = useMay('read_people');
  const active = useActiveCampaigns(15_000);
  const waiting = (active.data?.items ?? []).filter((each) => toJudge(each) > 0);
  const chosen = wanted ?? waiting[0]?.id;
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
      {active.data && chosen === undefined && <Nothing />}
      {campaign.data && (
        <FirstCalls key={campaign.data.id} campaign={campaign.data}>
          {waiting.length > 1 && (
            <Chips label="Campaigns to listen to">
              {waiting.map((each) => (
                <Chip
                  key={each.id}
                  on={each.id === chosen || each.name === chosen}
                  onClick={() => void navigate({ to: '/listen', search: { campaign: each.id } })}
                  label={each.name}
                  n={toJudge(each)}
                />
              ))}
            </Chips>
          )}
        </FirstCalls>
      )}
    </>
  );
}

function Nothing() {
  const done = useAsk('GET /api/campaigns', { query: { limit: 50 } });
  const heardOf = ({ first_judged: { fine, wrong, opt_out: optOut } }: CampaignItem) => fine + wrong + optOut;
  const last = done.data?.items.find((each) => heardOf(each) > 0);
  return (
    <Empty title="No call waits to be heard">
      <p>
        A campaign that begins with a few people pauses after them, and their calls stand here: hear each, and
        say whether it is as it should be. New campaign proposes it; in a terminal:
      </p>
      <Command>carillon run people.csv --agent AGENT_ID --first 20</Command>
      {last && (
        <p>
          The last one was <PageLink to={`/listen?campaign=${last.id}`}>{last.name}</PageLink>, begun{' '}
          <Ago at={last.created_at} />: {counted(heardOf(last), 'call')} judged, {last.first_judged.wrong}{' '}
          wrong.
        </p>
      )}
    </Empty>
  );
}
