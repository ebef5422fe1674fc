import type { Campaign } from '../../../api/description.ts';
import { Section } from '../../../kit/card.tsx';
import { Ago, Time } from '../../../kit/time.tsx';
import { type WaitReason, waitWords } from '../../../kit/waits.ts';
import { count } from '../../../kit/words.ts';

/** Why people wait, the most first, and when the first of them stops waiting. */
export function Waits({ campaign: { waits } }: { campaign: Campaign }) {
  const reasons = Object.entries(waits).sort(([, a], [, b]) => b.n - a.n);
  return (
    <Section id="waits" title="Why people wait">
      {reasons.length === 0 ? (
        <p className="text-quiet">Nobody waits.</p>
      ) : (
        <table className="w-full text-sm">
          <caption className="sr-only">Waiting people by reason</caption>
          <thead>
            <tr className="border-b border-line text-xs text-quiet">
              <th scope="col" className="py-1 text-left font-medium">
                Reason
              </th>
              <th scope="col" className="px-3 py-1 text-right font-medium">
                People
              </th>
              <th scope="col" className="py-1 text-right font-medium">
                Soonest
              </th>
            </tr>
          </thead>
          <tbody>
            {reasons.map(([reason, { n, until }]) => (
              <tr key={reason} className="border-b border-line last:border-0">
                <th scope="row" className="py-1.5 text-left font-normal">
                  <span className="font-medium">{reason}</span>
                  <span className="block text-quiet">{waitWords[reason as WaitReason]}</span>
                </th>
                <td className="number px-3">{count(n)}</td>
                <td className="number">
                  {until ? (
                    <>
                      <Time at={until} />
                      <span className="block text-quiet">
                        <Ago at={until} />
                      </span>
                    </>
                  ) : (
                    <span className="text-quiet">–</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
