import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { BodyOf, Campaign } from '../../../api/ask.ts';
import { hasEnded, waitingOf } from '../../../campaigns/state.tsx';
import { refreshEverything, useAct, useAsk } from '../../../data/queries.ts';
import { Button } from '../../../kit/basics.tsx';
import { Form, FormProblem, issueAt } from '../../../kit/form.tsx';
import { Empty, Glance, Notice } from '../../../kit/page.tsx';
import { counted } from '../../../kit/words.ts';
import { OrderControls } from '../../../order/control.tsx';
import {
  jsonFault,
  type OrderGroup,
  type OrderName,
  orderFields,
  orderGroups,
  type Risk,
  readText,
  risksOf,
  textOf,
} from '../../../order/fields.ts';
import { useHoursInForce } from '../../../order/rules.ts';
import { OrderWords, Risks } from '../../../order/words.tsx';
import { useMay } from '../../../shell/reads.ts';

/** The order in words, each part with its form, also while it runs. Changes by someone else meanwhile are shown, and not overwritten. */
type Typed = Partial<Record<OrderName, string>>;
type OrderChange = BodyOf<'PATCH /api/campaigns/{id}'>;

const changeable = orderFields.filter(({ can_change }) => can_change);

export function OrderTab({ campaign }: { campaign: Campaign }) {
  const mayAct = useMay('operate');
  const inForce = useHoursInForce();
  // Changes are laid over the version that one has seen.
  const [seen, setSeen] = useState(campaign);
  const [typed, setTyped] = useState<Typed>({});
  const [opened, setOpened] = useState<OrderGroup | null>(null);
  const place = { id: campaign.id };
  const ahead = useAsk('GET /api/campaigns/{id}/forecast', place, { enabled: opened === 'when' }).data;
  // What someone else changed in the order while it is edited here.
  const foreign = changeable.flatMap((field) => {
    const [was, is] = [textOf(field, seen), textOf(field, campaign)];
    return was === is ? [] : [{ label: field.label, was, is }];
  });
  // A start is a version too, but leaves the order as it was.
  useEffect(() => {
    if (campaign.revision !== seen.revision && foreign.length === 0) setSeen(campaign);
  }, [campaign, seen, foreign.length]);
  const change = useAct('PATCH /api/campaigns/{id}', {
    done: (now) => `The settings of ${now.name} are changed.`,
    onDone(now) {
      setSeen(now);
      setTyped({});
      setOpened(null);
    },
    quiet: true,
  });
  if (campaign.kind === 'calls') {
    return <Empty title="Single calls have no settings in common">Each was made with its own.</Empty>;
  }

  const mine = changeable.filter((field) => {
    const text = typed[field.name];
    return text !== undefined && text !== textOf(field, seen);
  });
  const isReadable = mine.every(({ name, kind }) => kind !== 'json' || jsonFault(typed[name]!) === null);
  const waiting = waitingOf(campaign.balance);
  const onTheirWay = campaign.balance.queued + campaign.balance.calling;
  const risks = hasEnded(campaign)
    ? []
    : risksOf(campaign, campaign.answers.people_called, inForce?.length !== 0);
  const canChange = mayAct && campaign.state !== 'canceled';
  const send = () => {
    const body = Object.fromEntries(mine.map((field) => [field.name, readText(field, typed[field.name]!)]));
    change.run(
      { id: campaign.id, body: body as OrderChange, ifMatch: seen.revision },
      // Someone was faster: their changes are to be seen here.
      { onError: (problem) => problem.status === 412 && refreshEverything() },
    );
  };
  const problem = change.error?.status === 412 ? null : change.error;
  const open = (group: OrderGroup, more: Typed = {}) => {
    flushSync(() => {
      setTyped((before) => ({ ...before, ...more }));
      setOpened(group);
    });
    document.getElementById(`order-${group}`)!.scrollIntoView({ block: 'nearest' });
  };
  const takeRisk = ({ field, value }: Risk) => {
    const group = orderGroups.find(({ fields }) => fields.some(({ name }) => name === field))!;
    open(group.name, { [field]: value });
  };

  return (
    <Form onSend={send} aria-label="Settings">
      <Glance
        level={risks.length > 0 ? 'watch' : 'fine'}
        title={
          <>
            {risks.length > 0
              ? `${counted(risks.length, 'setting is', 'settings are')} risky.`
              : 'No setting is risky.'}{' '}
            <span className="text-base font-normal tracking-normal text-quiet">
              A change holds for{' '}
              {waiting === 0
                ? 'people who are added'
                : `the ${counted(waiting, 'person', 'people')} who wait`}
              {onTheirWay > 0 && `, not for the ${counted(onTheirWay, 'call')} on their way`}.
            </span>
          </>
        }
      >
        {risks.length > 0 && <Risks of={risks} onChange={canChange && takeRisk} />}
      </Glance>
      {foreign.length > 0 && (
        <Notice
          isAlert
          title="The settings were changed since you opened them. Nothing of yours is sent yet."
        >
          <ul className="my-2">
            {foreign.map(({ label, was, is }) => (
              <li key={label}>
                {label}: <del>{was || 'default'}</del> → <ins className="no-underline">{is || 'default'}</ins>
              </li>
            ))}
          </ul>
          <Button
            small
            onClick={() => {
              setSeen(campaign);
              change.reset();
            }}
          >
            Take these, and keep what I typed
          </Button>
        </Notice>
      )}
      {orderGroups.map(({ name, title, fields }) => {
        const isOpen = opened === name;
        return (
          <section
            key={name}
            aria-labelledby={`order-${name}`}
            className="grid gap-x-8 gap-y-2 border-t border-line py-4 lg:grid-cols-[9rem_minmax(0,1fr)_auto]"
          >
            <h2 id={`order-${name}`} className="font-semibold leading-6">
              {title}
            </h2>
            {isOpen ? (
              <div className="max-w-3xl">
                <OrderControls
                  // One that another field's control asks for is shown where it is set.
                  fields={fields.filter(
                    (field) => field.can_change && (!field.asked_by || textOf(field, seen) !== ''),
                  )}
                  label={(field) => (mine.includes(field) ? `${field.label} (changed)` : field.label)}
                  text={(field) => typed[field.name] ?? textOf(field, seen)}
                  error={(field) => issueAt(problem, field.name)}
                  zones={ahead?.timezones}
                  onChange={(field, text) => setTyped((before) => ({ ...before, [field]: text }))}
                />
              </div>
            ) : (
              <div className="min-w-0 max-w-4xl text-lg [overflow-wrap:anywhere]">
                <OrderWords group={name} order={seen} />
              </div>
            )}
            {canChange && (
              <div>
                <Button small aria-expanded={isOpen} onClick={() => (isOpen ? setOpened(null) : open(name))}>
                  {isOpen ? 'Close' : 'Change'}
                  <span className="sr-only"> {title}</span>
                </Button>
              </div>
            )}
          </section>
        );
      })}
      <FormProblem problem={problem} fields={changeable.map(({ name }) => name)} />
      {canChange && (opened !== null || mine.length > 0) && (
        <div className="sticky bottom-0 mt-2 flex flex-wrap items-center gap-3 border-t border-line bg-card py-3">
          <Button
            type="submit"
            kind="main"
            busy={change.isPending}
            disabled={mine.length === 0 || foreign.length > 0 || !isReadable}
          >
            Change the settings{waiting > 0 && ` for ${counted(waiting, 'person', 'people')}`}
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
    </Form>
  );
}
