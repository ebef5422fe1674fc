import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { clientTypes } from '../scripts/client-types.ts';
import { referencePages } from '../scripts/reference.ts';
import { schemaOf } from '../src/api/describe/schema.ts';
import { addOrderFlags, orderOf } from '../src/cli/flags.ts';
import { campaignInput } from '../src/control/campaigns/create.ts';
import {
  changeOrder,
  describeOrder,
  isSameOrder,
  type OrderChange,
  type OrderInput,
  orderAnswer,
  readOrder,
  showOrder,
} from '../src/control/order/order.ts';

/** An option of a campaign is one term: these two are added to the list, and nothing else knows of them. */
vi.mock('../src/control/order/terms/pace.ts', async (original) => {
  const { flags, numeral, readNumber, term } = await import('../src/control/order/term.ts');
  const { z } = await import('zod');
  return {
    pace: {
      ...(await original<{ pace: object }>()).pace,
      slowStart: term({
        fields: {
          slow_start: z.boolean().register(flags, {
            flag: '--slow-start',
            help: 'begin with few calls',
            form: { label: 'Begin with few calls', help: 'Else it begins at full pace.' },
          }),
        },
        read: ({ slow_start }) => slow_start ?? false,
        answer: { slow_start: z.boolean() },
        show: (slow) => ({ slow_start: slow }),
        tell: (slow) => (slow ? 'few calls at first' : null),
      }),
      mostMinutes: term({
        fields: {
          most_minutes: numeral().register(flags, {
            flag: '--most-minutes <n>',
            help: 'minutes of calls in all (default: no limit)',
            form: { label: 'Minutes in all' },
          }),
        },
        read: ({ most_minutes }) => readNumber('number of minutes', most_minutes, 9_999),
        answer: { most_minutes: z.int().nullable() },
        show: (minutes) => ({ most_minutes: minutes }),
        tell: (minutes) => (minutes === null ? null : `at most ${minutes} minutes in all`),
      }),
    },
  };
});
vi.mock('../dashboard/src/api/order-form.ts', async () => ({
  orderForm: (await import('../src/control/order/order.ts')).orderForm(),
}));

/** By name only: its types would declare the elements of a browser for every test. */
const react = ['react', 'react-dom/server'];

const given = { agent: 'a', slow_start: true, most_minutes: 90 } as OrderInput;

