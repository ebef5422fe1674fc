import { alertKinds } from '../../api/alert-kinds.ts';
import type { Alert } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Findings } from '../../kit/findings.tsx';
import { Ago, Since } from '../../kit/time.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { placeOfAlert } from '../activity/places.ts';

/** What is on now with what to do, and every kind of alert by what it is about, as far as the activity tells of it. */
type Code = Alert['code'];

export const isCritical = ({ severity }: Pick<Alert, 'severity'>) => severity === 'critical';
const gravestFirst = (a: Pick<Alert, 'severity'>, b: Pick<Alert, 'severity'>) =>
  Number(isCritical(b)) - Number(isCritical(a));

export function OnNow({ raised, here }: { raised: readonly Alert[]; here?: string }) {
  const items = [...raised].sort(gravestFirst).map((alert) => {
    const { title, message, remedy, since } = alert;
    const place = placeOfAlert(alert);
    return {
      what: title,
      state: isCritical(alert) ? ('fail' as const) : ('warn' as const),
      label: <Since at={since} />,
      detail: `${message}.`,
      remedy,
      act: place && place.to !== here && <PageLink to={place.to}>{place.words}</PageLink>,
    };
  });
  return (
    <Section id="now" title="On now">
      <Findings items={items} />
    </Section>
  );
}

/** The gravest first. */
const groups: readonly (readonly [title: string, codes: readonly Code[]])[] = [
  ['Calls and lists', ['unknown-rising', 'import-failed', 'bulk-failed']],
  ['Keys and caller numbers', ['key-denied', 'key-failing', 'number-resting']],
  ['Money', ['key-out-of-credit', 'budget-near']],
  ['Messages to others', ['alerts-unsent', 'webhook-down']],
  ['Processes and machines', ['history-lost', 'loop-stuck', 'policy-differs', 'keys-differ', 'clock-off']],
];
const told = new Set(groups.flatMap(([, codes]) => codes));
const others = (Object.keys(alertKinds) as Code[]).filter((code) => !told.has(code));

export function WhatIsWatched({ raised }: { raised: readonly Alert[] }) {
  const query = { verb: 'alert.raise', limit: 200 };
  const past = useAsk('GET /api/activity', { query }, { on: ['alert.'] }).data?.items ?? [];
  const group = (title: string, codes: readonly Code[]) => (
    <div key={title} className="mb-4 break-inside-avoid">
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      <ul>
        {codes.map((code) => {
          const { title: words, when, severity } = alertKinds[code];
          const stops = isCritical({ severity }) && !/dial|called/.test(words);
          const notes = [when, stops && 'stops calls'].filter(Boolean);
          const last = past.find(({ after }) => after?.code === code)?.at;
          return (
            <li
              key={code}
              className="flex items-baseline justify-between gap-4 border-t border-line py-1 text-sm"
            >
              <span>
                {words}
                {notes.length > 0 && <span className="text-quiet">, {notes.join(', ')}</span>}
              </span>
              <span className="shrink-0 text-quiet">
                {raised.some((alert) => alert.code === code) ? (
                  <Badge state={severity} label="on now" />
                ) : (
                  last && (
                    <>
                      last <Ago at={last} />
                    </>
                  )
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
  return (
    <Section id="watched" title="What is watched" note="every ten seconds, whoever is told">
      <div className="gap-x-10 lg:columns-2">
        {groups.map(([title, codes], nth) =>
          // What no group names is of machines.
          group(title, nth === groups.length - 1 ? [...codes, ...others] : codes),
        )}
      </div>
    </Section>
  );
}
