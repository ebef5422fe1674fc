import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { ask, type Problem, type Unknown, type UnknownDetail } from '../../api/ask.ts';
import { createSoon, useAsk } from '../../data/queries.ts';
import { Badge, Button, Copy, Mark } from '../../kit/basics.tsx';
import { Form } from '../../kit/form.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Read, Section, Trouble } from '../../kit/page.tsx';
import { NameLink } from '../../kit/router.tsx';
import { Dock, SidePanel } from '../../kit/side-panel.tsx';
import { TheirTime } from '../../kit/their-time.tsx';
import { Fields, phoneText, useSecond } from '../../kit/values.tsx';
import { clockText, count, counted, timeText } from '../../kit/words.ts';
import { ConfirmAct } from '../../shell/opens.tsx';
import { PersonHead } from '../../shell/person-columns.tsx';
import { useMay, useService } from '../../shell/reads.ts';
import { Course, heads } from './course.tsx';

/** Attempts that a person said were called: they leave the list at once. */
export const settling = createSoon<true>();

/** One unknown attempt: what is known, what was asked, found and sent, and the question whether the person was called. */
export function UnknownPanel({ unknown, children }: { unknown: Unknown; children: ReactNode }) {
  const { attempt, phone, campaign, recipient, reason, why, call_id: callId } = unknown;
  // The create never changes, and once it is settled there is nothing to ask for.
  const more = useQuery<UnknownDetail, Problem>({
    queryKey: ['unknown', attempt],
    queryFn: ({ signal }) => ask('GET /api/unknown/{attempt}', { attempt, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const listed = unknown.asked?.calls ?? [];
  const [found, setFound] = useState(listed.length === 1 ? listed[0]! : null);
  const canFind = useService().data?.can.find;
  const may = useMay('operate');
  const fate = mayHave.test(reason) ? 'The request may have left, and the phone may have rung.' : why;
  const { data: person } = useAsk(
    'GET /api/campaigns/{id}/recipients/{rid}',
    { id: campaign, rid: recipient },
    { enabled: phone !== null },
  );
  return (
    <SidePanel
      label="The attempt"
      foot={
        may && (
          <>
            <AtService of={unknown} onFound={setFound} />
            <Verdict unknown={unknown} foundCall={callId ?? found} />
          </>
        )
      }
    >
      <div>
        {children}
        <PersonHead of={unknown}>{person && <TheirTime zones={person.timezones} inWords />}</PersonHead>
        <p className="text-sm text-quiet">
          <NameLink of="campaigns" name={campaign} />, attempt {count(unknown.number)}, on the key{' '}
          <NameLink of="keys" name={unknown.key} />
        </p>
      </div>
      <div className="flex gap-3 rounded-lg bg-odd-soft px-4 py-3">
        <span className="pt-1 text-odd">
          <Mark shape="query" size={16} />
        </span>
        <div>
          <p className="text-lg font-semibold">{heads[reason]}.</p>
          <p className="text-sm">
            <span>{fate}</span>{' '}
            {callId === null &&
              canFind === false &&
              'The service lists no calls, so Carillon cannot find it by itself.'}
          </p>
        </div>
      </div>
      <div className="grid gap-x-9 lg:grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)]">
        <Course unknown={unknown} detail={more.data} />
        <Read of={more} lines={2}>
          {({ sent }) => (
            <Section title="What was sent" note={counted(sent.requests, 'request')}>
              <div className="rounded-lg bg-sunken px-4 py-3">
                {sent.body ? (
                  <Fields of={flat(sent.body)} text={literal} />
                ) : (
                  'Hidden: this token may not see people.'
                )}
              </div>
            </Section>
          )}
        </Read>
      </div>
    </SidePanel>
  );
}

const mayHave = /^(?:lost|crashed)$/;

/** The fields of a create that services name alike, in words. */
const fieldWords: Readonly<Record<string, string>> = {
  agent_id: 'Agent',
  'customer phone_number': 'To',
  'customer name': 'Name',
  from_number: 'From',
};

/** A value within another has a line of its own, named by both: `customer city`. */
const flat = (of: object, before = ''): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(of).flatMap(([name, value]) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(flat(value, `${before}${name} `))
        : [[fieldWords[before + name] ?? before + name, value]],
    ),
  );

/** Evidence is told as it was sent. */
function literal(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const parts = Object.entries(value).map(([name, each]) => [name.replaceAll('_', ' '), literal(each)]);
  return parts.map((part) => (Array.isArray(value) ? part[1] : part.join(': '))).join(', ');
}

/** The service’s own record of the call, when a person asks: it costs one request of the key’s budget. */
type AtServiceProps = { of: Unknown; onFound(callId: string): void };

function AtService({ of: { attempt, call_id: callId, phone, dialing_at: at }, onFound }: AtServiceProps) {
  const field = useRef<HTMLInputElement>(null);
  const look = useMutation<UnknownDetail['at_service'] | null, Problem, string>({
    mutationFn: async (given) => {
      const query = given === '' ? { ask: '1' as const } : { call_id: given };
      return (await ask('GET /api/unknown/{attempt}', { attempt, ...query })).at_service;
    },
    onSuccess: (told) => {
      if (told?.found && !told.mismatch && told.call_id) onFound(told.call_id);
    },
  });
  usePageKeys({ a: () => (field.current ? field.current.focus() : look.mutate('')) });
  return (
    <Form
      className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 lg:px-6"
      onSend={() => look.mutate(field.current?.value.trim() ?? '')}
    >
      {callId === null && (
        <>
          <p className="basis-full text-sm">
            Look for a call to {phone ? phoneText(phone) : 'this phone'}
            {phone && <Copy text={phone} />} at {timeText(at)} on the service’s own page: its id settles this.
          </p>
          <input
            ref={field}
            required
            autoComplete="off"
            aria-label="The id of a call at the service"
            placeholder="A call id that you found at the service"
            className="min-h-8 min-w-0 flex-1 basis-60 rounded-md border border-line-strong bg-card px-3 text-sm"
          />
        </>
      )}
      <Button type="submit" busy={look.isPending}>
        Ask the service <kbd className="key-in-button max-md:hidden">A</kbd>
      </Button>
      <div role="status" className="max-h-60 basis-full overflow-y-auto text-sm empty:hidden">
        {look.error ? <Trouble problem={look.error} /> : look.data && <AtServiceTold of={look.data} />}
      </div>
    </Form>
  );
}

type Told = NonNullable<UnknownDetail['at_service']>;

function AtServiceTold({ of: { call_id: id, found, mismatch, status, outcome, record } }: { of: Told }) {
  if (!found) return `The service does not know the call ${id}.`;
  if (mismatch) return `The call ${id} cannot be this one: ${mismatch}.`;
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-2">
        The service knows the call{status && `: ${status}`}
        {outcome ? <Badge state={outcome} /> : ', which has not ended'}.
      </p>
      {record && <Fields of={record} text={literal} />}
    </>
  );
}

/** Was the person called? The safe answer takes one key, the other asks once more. */
function Verdict({ unknown, foundCall }: { unknown: Unknown; foundCall: string | null }) {
  const { attempt, name, phone, call_id: callId, not_called_from: from } = unknown;
  const [isAsked, setAsked] = useState(false);
  const now = useSecond();
  const who = name ?? (phone ? phoneText(phone) : 'this person');
  const mayFree = from !== null && Date.parse(from) <= now;
  const close = () => setAsked(false);
  const called = () =>
    settling.tell(attempt, true, `${name ?? phone ?? 'This person'} is settled as called.`, async () => {
      // The call that was found at the service settles it with its record.
      const body = { as: 'called' as const, ...(callId === null && foundCall && { call_id: foundCall }) };
      const told = await ask('POST /api/unknown/{attempt}/resolve', { attempt, body });
      return `Settled: the person is ${told.recipient_state}.`;
    });
  return (
    <Dock
      question={`Was ${who} called?`}
      answers={[
        {
          key: 'c',
          words: 'Yes, the call was made',
          note: `${foundCall ? 'Its record at the service settles it' : 'The person is done, and not called again'}. Five seconds to undo.`,
          onChoose: called,
        },
        {
          key: 'n',
          words: 'No, nobody was called',
          isOff: !mayFree,
          note: mayFree
            ? 'The person waits for a call again. Carillon asks you once more.'
            : from === null
              ? 'The service took this call.'
              : `From ${timeText(from)}, in ${clockText((Date.parse(from) - now) / 1_000)}: the request may still arrive.`,
          onChoose: () => setAsked(true),
        },
      ]}
    >
      {isAsked && (
        <ConfirmAct
          onClose={close}
          title={`Was ${who} surely not called?`}
          act="Settle 1 person"
          name="POST /api/unknown/{attempt}/resolve"
          asked={{ attempt, body: { as: 'not-called' } }}
          done={({ recipient_state: state }) => `Settled: the person is ${state}.`}
          // The next one is asked about at once.
          onDone={() => settling.keep(attempt, true)}
        >
          The person waits again and is called again; the attempt does not count.
        </ConfirmAct>
      )}
    </Dock>
  );
}
