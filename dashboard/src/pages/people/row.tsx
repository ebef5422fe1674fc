import { Link } from '@tanstack/react-router';
import type { FoundPerson } from '../../api/description.ts';
import { useAsk } from '../../api/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card, Section } from '../../kit/card.tsx';
import { Time } from '../../kit/time.tsx';
import { Tree } from '../../kit/tree.tsx';
import { waitWords } from '../../kit/waits.ts';
import { classes } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { RowActs } from './acts.tsx';
import { AttemptDetail } from './attempt.tsx';
import { There } from './there.tsx';

/** The person's course in one campaign: the state and why, each attempt, and what it was given. */
export function RowDetail({ row, wanted }: { row: FoundPerson; wanted: string | undefined }) {
  const known = useAsk('GET /api/campaigns/{id}/recipients/{rid}', {
    params: { id: row.campaign, rid: row.id },
  });
  const zones = known.data?.timezones ?? [];
  const { attempts } = row;
  const attempt = attempts.find(({ id }) => id === wanted) ?? attempts.at(-1);
  return (
    <div className="min-w-0">
      <Section id="row" title={row.campaign} acts={<RowActs row={row} />} bare>
        <Card>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge state={row.state} />
            {row.outcome && <Badge state={row.outcome} />}
            <span className="min-w-0 text-quiet [overflow-wrap:anywhere]">
              row {row.row} of{' '}
              <PageLink to={`/campaigns/${encodeURIComponent(row.campaign)}`}>{row.campaign}</PageLink>
            </span>
            {zones.length > 0 && (
              <span className="text-quiet">
                in {zones.length > 3 ? `one of ${zones.length} zones` : zones.join(' or ')}
              </span>
            )}
          </p>
          {row.reason && (
            <p className="mt-1">
              Waits: {waitWords[row.reason]}
              {row.until && (
                <>
                  , until <Time at={row.until} /> <There at={row.until} zones={zones} />
                </>
              )}
            </p>
          )}
          {row.error && <p className="mt-1 text-bad">{row.error}</p>}
        </Card>
      </Section>
      {attempts.length > 1 && <AttemptTabs row={row} current={attempt?.id} />}
      {attempt ? (
        <AttemptDetail key={attempt.id} id={attempt.id} zones={zones} />
      ) : (
        <p className="mb-6 text-quiet">Nobody was called yet for this row.</p>
      )}
      <Given row={row} variables={known.data?.variables ?? null} />
    </div>
  );
}

function AttemptTabs({ row, current }: { row: FoundPerson; current: string | undefined }) {
  return (
    <nav aria-label="Attempts" className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
      {row.attempts.map(({ id, number, state, outcome }) => (
        <Link
          key={id}
          from="/people/$person"
          to="."
          search={{ row: row.id, attempt: id }}
          aria-current={id === current ? 'page' : undefined}
          className={classes(
            '-mb-px flex items-center gap-2 border-b-2 px-3 py-2 whitespace-nowrap',
            id === current ? 'border-accent font-medium' : 'border-transparent text-quiet hover:text-text',
          )}
        >
          Attempt {number}
          <Badge state={outcome ?? state} />
        </Link>
      ))}
    </nav>
  );
}

type GivenProps = { row: FoundPerson; variables: Record<string, unknown> | null };

/** The list's data on the person, and the variables of the next call. */
function Given({ row, variables }: GivenProps) {
  if (row.input === null && variables === null) return null;
  return (
    <div className="grid gap-x-6 lg:grid-cols-2">
      {variables && Object.keys(variables).length > 0 && (
        <Section id="variables" title="Variables">
          <Tree value={variables} />
        </Section>
      )}
      {row.input && (
        <Section id="given" title="As it was given">
          <Tree value={row.input} />
        </Section>
      )}
    </div>
  );
}
