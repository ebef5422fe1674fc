import { useAct } from '../../data/queries.ts';
import { AreaField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { counted } from '../../kit/words.ts';
import { type Choices, ScopeFields, scopeFields } from './scope-fields.tsx';
import { Suppressed } from './suppressed.tsx';

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
