import type { BodyOf } from '../../../api/ask.ts';
import type { Campaign } from '../../../api/description.ts';

/** The terms of an order as the form writes them: each as one text, empty where the default holds. */
export type OrderChange = BodyOf<'PATCH /api/campaigns/{id}'>;
export type OrderField = Exclude<keyof OrderChange & keyof Campaign, 'name'>;

type Choice = { value: string; label: string };
export type OrderPart = {
  field: OrderField;
  label: string;
  help: string;
  /** `list`: one or several with commas. `json`: an object. `yes`: a switch. */
  kind: 'text' | 'list' | 'json' | 'retry' | 'yes' | 'choice';
  choices?: readonly Choice[];
};

export const orderGroups: readonly [title: string, parts: readonly OrderPart[]][] = [
  [
    'Who speaks',
    [
      { field: 'agent', kind: 'list', label: 'Agent', help: 'Several share the people: a=70, b=30.' },
      {
        field: 'from',
        kind: 'list',
        label: 'Caller numbers',
        help: 'They take turns. Without one, the service chooses.',
      },
      {
        field: 'number_ids',
        kind: 'list',
        label: 'Caller numbers by id',
        help: 'By their ids at the service.',
      },
      {
        field: 'override',
        kind: 'json',
        label: 'Override',
        help: 'JSON: what each call overrides of its agent’s settings.',
      },
    ],
  ],
  [
    'When',
    [
      {
        field: 'window',
        kind: 'text',
        label: 'Calling window',
        help: 'In each person’s own time: 09:00-20:00, or mon-fri=09:00-20:00,sat=10:00-16:00.',
      },
      { field: 'days', kind: 'text', label: 'Days', help: 'Such as mon-fri. Any day without it.' },
      { field: 'not_on', kind: 'list', label: 'Not on', help: 'Dates, such as 2026-12-24, 2026-12-31.' },
      { field: 'holidays', kind: 'text', label: 'Not on the holidays of', help: 'Countries, such as US.' },
      { field: 'start_at', kind: 'text', label: 'Not before', help: 'A time, such as 2026-12-01T09:00:00Z.' },
      { field: 'end_at', kind: 'text', label: 'Not after', help: 'Who was not called by then is skipped.' },
    ],
  ],
  [
    'How fast',
    [
      { field: 'max_calls', kind: 'text', label: 'Calls at once', help: 'No limit without it.' },
      { field: 'weight', kind: 'text', label: 'Weight', help: 'Its share of the keys, 1 to 100.' },
      {
        field: 'result_delay',
        kind: 'text',
        label: 'Result delay',
        help: 'Results this much later save requests: 3s.',
      },
    ],
  ],
  [
    'Trying again',
    [
      {
        field: 'max_attempts',
        kind: 'text',
        label: 'Attempts per person',
        help: 'A higher number also tries people again who are done.',
      },
      {
        field: 'retry',
        kind: 'retry',
        label: 'After which outcomes',
        help: 'Such as no-answer=30m/2h/1d, busy=10m. Never without it.',
      },
      {
        field: 'retry_when',
        kind: 'choice',
        label: 'At what time of the day',
        help: 'Spread: in another part of the person’s day.',
        choices: [
          { value: 'same', label: 'same' },
          { value: 'spread', label: 'spread' },
        ],
      },
      {
        field: 'retry_first',
        kind: 'yes',
        label: 'They go before people who were never called',
        help: 'Otherwise they take turns.',
      },
      {
        field: 'on_unknown',
        kind: 'choice',
        label: 'When a call is unknown',
        help: 'Redial may call someone twice.',
        choices: [
          { value: 'hold', label: 'hold it for a person' },
          { value: 'redial', label: 'redial once' },
        ],
      },
    ],
  ],
  [
    'When to stop',
    [
      {
        field: 'first',
        kind: 'text',
        label: 'First people',
        help: 'Calls so many, then pauses for you to judge.',
      },
      {
        field: 'stop_at',
        kind: 'text',
        label: 'Stop at',
        help: 'Pauses when this share of the calls failed: 50%/2m.',
      },
      {
        field: 'opt_out',
        kind: 'text',
        label: 'Opt-out',
        help: 'What a record says of someone who wants no more calls: structured_data.opt_out=true.',
      },
      {
        field: 'hang_up',
        kind: 'yes',
        label: 'A suppression ends a call in progress too',
        help: 'Otherwise it is followed to its end.',
      },
      {
        field: 'evergreen',
        kind: 'yes',
        label: 'Evergreen',
        help: 'When it is done, it continues as soon as people are added.',
      },
    ],
  ],
];

export const orderParts: readonly OrderPart[] = orderGroups.flatMap(([, parts]) => parts);

/** As it stands in the form. */
export function textOf({ field, kind }: OrderPart, campaign: Campaign): string {
  const value: unknown = campaign[field];
  if (value === null || value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'yes') return value === true ? 'yes' : '';
  if (kind === 'retry')
    return Object.entries(value)
      .map(([outcome, wait]) => `${outcome}=${wait}`)
      .join(', ');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** As the API takes it: null restores the default. Throws where JSON cannot be read. */
export function readText({ field, kind }: OrderPart, text: string): unknown {
  const typed = text.trim();
  if (kind === 'yes') return typed === 'yes';
  if (kind === 'json') return typed === '' ? null : JSON.parse(typed);
  if (kind === 'list') {
    const several = typed.split(/[,\n]/).map((each) => each.trim());
    const given = several.filter((each) => each !== '');
    return given.length === 0 && field !== 'agent' ? null : given;
  }
  if (kind === 'retry') return typed === '' ? null : typed.replaceAll(/\s/g, '');
  return typed === '' ? null : typed;
}
