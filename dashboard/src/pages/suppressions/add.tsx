import { type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../api/ask.ts';
import { typeOf } from '../../api/list-type.ts';
import { useAct } from '../../data/queries.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { AreaField, CheckField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { HangUpTold } from '../../kit/hang-up.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { counted } from '../../kit/words.ts';

/** Suppresses phones that are pasted, as many as there are lines; or all numbers of one person. */
type AddPhonesProps = { campaigns: Choices; person?: readonly string[]; onClose(): void };

export function AddPhones({ campaigns, person, onClose }: AddPhonesProps) {
  const suppress = useAct('POST /api/suppressions', {
    quiet: true,
    done: ({ skipped }) =>
      person
        ? `No call to ${person.join(' or ')} begins any more; ${counted(skipped, 'row is', 'rows are')} skipped.`
        : null,
    onDone: () => person && onClose(),
  });
  const form = useForm({ phones: '', until: '', ...scopeFields }, suppress);
  const pasted = form.typed.phones.split(/[\n,;]+/).map((each) => each.trim());
  const phones = person ? [...person] : pasted.filter(Boolean);
  const body = { ...form.given(), phones, hang_up: form.typed.hang_up !== '' };
  if (suppress.data && !person) return <Suppressed told={suppress.data} onClose={onClose} />;
  const whom = person ? '1 person' : counted(phones.length, 'phone');
  return (
    <FormDialog
      title={person ? 'Suppress this person?' : 'Suppress phones'}
      onClose={onClose}
      act={phones.length === 0 ? 'Suppress' : `Suppress ${whom}`}
      danger={person !== undefined}
      onSend={() => suppress.run({ body })}
      isEmpty={phones.length === 0}
      {...form.frame}
    >
      <p className={person ? undefined : 'text-quiet'}>
        {person && `1 person, ${person.join(' and ')}. `}
        It acts at once: when it is done, no call to them begins any more, and rows that wait are skipped.
      </p>
      {!person && (
        <AreaField
          label="Phones"
          help="One a line. With +, or in national form with a country below."
          rows={6}
          {...form.field('phones')}
        />
      )}
      <ScopeFields form={form} campaigns={campaigns} isKnown={person !== undefined}>
        <TextField
          label="Until"
          help="A date, a time or a span such as 30d. Empty: with no end."
          {...form.field('until')}
        />
      </ScopeFields>
    </FormDialog>
  );
}

/** Suppresses every phone of a CSV file or a workbook of any length. */
export function ImportFile({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const send = useAct('POST /api/suppressions/import', { quiet: true });
  const form = useForm({ map: '', sheet: '', ...scopeFields }, send);
  const { hang_up: hangUp, ...typed } = form.typed;
  const query = { ...typed, ...(hangUp ? ({ hang_up: '1' } as const) : {}) };
  if (send.data) return <Suppressed told={send.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Suppress the phones of a file"
      onClose={onClose}
      act="Suppress everyone in it"
      acting="Importing"
      onSend={() => file && send.run({ query, body: file as never, contentType: typeOf(file.name) })}
      isEmpty={file === null}
      {...form.frame}
    >
      <p className="text-quiet">
        A CSV file or an Excel workbook with a header row and a column of phones. Its columns reason, until,
        source and only_campaign are read where it has them, as an export writes them.
      </p>
      <TextField
        label="File"
        type="file"
        accept=".csv,.xlsx,text/csv,text/plain"
        onChange={(event) => setFile(event.target.files?.[0] ?? null)}
      />
      <ScopeFields form={form} campaigns={campaigns} reasonHelp="For rows without one of their own.">
        <TextField
          label="Columns"
          help="Only where they are not found: phone=NUMBER,until=EXPIRES"
          {...form.field('map')}
        />
        <TextField
          label="Sheet"
          help="Of a workbook that has several: the name of one."
          {...form.field('sheet')}
        />
      </ScopeFields>
    </FormDialog>
  );
}

/** Fields about phones to suppress, one by one or by a file: for whom, why, and how they are read. */
const scopeFields = { campaign: '', reason: '', country: '', hang_up: '' };
type Choices = readonly { value: string; label: string }[];

type ScopeFieldsProps = {
  form: Pick<ReturnType<typeof useForm<typeof scopeFields>>, 'field' | 'box'>;
  campaigns: Choices;
  reasonHelp?: string;
  /** A phone that is known has its country. */
  isKnown?: boolean;
  /** The fields that only one of them has. */
  children: ReactNode;
};

function ScopeFields({ form, campaigns, reasonHelp, isKnown, children }: ScopeFieldsProps) {
  const country = form.field('country');
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Scope"
          choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
          {...form.field('campaign')}
        />
        {children}
        <TextField label="Reason" help={reasonHelp} {...form.field('reason')} />
        {!isKnown && (
          <TextField
            label="Country"
            help="Such as US, for phones without +."
            maxLength={2}
            {...country}
            onChange={({ target }) => country.onChange({ target: { value: target.value.toUpperCase() } })}
          />
        )}
      </div>
      <CheckField
        label="Hang up calls in progress with them"
        help="Who is talking now is cut off."
        {...form.box('hang_up')}
      />
    </>
  );
}

/** What came of it: how many, who was known, whose rows and calls ended, and what could not be read. */
type Told = AnswerOf<'POST /api/suppressions'> & Partial<AnswerOf<'POST /api/suppressions/import'>>;

function Suppressed({ told, onClose }: { told: Told; onClose(): void }) {
  const { phones, added, known, skipped, hint, hang_ups: hangUps, rejected = 0 } = told;
  const rejects = told.rejects ?? [];
  return (
    <Dialog open onClose={onClose} title={`${counted(phones, 'phone is', 'phones are')} suppressed`}>
      <p>
        {added} added{known > 0 && `, ${known} already on the list`}.{' '}
        {counted(skipped, 'waiting row was skipped', 'waiting rows were skipped')}. {hint}
      </p>
      {hangUps && <HangUpTold told={hangUps} />}
      {rejected > 0 && (
        <>
          <p className="mt-3 font-medium text-warn">
            {counted(rejected, 'row')} could not be read:{' '}
            {rejected === 1 ? 'its phone is' : 'their phones are'} not suppressed.
          </p>
          <ul className="mt-1 max-h-60 overflow-y-auto text-sm">
            {rejects.map(({ row, reason }) => (
              <li key={row}>
                Line {row}: {reason}
              </li>
            ))}
            {rejected > rejects.length && <li>and {counted(rejected - rejects.length, 'other')}.</li>}
          </ul>
        </>
      )}
    </Dialog>
  );
}
