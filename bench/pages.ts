import { measurePage } from './measure/page.ts';
import { measureInteractions } from './measure/page-interactions.ts';
import { measurePageMemory } from './measure/page-memory.ts';
import { type Bench, whole } from './options.ts';

/** The benchmarks of the page, in Chromium. */
export const pageBenches: Record<string, Bench> = {
  page: {
    about:
      'cost of open tabs for Postgres, and the first paint on a slow processor; Linux with Chromium only',
    options: {
      tabs: ['tabs of one browser, 1 to 50', '20'],
      seconds: ['seconds to watch, with and without them, 5 to 300', '30'],
      rows: ['rows of the campaign, 1000 to 1000000', '20000'],
    },
    run: (values, signal) =>
      measurePage(
        {
          tabs: whole('tabs', values, 1, 50),
          seconds: whole('seconds', values, 5, 300),
          rows: whole('rows', values, 1_000, 1_000_000),
        },
        signal,
      ),
  },
  'page-memory': {
    about: 'memory of the overview and of a campaign while they are open for a day; with Chromium only',
    options: {
      hours: ['hours of the page’s clock, 1 to 24', '8'],
      seconds: ['seconds in which they pass, 60 to 3600', '300'],
      rate: ['requests a second of the campaign that is dialled, 1 to 200', '40'],
    },
    run: (values, signal) =>
      measurePageMemory(
        {
          hours: whole('hours', values, 1, 24),
          seconds: whole('seconds', values, 60, 3_600),
          rate: whole('rate', values, 1, 200),
        },
        signal,
      ),
  },
  'page-interactions': {
    about: 'time from a key or a press to the next frame, on a ledger of a million; with Chromium only',
    options: {
      rows: ['people in the ledger, 100000 to 10000000', '1000000'],
      rounds: ['rounds of an operator’s day, 1 to 100', '10'],
      home: ['keep the ledger in this folder, and use the one that is there (default: a temporary one)', ''],
    },
    run: (values, signal) =>
      measureInteractions(
        {
          rows: whole('rows', values, 100_000, 10_000_000),
          rounds: whole('rounds', values, 1, 100),
          home: String(values.home),
        },
        signal,
      ),
  },
};
