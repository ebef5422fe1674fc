import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addOrderFlags, orderOf } from '../../src/cli/flags.ts';
import { orderFields } from '../../src/control/order/order.ts';

describe('the flags of an order', () => {
  it('are its fields: each field has a flag of the same name', () => {
    const names = addOrderFlags(new Command()).options.map((option) => option.long);
    // A number's id is given once a flag, and as a list in a body.
    const wanted = Object.keys(orderFields).map(
      (name) => `--${name.replace(/ids$/, 'id').replaceAll('_', '-')}`,
    );
    expect(names).toEqual(wanted);
  });

  it('are read into the fields', () => {
    const command = addOrderFlags(new Command());
    command.parse(
      [
        '--agent',
        'a',
        '--from',
        '+1',
        '--from',
        '+2',
        '--number-id',
        'n',
        '--max-calls',
        '3',
        '--result-delay',
        '2s',
      ],
      { from: 'user' },
    );
    expect(orderOf(command.opts())).toEqual({
      agent: ['a'],
      from: ['+1', '+2'],
      number_ids: ['n'],
      max_calls: '3',
      result_delay: '2s',
    });
  });
});
