import { useState } from 'react';
import { type AnswerOf, type Suppression, typeOf } from '../../api/ask.ts';
import { useAct, useAsk } from '../../data/queries.ts';
import { AreaField, CheckField, FormDialog, SelectField, TextField, useForm } from '../../kit/form.tsx';
import { Link, NameLink } from '../../kit/router.tsx';
import { type Column, left } from '../../kit/table/data-table.tsx';
import { showToast } from '../../kit/toast.tsx';
import { Phone, phoneText, Time } from '../../kit/values.tsx';
import { count, counted, whoText } from '../../kit/words.ts';
import { Opens } from '../../shell/opens.tsx';
import { personAddress } from '../../shell/people.tsx';
import { useMay } from '../../shell/reads.ts';

/** Suppresses phones: those that are pasted, those of a file of any length, or all numbers of one person. */
type AddProps = {
  campaigns: readonly { value: string; label: string }[];
  person?: readonly string[];
  onClose(): void;
};

export function AddPhones({ campaigns, person, onClose }: AddProps) {
  const [file, setFile] = useState<File | null>(null);
  const ends = {
    quiet: true,
    done: toldText,
    onDone: (told: Told) => {
      onClose();
      tellRejects(told);
    },
  };
  const suppress = useAct('POST /api/suppressions', ends);
  const send = useAct('POST /api/suppressions/import', ends);
  const form = useForm(
    { phones: '', until: '', sheet: '', campaign: '', reason: '', country: '', hang_up: '' },
    { isPending: suppress.isPending || send.isPending, error: suppress.error ?? send.error },
  );
  const { phones: pasted = '', until, sheet, hang_up: hangUp, ...common } = form.given();
  const phones = person ? [...person] : pasted.split(/[\n,;]+/).flatMap((each) => each.trim() || []);
  const run = () =>
    file
      ? send.run({
          ...common,
          ...(sheet && { sheet }),
          ...(hangUp && { hang_up: '1' as const }),
          body: file as never,
          contentType: typeOf(file.name),
        })
      : suppress.run({
          body: { ...common, ...(until && { until }), phones, hang_up: Boolean(hangUp), source: 'manual' },
        });
  return (
    <FormDialog
      title={person ? 'Suppress this person?' : 'Suppress phones'}
      onClose={onClose}
      act={
        file
          ? 'Suppress everyone in it'
          : person
            ? 'Suppress 1 person'
            : `Suppress ${phones.length > 0 ? counted(phones.length, 'phone') : ''}`
      }
      danger={person !== undefined}
      onSend={run}
      isEmpty={phones.length === 0 && !file}
      {...form.frame}
    >
      <p>
        {person && `1 person, ${person.join(' and ')}. `}
        From now on nobody calls them, and campaigns in which they wait pass them over.
      </p>
      {!person && !file && <AreaField rows={3} {...form.field('phones', 'Phones', 'One a line.')} />}
      <TextField {...form.field('reason', 'Reason')} />
      <CheckField
        label="Hang up calls in progress with them"
        help="Who is talking now is cut off."
        {...form.box('hang_up')}
      />
      <details open={form.frame.problem !== null} className="space-y-3">
        <summary className="w-max text-sm">
          More: {person ? '' : 'a file, '}one campaign only, an end{person ? '' : ', a country'}
        </summary>
        {!person && (
          <TextField
            label="Or a file"
            type="file"
            accept=".csv,.xlsx,text/csv,text/plain"
            help="CSV or Excel, with a column of phones; its columns for reason, end and campaign are read too."
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
            {...form.field('campaign', 'Scope')}
          />
          {file ? (
            <TextField {...form.field('sheet', 'Sheet', 'Of a workbook that has several.')} />
          ) : (
            <TextField {...form.field('until', 'Until', 'A date or a span such as 30d. Empty: no end.')} />
          )}
          {!person && (
            <TextField {...form.field('country', 'Country', 'Such as US, for phones without +.')} />
          )}
        </div>
      </details>
    </FormDialog>
  );
}

type Told = AnswerOf<'POST /api/suppressions'> & Partial<AnswerOf<'POST /api/suppressions/import'>>;

function toldText({ phones, known, skipped, hint, hang_ups: calls }: Told): string {
  const already = known > 0 ? `, ${count(known)} of them as before` : '';
  const passed = skipped > 0 ? `; ${counted(skipped, 'waiting row is', 'waiting rows are')} skipped` : '';
  const ended = calls
    ? ` ${[`${count(calls.hung_up)} of ${counted(calls.calls, 'call')} hung up`, ...calls.refusals].join('; ')}.`
    : '';
  return `${counted(phones, 'phone is', 'phones are')} suppressed${already}${passed}.${ended} ${hint ?? ''}`;
}

/** Rows of a file that could not be read: told until a person has closed it. */
function tellRejects({ rejected = 0, rejects }: Told): void {
  const text = `${counted(rejected, 'row')} could not be read, and ${rejected === 1 ? 'is' : 'are'} not suppressed.`;
  const more = (rejects ?? []).map(({ row, reason }) => `Line ${row}: ${reason}`).join('; ');
  if (rejected > 0) showToast({ kind: 'failed', text, more });
}

export const sources = [
  { value: 'opt-out', label: 'asked on a call' },
  { value: 'manual', label: 'by hand' },
  { value: 'import', label: 'imported' },
  { value: 'api', label: 'through the API' },
] as const;

/** A phone may be on the list for several campaigns. */
export const keyOf = ({ phone, campaign }: Suppression) => `${phone} ${campaign ?? ''}`;

export type Listed = Suppression & { id: string };

/** Why, in words. What a person asked for on a call says it all; what was made by hand may hold in one campaign only. */
export const whyText = ({ campaign, reason, source }: Suppression) =>
  reason?.startsWith('asked on a call')
    ? reason
    : [campaign && `only in ${campaign}`, reason, sources.find(({ value }) => value === source)?.label]
        .filter(Boolean)
        .join(' · ');

/** Who asked on a call is told with the campaign, and where that call can be heard. */
function Asked({ of: row }: { of: Listed }) {
  const [, name] = /^asked on a call of (.+)$/.exec(row.reason ?? '') ?? [];
  if (!name) return <By of={row} />;
  return (
    <span className="text-quiet">
      asked on a call of <NameLink of="campaigns" name={name} className="text-text hover:underline" />
      <Link to={personAddress(row)} className="link ml-4">
        The call
      </Link>
    </span>
  );
}

/** Who did it by hand: the activity was written right after it. */
function By({ of: row }: { of: Suppression }) {
  const enabled = useMay('operate');
  const done = useAsk('GET /api/activity', { verb: 'suppression.add', limit: 500 }, { enabled }).data?.items;
  const late = (at: string) => Date.parse(at) - Date.parse(row.created_at);
  const entry = done?.findLast(({ at }) => late(at) >= 0 && late(at) < 10_000);
  return whyText(row) + (row.source === 'manual' && entry ? `, ${whoText(entry).replace(/^T/, 't')}` : '');
}

/** The button of a row shows under the pointer and the focus. */
export const columns: readonly Column<Listed>[] = [
  left('phone', 'Phone', { main: true }, (row) => (
    <Link to={personAddress(row)} className="font-medium hover:underline">
      <Phone phone={row.phone} />
    </Link>
  )),
  left('who', 'Who', { from: 'sm', has: ({ name }) => name !== null }, ({ name }) => name),
  left('added', 'Added', { from: 'sm', named: true }, ({ created_at: at }) => <Time at={at} />),
  left('why', 'Reason', { from: 'sm' }, (row) => <Asked of={row} />),
  left('until', 'How long', { from: 'sm', has: ({ until }) => until !== null }, ({ until }) => (
    <HeldUntil at={until} />
  )),
  left('allow', '', { number: true, from: 'lg' }, (row) => (
    <span className="opacity-0 [tr:focus-within_&]:opacity-100 [tr:hover_&]:opacity-100">
      <AllowCalls
        rows={[row]}
        words="Allow calls"
        label={`Allow calls to ${phoneText(row.phone ?? 'it')}`}
        small
      />
    </span>
  )),
];

export const HeldUntil = ({ at }: { at: string | null }) =>
  at === null ? (
    <span className="text-quiet">for ever</span>
  ) : (
    <>
      {Date.parse(at) > Date.now() && 'until '}
      <Until at={at} />
    </>
  );

export function Until({ at }: { at: string }) {
  const isOver = new Date(at).getTime() <= Date.now();
  return (
    <span className={isOver ? 'text-quiet' : undefined}>
      {isOver && 'ended '}
      <Time at={at} />
    </span>
  );
}

/** Takes phones off the list, each for the campaigns that it was on it for. */
type AllowProps = { rows: readonly Suppression[]; words: string; label?: string; small?: boolean };

export function AllowCalls({ rows, ...opener }: AllowProps) {
  const remove = useAct('DELETE /api/suppressions', { quiet: true });
  const act = async () => {
    let removed = 0;
    for (const campaign of new Set(rows.map((row) => row.campaign))) {
      const those = rows.filter((row) => row.campaign === campaign);
      const phones = those.flatMap(({ phone }) => phone ?? []);
      const told = await remove.mutateAsync({ body: { phones, ...(campaign === null ? {} : { campaign }) } });
      removed += told.removed;
    }
    showToast({ kind: 'done', text: `${counted(removed, 'phone is', 'phones are')} off the list.` });
  };
  return (
    <Opens {...opener} may="operate">
      {(close) => (
        <FormDialog
          onClose={close}
          title={`Allow calls to ${rows.length === 1 ? phoneText(rows[0]!.phone ?? '1 phone') : counted(rows.length, 'phone')}?`}
          act={`Allow calls to ${counted(rows.length, 'phone')}`}
          keep="Keep as it is"
          danger
          busy={remove.isPending}
          problem={remove.error}
          onSend={() => void act().then(close, () => undefined)}
        >
          Off the list, {rows.length === 1 ? 'this person' : 'these people'} may be called again by later
          campaigns. Those who were skipped stay skipped.
        </FormDialog>
      )}
    </Opens>
  );
}
