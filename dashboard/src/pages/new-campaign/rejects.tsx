import type { ImportPreview } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { count } from '../../kit/words.ts';

/** The rows that would be rejected, by line, so that the file can be put right. */
export function Rejects({ answer }: { answer: Pick<ImportPreview, 'rejects' | 'rejected' | 'columns'> }) {
  const { rejected, columns } = answer;
  const rejects = answer.rejects ?? [];
  if (rejects.length === 0) return null;
  return (
    <Section id="rejects" title="Rows that would be rejected">
      {rejected > rejects.length && (
        <p className="mb-2 text-sm text-quiet">
          The first {count(rejects.length)} of {count(rejected)}. All of them can be read in the draft.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls is reached with the keyboard too. */}
      <section tabIndex={0} aria-label="Rejected rows" className="max-h-80 overflow-auto">
        <table className="w-full text-left text-sm">
          <thead>
            <tr className="border-b border-line text-xs text-quiet">
              <th className="w-16 py-1.5 pr-4 text-right font-medium">{columns ? 'Line' : 'Place'}</th>
              <th className="py-1.5 font-medium">Why</th>
            </tr>
          </thead>
          <tbody>
            {rejects.map(({ row, reason }) => (
              <tr key={row} className="border-b border-line last:border-0">
                <td className="number py-1.5 pr-4 text-quiet">{row}</td>
                <td className="py-1.5">{plain(reason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

/** The country is a field above, not an option of a command. */
const plain = (reason: string) => reason.replace(/ \(--country[^)]*\)/, '');
