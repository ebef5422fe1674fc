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
const stepOfField: Readonly<Record<string, Step>> = {
  ...Object.fromEntries(
    orderGroups.flatMap(({ name, fields }) =>
      fields.map((field) => [field.name, groupSteps[name] ?? 'limits'] as const),
    ),
  ),
  ...{ file: 'people', country: 'people', phone: 'people', map: 'people', state: 'people', name: 'calls' },
};

export const fieldsOf = (of: readonly Step[]) =>
  Object.keys(stepOfField).filter((field) => of.includes(stepOfField[field]!));

/** The first step with a field that was refused; null when none of them asks for it. */
export const stepOf = (paths: readonly string[]): Step | null =>
  steps.find((step) => paths.some((path) => stepOfField[fieldOf(path)] === step)) ?? null;

/** `retry.busy` is shown at `retry`. */
export const fieldOf = (path: string) => path.split('.')[0]!;

export const faultsIn = (step: Step, faults: Readonly<Record<string, string>>): string[] =>
  Object.keys(faults).filter((field) => stepOfField[field] === step);
