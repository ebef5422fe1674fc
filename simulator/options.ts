/** The simulator's options: their type, their defaults and their one check. */
import { CarillonError } from '../src/base/errors.ts';
import { checkFaults, checkOptions } from './schema.ts';
import { defaultOptions, type Settings } from './settings.ts';

export type { Settings, SimulatorOptions } from './settings.ts';
export { defaultOptions };

/** Returns the settings, or throws one line that names the wrong option. */
export function validateOptions(options: unknown): Settings {
  const checked = checkOptions(options);
  const wrong = (problem: string) =>
    new CarillonError('usage-invalid', `simulator: ${problem}`, {
      remedy: 'Correct the option named above.',
    });
  if ('problem' in checked) throw wrong(checked.problem);
  const given = checked.value;
  const unfit = checkFaults(given.service ?? defaultOptions.service, given.faults);
  if (unfit) throw wrong(unfit);
  return { ...defaultOptions, ...given, customer: { ...defaultOptions.customer, ...given.customer } };
}
