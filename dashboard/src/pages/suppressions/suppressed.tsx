import type { AnswerOf } from '../../api/ask.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { HangUpTold } from '../../kit/hang-up.tsx';
import { counted } from '../../kit/words.ts';

/**
 * Tells of phones suppressed: how many, who was known, whose rows and calls ended, and what could not be
 * read.
 */
type Told = AnswerOf<'POST /api/suppressions'> & Partial<AnswerOf<'POST /api/suppressions/import'>>;

export function Suppressed({ told, onClose }: { told: Told; onClose(): void }) {
  const { phones, added, known, skipped, hang_ups: hangUps, rejected = 0 } = told;
  const rejects = told.rejects ?? [];
  return (
    <Dialog open onClose={onClose} title={`${counted(phones, 'phone is', 'phones are')} suppressed`}>
      <div className="space-y-1">
        <p>
          {added} added{known > 0 && `, ${known} already on the list`}.{' '}
          {counted(skipped, 'waiting row was skipped', 'waiting rows were skipped')}.
        </p>
        {told.hint && <p>{told.hint}</p>}
        {hangUps && <HangUpTold told={hangUps} />}
        {rejected > 0 && (
          <div className="mt-3">
            <p className="font-medium text-warn">
              {counted(rejected, 'row')} could not be read:{' '}
              {rejected === 1 ? 'its phone is' : 'their phones are'} not suppressed.
            </p>
            <ul className="mt-1 max-h-60 overflow-y-auto text-sm">
              {rejects.map(({ row, reason }) => (
                <li key={row}>
                  Line {row}: {reason}
                </li>
              ))}
            </ul>
            {rejected > rejects.length && (
              <p className="text-sm text-quiet">and {counted(rejected - rejects.length, 'other')}.</p>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}
