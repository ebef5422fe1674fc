import { jsonFault } from '../../order/fields.ts';
import type { Draft } from './draft.ts';
import { type Step, steps } from './step-names.ts';
import { faultsIn, titles } from './steps.ts';

/** What is still missing before anything can be asked, by the step that asks for it. */
export type Lack = { step: Step; words: string };

/** Only what must be there before anything can be asked; all else is the API's to judge. */
export function lacking(draft: Draft, file: File | null | undefined): Lack[] {
  const lacks: Lack[] = [];
  if (!draft.file || file === null) lacks.push({ step: 'people', words: 'Choose a file, or paste numbers.' });
  if (draft.name.trim() === '') lacks.push({ step: 'calls', words: 'Give the campaign a name.' });
  if (draft.agent.some(({ id }) => id.trim() === ''))
    lacks.push({ step: 'calls', words: 'Say which agent speaks.' });
  if (jsonFault(draft.override) !== null)
    lacks.push({ step: 'calls', words: 'Put the JSON of the override right.' });
  for (const step of steps) {
    const faults = faultsIn(step, draft.faults);
    if (faults.includes('map')) lacks.push({ step, words: 'Choose the column with the phones.' });
    if (faults.some((fault) => fault !== 'map')) {
      lacks.push({ step, words: `Change what was refused under ${titles[step]}.` });
    }
  }
  return lacks;
}
