import { z } from 'zod';
import { findPathFault, type OptOutRule } from '../../../voice/opt-out.ts';
import { text } from '../../input.ts';
import { flags, term, wrong } from '../term.ts';

/** How a person gets no more calls. */
export const stop = {
  optOut: term({
    fields: {
      opt_out: text(500).register(flags, {
        flag: '--opt-out <path=value>',
        help: 'suppress people whose call’s record says this, such as structured_data.opt_out=true',
      }),
    },
    read: ({ opt_out }) => readOptOut(opt_out),
    answer: { opt_out: z.string().nullable() },
    show: (optOut) => ({ opt_out: optOut === null ? null : `${optOut.path}=${optOut.value}` }),
    tell: (optOut) => (optOut === null ? null : `no more calls after ${optOut.path}=${optOut.value}`),
  }),

  hangUp: term({
    fields: {
      hang_up: z.boolean().register(flags, {
        flag: '--hang-up',
        help: 'a suppression ends a call in progress too (default: it is followed to its end)',
      }),
    },
    read: ({ hang_up }) => hang_up ?? false,
    answer: { hang_up: z.boolean() },
    show: (hangUp) => ({ hang_up: hangUp }),
    tell: (hangUp) => (hangUp ? 'a suppression hangs up' : null),
  }),
};

function readOptOut(given: string | undefined): OptOutRule | null {
  if (given === undefined) return null;
  const at = given.indexOf('=');
  const [path, value] = [given.slice(0, Math.max(0, at)).trim(), given.slice(at + 1).trim()];
  const form = 'Give a path into the call’s record and its value, for example structured_data.opt_out=true.';
  if (at < 0 || value === '') throw wrong(`The opt-out "${given}" has no value`, form);
  const fault = findPathFault(path);
  if (fault === null) return { path, value };
  throw wrong(`The opt-out’s path "${path}" ${fault}`, form);
}
