import { z } from 'zod';
import { readAmount } from '../../../base/config/max-cost.ts';
import { onUnknowns, type StopAt } from '../../../rules/order.ts';
import { quote } from '../../../rules/phone/phone-text.ts';
import { findPathFault, type OptOutRule } from '../../../voice/opt-out.ts';
import { text } from '../../requests/input.ts';
import { choice, field, limit, numeral, toggle, wrong } from '../term.ts';
import { readSpan, shortSpan } from './retry-text.ts';

/** The terms that stop a campaign, or the calls to a person, and when a campaign that is done continues. */
const leastSeconds = 10;
const mostSeconds = 3_600;

export const brakes = {
  first: limit('first', {
    flag: '--first <n>',
    help: 'call this many people, then pause until the campaign is resumed (default: call everyone)',
    form: {
      label: 'Pause after the first people',
      help: 'It calls this many, then waits for you to resume it.',
    },
    what: 'number of people to call first',
    most: 10_000,
    tell: (first) =>
      first === null ? null : `the first ${first === 1 ? 'person' : `${first} people`}, then a pause`,
  }),

  stopAt: field('stop_at', text(40), {
    flag: '--stop-at <share>',
    help: 'pause when too many calls fail: 50%/2m means half of the calls of the last 2 minutes (default: never)',
    form: {
      label: 'Pause when calls fail',
      help: '50%/2m means half of the calls of the last 2 minutes.',
    },
    read: (stop_at) => readStopAt(stop_at),
    answer: z.string().nullable(),
    show: (stopAt) => stopAt && `${stopAt.percent}%/${shortSpan(stopAt.seconds)}`,
    tell: (stopAt) =>
      stopAt && `a pause when ${stopAt.percent}% of the calls in ${shortSpan(stopAt.seconds)} failed`,
  }),

  maxCost: field('max_cost', numeral(), {
    flag: '--max-cost <n>',
    help: 'make no call that would take the campaign’s cost past this, in the service’s currency (default: no limit)',
    form: {
      label: 'Most that its calls may cost',
      help: 'In the service’s currency. Each call in progress counts as the dearest so far.',
    },
    read: (max_cost) => readMaxCost(max_cost),
    answer: z.number().nullable(),
    tell: (maxCost) => (maxCost === null ? null : `calls for ${maxCost} at most`),
  }),

  optOut: field('opt_out', text(500), {
    flag: '--opt-out <path=value>',
    help: 'suppress people whose call’s record says this, such as structured_data.opt_out=true',
    form: {
      label: 'Opt-out',
      help: 'The value in a call’s record that says that a person wants no more calls, such as structured_data.opt_out=true.',
    },
    read: (opt_out) => readOptOut(opt_out),
    answer: z.string().nullable(),
    show: (optOut) => (optOut === null ? null : `${optOut.path}=${optOut.value}`),
    tell: (optOut) => (optOut === null ? null : `no more calls after ${optOut.path}=${optOut.value}`),
  }),

  callbackAt: field('callback_at', text(200), {
    flag: '--callback-at <path>',
    help: 'call people back at the time that their call’s record says here, such as structured_data.callback_at',
    form: {
      label: 'Callback',
      help: 'The value in a call’s record that says when a person wants to be called back, such as structured_data.callback_at.',
    },
    read: (callback_at) => readCallbackPath(callback_at),
    answer: z.string().nullable(),
    tell: (callbackAt) => callbackAt && `a call back at the time in ${callbackAt}`,
  }),

  onUnknown: choice('on_unknown', onUnknowns, {
    flag: '--on-unknown <what>',
    help: 'what to do when a call’s outcome is unknown: hold, or redial once (may call twice) (default: hold)',
    form: {
      label: 'When nobody can tell whether a call was made',
      choices: { hold: 'Hold it for a person', redial: 'Call again once (may call twice)' },
    },
    what: 'rule for unknown attempts',
    remedy: 'Give hold (a person decides) or redial (call again once, at the risk of a second call).',
    tell: (onUnknown) => (onUnknown === 'redial' ? 'unknown calls are redialled once' : null),
  }),

  evergreen: toggle('evergreen', {
    flag: '--evergreen',
    help: 'when the campaign is done, continue by itself as soon as people are added (default: wait to be started)',
    form: {
      label: 'Continue by itself when people are added later',
      help: 'Otherwise a campaign that is done waits to be started.',
    },
    tell: (evergreen) => (evergreen ? 'people added later are called too' : null),
  }),

  hangUp: toggle('hang_up', {
    flag: '--hang-up',
    help: 'a suppression ends a call in progress too (default: it is followed to its end)',
    form: {
      label: 'A suppression ends a call in progress too',
      help: 'Otherwise the call is followed to its end.',
    },
    tell: (hangUp) => (hangUp ? 'a suppression hangs up' : null),
  }),
};

function readStopAt(given: string | undefined): StopAt | null {
  if (given === undefined) return null;
  const [, share, time] = /^(\d{1,3}(?:\.\d{1,2})?)\s*%\s*\/(.*)$/.exec(given.trim()) ?? [];
  const percent = Number(share);
  const seconds = readSpan(time ?? '');
  const isTime = seconds !== null && seconds >= leastSeconds && seconds <= mostSeconds;
  if (percent > 0 && percent <= 100 && isTime) return { percent, seconds };
  throw wrong(
    `The share of failed calls at which to stop is not valid: ${quote(given)}`,
    'Give a share above 0% and up to 100%, and a time of 10s to 1h, for example 50%/2m.',
  );
}

function readMaxCost(given: string | number | undefined): number | null {
  if (given === undefined) return null;
  const amount = readAmount(String(given));
  if (amount !== null) return amount;
  throw wrong(
    `The most that the calls may cost is not valid: ${quote(String(given))}`,
    'Give an amount above 0, up to 1000000000, in the service’s currency, without its sign, for example 25 or 12.50.',
  );
}

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

function readCallbackPath(given: string | undefined): string | null {
  if (given === undefined) return null;
  const path = given.trim();
  const example = 'structured_data.callback_at';
  const fault = findPathFault(path, example);
  if (fault === null) return path;
  throw wrong(
    `The callback’s path "${path}" ${fault}`,
    `Give the path of the time in the call’s record, for example ${example}.`,
  );
}
