import type { OneKey } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { durationText, useNow } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** How deep the key's two queues are, and how long the first job waits. */
const queues = [
  ['dial', 'Calls to make'],
  ['track', 'Calls to follow'],
] as const;

export function Queues({ of: { name, queues: depths } }: { of: OneKey }) {
  const now = useNow();
  const ageOf = (at: string | null) => (at === null ? '–' : durationText(Math.max(0, now - Date.parse(at))));
  return (
    <Section
      id="queues"
      title="Queues"
      acts={<PageLink to={`/jobs?key=${encodeURIComponent(name)}`}>Jobs</PageLink>}
    >
      {depths === null ? (
        <p className="text-quiet">
          The queue cannot be reached, or VOICE_API_KEYS does not have the key. The page Health says which.
        </p>
      ) : (
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-b border-line text-xs text-quiet">
              <th scope="col" className="py-1 pr-2 text-left font-medium">
                Queue
              </th>
              {['Waiting', 'Delayed', 'Active', 'Oldest'].map((head) => (
                <th key={head} scope="col" className="px-2 py-1 text-right font-medium">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.map(([kind, label]) => (
              <tr key={kind} className="border-b border-line last:border-0">
                <th scope="row" className="py-1.5 pr-2 text-left font-normal">
                  {label}
                </th>
                <td className="number px-2">{count(depths[kind].waiting)}</td>
                <td className="number px-2">{count(depths[kind].delayed)}</td>
                <td className="number px-2">{count(depths[kind].active)}</td>
                <td className="number pl-2">{ageOf(depths[kind].oldest_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
