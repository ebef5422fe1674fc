import { createExposition } from './exposition.ts';
import { createSamples } from './samples.ts';

/**
 * The counters of a process, for Prometheus. Each process counts its own work from its start, and the reader adds them
 * up; facts about all of them at once (states of keys, campaigns) are read from the ledger instead. Every label has few
 * values: keys by name, and words of ours.
 */
export type Meters = ReturnType<typeof createMeters>;

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

export function createMeters() {
  const { counter, counted, histogram, gauge, figures, text } = createExposition();
  return {
    counted,
    gauge,
    figures,
    text,
    /** Feeds the series in the ledger, which all processes share. */
    samples: createSamples(),
    requests: counter(
      'carillon_requests_total',
      'Requests to the service by key, operation (create, read, list, update, numbers, agents) and class of the answer; `none` when none was read.',
    ),
    refusals: counter(
      'carillon_refusals_total',
      'Answers with 429 by key and cause: rate, creates (their own limit) or calls (at once).',
    ),
    dialDelay: histogram(
      'carillon_dial_delay_seconds',
      'From the time an attempt was planned to the moment its create left.',
      seconds,
    ),
    pollLateness: histogram(
      'carillon_poll_lateness_seconds',
      'How much later than planned a call was asked for.',
      seconds,
    ),
    resultLag: histogram(
      'carillon_result_lag_seconds',
      'From the end of a call, as the service tells it, to its settlement.',
      seconds,
    ),
    calls: counter('carillon_calls_total', 'Calls that were settled, by key and outcome.'),
    cost: counter(
      'carillon_call_cost_total',
      'Cost of settled calls, in the service’s own unit; costs that come later are added when they come.',
    ),
    unknown: counter(
      'carillon_unknown_total',
      'Attempts that became unknown, by cause: lost, accepted, crashed, stale, twin or mismatch.',
    ),
    webhookTries: counter(
      'carillon_webhook_tries_total',
      'Tries to deliver an event to a webhook, by result: delivered, refused or unreachable.',
    ),
  };
}
