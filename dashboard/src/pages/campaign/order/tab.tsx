import { type FormEvent, useEffect, useState } from 'react';
import { Problem } from '../../../api/ask.ts';
import type { Campaign } from '../../../api/description.ts';
import { refreshEverything, useAct } from '../../../api/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { FormProblem, issueAt } from '../../../kit/field.tsx';
import { counted } from '../../../kit/words.ts';
import { useMay } from '../../../shell/me.ts';
import { type Difference, Differences } from './differences.tsx';
import { type OrderChange, type OrderField, orderGroups, orderParts, readText, textOf } from './fields.ts';
import { OrderInput } from './input.tsx';

/** The order as a form, also while it runs. What someone else changes meanwhile is shown, and not overwritten. */
type Typed = Partial<Record<OrderField, string>>;

export function OrderTab({ campaign }: { campaign: Campaign }) {
  const mayAct = useMay('operate');
  // What is changed is laid over the version that one has seen.
  const [seen, setSeen] = useState(campaign);
  const [typed, setTyped] = useState<Typed>({});
  const [unreadable, setUnreadable] = useState<Problem | null>(null);
  const foreign = differencesOf(seen, campaign);
  // A start is a version too, but leaves the order as it was.
  useEffect(() => {
    if (campaign.revision !== seen.revision && foreign.length === 0) setSeen(campaign);
  }, [campaign, seen, foreign.length]);
  const change = useAct('PATCH /api/campaigns/{id}', {
    done: (now) => `The order of ${now.name} is changed.`,
    onDone(now) {
      setSeen(now);
      setTyped({});
    },
    quiet: true,
  });
  if (campaign.kind === 'calls') {
    return (
      <Empty title="Single calls have no order in common">Each was made with an order of its own.</Empty>
    );
  }

  const mine = orderParts.filter((part) => {
    const text = typed[part.field];
    return text !== undefined && text !== textOf(part, seen);
  });
  const waiting = waitingOf(campaign);
  const canChange = mayAct && campaign.state !== 'canceled';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setUnreadable(null);
    const body: Record<string, unknown> = {};
    for (const part of mine) {
      try {
        body[part.field] = readText(part, typed[part.field]!);
      } catch {
        const message = 'must be JSON, such as {"voice": "calm"}';
        setUnreadable(new Problem({ detail: message, issues: [{ path: part.field, message }] }, 0, null));
        return;
      }
    }
    change.run(
      { params: { id: campaign.id }, body: body as OrderChange, ifMatch: seen.revision },
      // Someone was faster: what they changed is to be seen here.
      { onError: (problem) => problem.status === 412 && refreshEverything() },
    );
  };
  const problem = unreadable ?? (change.error?.status === 412 ? null : change.error);

  return (
    <form onSubmit={submit} aria-label="Order">
      <WhoItHoldsFor campaign={campaign} />
      {foreign.length > 0 && (
        <Differences
          differences={foreign}
          onTake={() => {
            setSeen(campaign);
            change.reset();
          }}
        />
      )}
      <div className="gap-x-6 lg:columns-2">
        {orderGroups.map(([title, parts]) => (
          <div key={title} className="break-inside-avoid">
            <Section title={title}>
              <div className="space-y-4">
                {parts.map((part) => (
                  <OrderInput
                    key={part.field}
                    part={part}
                    text={typed[part.field] ?? textOf(part, seen)}
                    isChanged={mine.includes(part)}
                    isFixed={!canChange}
                    error={issueAt(problem, part.field)}
                    onChange={(text) => setTyped((before) => ({ ...before, [part.field]: text }))}
                  />
                ))}
              </div>
            </Section>
          </div>
        ))}
      </div>
      <FormProblem problem={problem} fields={orderParts.map(({ field }) => field)} />
      {canChange && (
        <div className="sticky bottom-0 mt-2 flex flex-wrap items-center gap-3 border-t border-line bg-ground py-3">
          <Button
            type="submit"
            kind="main"
            busy={change.isPending}
            disabled={mine.length === 0 || foreign.length > 0}
          >
            Change the order{waiting > 0 && ` for ${counted(waiting, 'person', 'people')}`}
          </Button>
          {mine.length > 0 && (
            <Button kind="quiet" onClick={() => setTyped({})}>
              Undo what I typed
            </Button>
          )}
          <span className="text-sm text-quiet" aria-live="polite">
            {mine.length === 0
              ? 'Nothing is changed yet.'
              : `Changes: ${mine.map(({ label }) => label.toLowerCase()).join(', ')}.`}
          </span>
        </div>
      )}
    </form>
  );
}

const waitingOf = ({ balance }: Campaign) => balance.waiting + balance.parked;

function WhoItHoldsFor({ campaign }: { campaign: Campaign }) {
  const { balance, timezone } = campaign;
  const waiting = waitingOf(campaign);
  const planned = balance.queued + balance.calling;
  return (
    <p className="mb-4 text-quiet">
      A change holds for everything that is not yet planned:{' '}
      {waiting === 0 ? 'nobody waits' : counted(waiting, 'person waits', 'people wait')}.{' '}
      {planned > 0 &&
        `${counted(planned, 'call')} queued or in progress ${planned === 1 ? 'keeps' : 'keep'} the order by which ${planned === 1 ? 'it was' : 'they were'} planned. `}
      {timezone && `People without a time zone of their own are in ${timezone}, as when they were added.`}
    </p>
  );
}

function differencesOf(before: Campaign, after: Campaign): Difference[] {
  return orderParts.flatMap((part) => {
    const [was, is] = [textOf(part, before), textOf(part, after)];
    return was === is ? [] : [{ label: part.label, was, is }];
  });
}
