import { join } from 'node:path';
import { measureLimits } from './measure/limits/measure.ts';
import { measureMoving, type RetryAfter } from './measure/limits/moving.ts';
import { measurePace } from './measure/limits/real.ts';
import { measureChanges } from './measure/worlds/changes.ts';
import { lessons } from './measure/worlds/lessons.ts';
import { measureWorlds } from './measure/worlds/measure.ts';
import { drawPictures } from './measure/worlds/picture.ts';
import { type Bench, Usage, whole } from './options.ts';
import { results, root } from './support/stage.ts';

/** The benchmarks of unpublished limits. */
const pictures = join(root, 'docs', 'internals', 'pictures', 'limits');

export const limitBenches: Record<string, Bench> = {
  worlds: {
    about: 'a thousand services with limits of every kind, drawn by seed: used and refused; virtual time',
    options: {
      worlds: ['how many, 1 to 100000', '1000'],
      from: ['the first seed, 1 to 1000000', '1'],
      kinds: [
        'only worlds whose name has one of these words, comma-separated; plain: with one difficulty',
        '',
      ],
      minutes: ['minutes of each, 2 to 600; changes are drawn for the first 30', '30'],
      finer: ['print finer groups too', false],
      peers: ['play the peers in the same worlds too', false],
      trace: ['print one world’s course from one second to another, as 0-600; with --worlds 1', ''],
      picture: ['only draw one world: its seed, a name, or all for those of the docs', ''],
    },
    run: (values, signal) => {
      const minutes = whole('minutes', values, 2, 600);
      if (values.picture !== '') return drawPictures(pictureOf(values.picture), minutes, pictures);
      const worlds = whole('worlds', values, 1, 100_000);
      const trace = traceOf(values.trace);
      if (trace && worlds > 1)
        throw new Usage('--trace shows one world: add --worlds 1, and --from with its seed.');
      return measureWorlds(
        {
          worlds,
          from: whole('from', values, 1, 1_000_000),
          kinds: String(values.kinds)
            .split(',')
            .filter((word) => word !== ''),
          minutes,
          finer: values.finer === true,
          peers: values.peers === true,
          trace,
          folder: results,
        },
        signal,
      );
    },
  },
  changes: {
    about:
      'named services whose limit falls and rises, caps of calls, and other clients of a key; virtual time',
    options: {
      seeds: ['runs of each, 1 to 100', '20'],
      only: ['only worlds whose name contains this', ''],
    },
    run: (values, signal) =>
      measureChanges(
        { seeds: whole('seeds', values, 1, 100), only: String(values.only), folder: results },
        signal,
      ),
  },
  limits: {
    about: 'share of an unpublished limit used and share of requests refused, against peers; virtual time',
    options: {
      seeds: ['runs of each, 1 to 50', '5'],
      real: [
        'run the whole program over HTTP against the simulated service instead (about 12 minutes)',
        false,
      ],
    },
    run: (values, signal) =>
      values.real === true
        ? measurePace(signal)
        : measureLimits({ seeds: whole('seeds', values, 1, 50), folder: results }, signal),
  },
  'limits-real': {
    about:
      'the whole program against an independent service in Python whose unknown limit changes (37 minutes a run)',
    options: {
      runs: ['runs of each world, 1 to 20', '3'],
      only: ['only worlds whose name contains this', ''],
      jitter: ['milliseconds by which requests may arrive late, 0 to 1000', '10'],
      speed: ['how much shorter calls are than real ones, 1 to 100', '10'],
      'retry-after': ['what a refusal says: none, seconds or date', 'none'],
      trace: ['write what the governor believed to bench/results/traces', false],
    },
    run: (values, signal) =>
      measureMoving(
        {
          runs: whole('runs', values, 1, 20),
          only: String(values.only),
          jitter: whole('jitter', values, 0, 1_000),
          speed: whole('speed', values, 1, 100),
          retryAfter: retryAfterOf(values['retry-after']),
          trace: values.trace === true ? join(results, 'traces') : null,
        },
        signal,
      ),
  },
};

function retryAfterOf(how: unknown): RetryAfter {
  if (how === 'none' || how === 'seconds' || how === 'date') return how;
  throw new Usage(`--retry-after must be none, seconds or date, not ${how}.`);
}

function traceOf(span: unknown): { from: number; until: number } | null {
  if (span === '') return null;
  const [from, until, ...rest] = String(span).split('-').map(Number);
  if (Number.isFinite(from) && Number.isFinite(until) && rest.length === 0)
    return { from: from!, until: until! };
  throw new Usage(`--trace must be two seconds, as 0-600, not ${span}.`);
}

function pictureOf(name: unknown): string | number {
  const which = String(name);
  if (which === 'all' || which in lessons) return which;
  const seed = Number(which);
  if (Number.isInteger(seed) && seed > 0) return seed;
  throw new Usage(
    `--picture must be a seed, all, or one of ${Object.keys(lessons).join(', ')}; not ${which}.`,
  );
}
