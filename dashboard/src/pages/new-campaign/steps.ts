import { type OrderGroup, orderGroups } from '../../order/fields.ts';
import { type Step, steps } from './step-names.ts';

/** Which fields are asked in which step. */
export const titles: Record<Step, string> = {
  people: 'People',
  calls: 'Calls',
  hours: 'Hours',
  limits: 'Retries and limits',
  check: 'Check and start',
};

const groupSteps: Partial<Record<OrderGroup, Step>> = { who: 'calls', when: 'hours' };
const ownFields: Partial<Record<Step, readonly string[]>> = {
  people: ['file', 'country', 'phone', 'map', 'state'],
  calls: ['name'],
};

export const groupsIn = (step: Step) =>
  orderGroups.filter(({ name }) => (groupSteps[name] ?? 'limits') === step);

const fieldsIn = (step: Step): readonly string[] => [
  ...(ownFields[step] ?? []),
  ...groupsIn(step).flatMap(({ fields }) => fields.map(({ name }) => name)),
];

/** The first step with a field that was refused; null when none of them asks for it. */
export function stepOf(paths: readonly string[]): Step | null {
  const names = paths.map(fieldOf);
  return steps.find((step) => fieldsIn(step).some((field) => names.includes(field))) ?? null;
}

export const fieldsOf = (of: readonly Step[]) => of.flatMap(fieldsIn);

/** `retry.busy` is shown at `retry`. */
export const fieldOf = (path: string) => path.split('.')[0]!;

export const faultsIn = (step: Step, faults: Readonly<Record<string, string>>): string[] =>
  fieldsIn(step).filter((field) => faults[field] !== undefined);
