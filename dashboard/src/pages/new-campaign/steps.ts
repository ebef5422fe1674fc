/** The steps of the path, and which fields of an order are asked in which of them. */
export const steps = ['people', 'calls', 'hours', 'limits', 'check'] as const;
export type Step = (typeof steps)[number];

export const isStep = (given: unknown): given is Step => steps.includes(given as Step);

export const titles: Record<Step, string> = {
  people: 'People',
  calls: 'Calls',
  hours: 'Hours',
  limits: 'Retries and limits',
  check: 'Check and start',
};

const fields: Record<Step, readonly string[]> = {
  people: ['file', 'country', 'phone', 'map', 'state'],
  calls: ['name', 'agent', 'from', 'number_ids', 'override'],
  hours: ['window', 'days', 'not_on', 'holidays', 'timezone', 'start_at', 'end_at'],
  limits: [
    'max_attempts',
    'retry',
    'retry_when',
    'retry_first',
    'max_calls',
    'weight',
    'stop_at',
    'first',
    'evergreen',
    'on_unknown',
    'opt_out',
    'hang_up',
    'result_delay',
  ],
  check: [],
};

/** The first step with a field that was refused; null when none of them asks for it. */
export function stepOf(paths: readonly string[]): Step | null {
  const names = paths.map(fieldOf);
  return steps.find((step) => fields[step].some((field) => names.includes(field))) ?? null;
}

export const fieldsOf = (of: readonly Step[]) => of.flatMap((step) => fields[step]);

/** `retry.busy` is shown at `retry`. */
export const fieldOf = (path: string) => path.split('.')[0]!;

export function faultsIn(step: Step, faults: Readonly<Record<string, string>>): string[] {
  return fields[step].filter((field) => faults[field] !== undefined);
}