describe('a new option is a term', () => {
  it('that the command line takes', () => {
    const command = addOrderFlags(new Command());
    const help = command.helpInformation();
    expect(help).toContain('--slow-start');
    expect(help).toContain('minutes of calls in all (default: no limit)');
    command.parse(['--agent', 'a', '--slow-start', '--most-minutes', '90'], { from: 'user' });
    expect(orderOf(command.opts())).toMatchObject({ slow_start: true, most_minutes: '90' });
  });

  it('that the API takes and answers', () => {
    const body = schemaOf(campaignInput, 'input', new Map());
    expect(body.properties).toMatchObject({
      slow_start: { type: 'boolean', description: 'begin with few calls' },
      most_minutes: { description: 'minutes of calls in all (default: no limit)' },
    });
    const answer = schemaOf(z.object(orderAnswer), 'output', new Map());
    expect(answer.properties).toMatchObject({ slow_start: { type: 'boolean' } });
    expect(answer.required).toContain('most_minutes');
  });

  it('that is kept, changed, compared and told', () => {
    const order = readOrder(given);
    expect(order).toMatchObject({ slowStart: true, mostMinutes: 90 });
    expect(showOrder(order)).toMatchObject({ slow_start: true, most_minutes: 90 });
    const changed = changeOrder(order, { most_minutes: null } as OrderChange);
    expect(showOrder(changed)).toMatchObject({ slow_start: true, most_minutes: null });
    expect(isSameOrder(order, changed)).toBe(false);
    expect(describeOrder(order)).toEqual(
      expect.arrayContaining(['few calls at first', 'at most 90 minutes in all']),
    );
    expect(() => readOrder({ ...given, most_minutes: 'long' } as OrderInput)).toThrow('number of minutes');
  });

  it('that an order from before the option has with its default', () => {
    const {
      slowStart: _,
      mostMinutes: __,
      ...older
    } = readOrder({ agent: 'a' } as OrderInput) as never as Record<string, unknown>;
    const kept = older as unknown as ReturnType<typeof readOrder>;
    expect(isSameOrder(kept, readOrder({ agent: 'a' } as OrderInput))).toBe(true);
    expect(isSameOrder(kept, readOrder({ agent: 'a', slow_start: true } as OrderInput))).toBe(false);
    expect(showOrder(kept)).toMatchObject({ slow_start: false, most_minutes: null });
    expect(describeOrder(kept).join()).not.toContain('minutes in all');
  });

  it('that the reference, the types of the client and the form of the page have', async () => {
    const pages = await referencePages();
    expect(pages.get('docs/reference/cli.md')).toContain('- `--slow-start`: begin with few calls');
    expect(pages.get('docs/reference/openapi.json')).toContain('"most_minutes"');
    expect(clientTypes(JSON.parse(pages.get('docs/reference/openapi.json')!))).toContain(
      'slow_start?: boolean',
    );
    expect(pages.get('dashboard/src/api/order-form.ts')).toContain('"label":"Begin with few calls"');
  });

  it('that the page asks for, sends, changes and finds again', async () => {
    // The draft is kept in a browser.
    vi.stubGlobal('window', { addEventListener() {} });
    const page = '../dashboard/src';
    const draft = await import(`${page}/pages/new-campaign/draft.ts`);
    const order = await import(`${page}/pages/new-campaign/order.ts`);
    const { stepOf } = await import(`${page}/pages/new-campaign/steps.ts`);
    const { LimitsStep } = await import(`${page}/pages/new-campaign/order-steps.tsx`);
    draft.change({ slow_start: 'yes', most_minutes: ' 90 ' });
    expect(order.orderOf(draft.draftNow())).toMatchObject({ slow_start: true, most_minutes: '90' });
    expect(stepOf(['most_minutes'])).toBe('limits');
    const [{ createElement }, { renderToStaticMarkup }] = await Promise.all(
      react.map((name) => import(name)),
    );
    const form = renderToStaticMarkup(createElement(LimitsStep, { draft: draft.draftNow() }));
    for (const said of ['Begin with few calls', 'Else it begins at full pace.', 'Minutes in all', 'no limit'])
      expect(form).toContain(said);

    const { orderFields, readText, textOf } = await import(`${page}/order/fields.ts`);
    const field = orderFields.find(({ name }: { name: string }) => name === 'slow_start');
    expect([textOf(field, { slow_start: true }), readText(field, 'yes'), readText(field, '')]).toEqual([
      'yes',
      true,
      null,
    ]);
  });
});

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = ['src/client/description.ts', 'dashboard/src/api/order-form.ts', 'src/ledger/rows.ts'];

function written(folder: string): string[] {
  return readdirSync(join(root, folder))
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(join(root, path)).isDirectory() ? written(path) : [path]))
    .filter((path) => !path.endsWith('.md') && !generated.includes(path));
}

describe('an option that one rule reads', () => {
  const folders = ['bench', 'dashboard/src', 'examples', 'ops', 'scripts', 'simulator', 'src', 'workers'];
  const files = folders
    .flatMap(written)
    .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);

  // Others have a word that means more than the option, such as `weight`, or a rule with many places, such as `opt_out`.
  it.each([
    ['retry_first', /\b(?:retry_first|retryFirst|--retry-first)\b/],
    ['stop_at', /\b(?:stop_at|stopAt|--stop-at)\b/],
  ])('%s stands in at most five files that a person writes', (_, names) => {
    const found = files.filter(([, text]) => names.test(text)).map(([path]) => path);
    expect(found).toContain('src/rules/order.ts');
    expect(found.length, found.join(' ')).toBeLessThanOrEqual(5);
  });
});
