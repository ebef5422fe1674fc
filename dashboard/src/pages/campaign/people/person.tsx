import { useState } from 'react';
import type { Campaign, Person } from '../../../api/description.ts';
import { useAct, useAsk } from '../../../api/queries.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Confirm, Dialog } from '../../../kit/dialog.tsx';
import { Loading, Trouble } from '../../../kit/empty.tsx';
import { FormProblem } from '../../../kit/field.tsx';
import { Phone } from '../../../kit/phone.tsx';
import { Ago, durationText, Time } from '../../../kit/time.tsx';
import { waitWords } from '../../../kit/waits.ts';
import { count } from '../../../kit/words.ts';
import { useMay } from '../../../shell/me.ts';
import { PageLink } from '../../../shell/page-link.tsx';
import { EditPerson } from './edit.tsx';

/** One person of the list: how they stand, every attempt, and what may be changed. */
type PersonProps = { campaign: Campaign; rid: string; onClose(): void; onChanged(): void };

export function PersonDialog({ campaign, rid, onClose, onChanged }: PersonProps) {
  const answer = useAsk(
    'GET /api/campaigns/{id}/recipients/{rid}',
    { params: { id: campaign.id, rid } },
    { on: ['recipient.'] },
  );
  const mayAct = useMay('operate');
  const person = answer.data;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={person ? `Row ${count(person.row)}${person.name ? `: ${person.name}` : ''}` : 'One person'}
      acts={
        <>
          {mayAct && person && <RemovePerson campaign={campaign} person={person} onChanged={onChanged} />}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {answer.error && <Trouble problem={answer.error} />}
      {!person && !answer.error && <Loading lines={6} />}
      {person && (
        <div className="space-y-4">
          <Standing person={person} />
          <Attempts person={person} />
          {mayAct && campaign.kind === 'list' && (
            <EditPerson key={person.id} campaign={campaign.id} person={person} onChanged={onChanged} />
          )}
        </div>
      )}
    </Dialog>
  );
}

function Standing({ person: { state, reason, until, outcome, phone, error } }: { person: Person }) {
  return (
    <div className="space-y-1">
      <p className="flex flex-wrap items-center gap-3">
        <Phone phone={phone} />
        <Badge state={state} />
        {outcome && <Badge state={outcome} />}
        {phone?.startsWith('+') && (
          <PageLink to={`/people/${encodeURIComponent(phone)}`}>In every campaign</PageLink>
        )}
      </p>
      {reason && (
        <p>
          Waits: {waitWords[reason]}
          {until && (
            <>
              , <Time at={until} /> (<Ago at={until} />)
            </>
          )}
          .
        </p>
      )}
      {error && <p className="text-bad">{error}</p>}
    </div>
  );
}

function Attempts({ person: { attempts } }: { person: Person }) {
  if (attempts.length === 0) return <p className="text-quiet">They were not tried yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
    <section tabIndex={0} aria-label="Attempts" className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-quiet">
            {['Attempt', 'State', 'Outcome', 'Began', 'Length', 'Agent', 'Call id'].map((head) => (
              <th key={head} scope="col" className="py-1 pr-3 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <tr key={attempt.id} className="border-b border-line last:border-0">
              <td className="py-1 pr-3">{attempt.number}</td>
              <td className="pr-3">
                <Badge state={attempt.state} />
              </td>
              <td className="pr-3">{attempt.outcome && <Badge state={attempt.outcome} />}</td>
              <td className="pr-3">{attempt.dialed_at && <Time at={attempt.dialed_at} />}</td>
              <td className="pr-3">
                {attempt.dialed_at &&
                  attempt.ended_at &&
                  durationText(Date.parse(attempt.ended_at) - Date.parse(attempt.dialed_at))}
              </td>
              <td className="pr-3">{attempt.agent}</td>
              <td className="font-mono">{attempt.call_id}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Only while nobody calls them: the API says so where it is too late. */
function RemovePerson({
  campaign,
  person,
  onChanged,
}: {
  campaign: Campaign;
  person: Person;
  onChanged(): void;
}) {
  const [isAsked, setIsAsked] = useState(false);
  const remove = useAct('DELETE /api/campaigns/{id}/recipients/{rid}', {
    done: () => 'One person is taken off the list.',
    onDone() {
      setIsAsked(false);
      onChanged();
    },
    quiet: true,
  });
  if (!['waiting', 'queued', 'parked'].includes(person.state)) return null;
  return (
    <>
      <Button onClick={() => setIsAsked(true)}>Take off the list</Button>
      <Confirm
        open={isAsked}
        onClose={() => setIsAsked(false)}
        title="Take this person off the list?"
        act="Take 1 person off the list"
        danger
        busy={remove.isPending}
        onAct={() => remove.run({ params: { id: campaign.id, rid: person.id } })}
      >
        <p>They are not called any more by this campaign. The records of their earlier calls stay.</p>
        <FormProblem problem={remove.error} fields={[]} />
      </Confirm>
    </>
  );
}
