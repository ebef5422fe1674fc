/** The simulator's options: their type, their defaults and their one check. */
import { CarillonError } from '../src/base/errors.ts';
import { checkOptions } from './schema.ts';
import { defaultOptions, type Settings } from './settings.ts';

export type { Settings, SimulatorOptions } from './settings.ts';
export { defaultOptions };

/** Returns the settings, or throws one line that names the wrong option. */
export function validateOptions(options: unknown): Settings {
  const checked = checkOptions(options);
  if ('problem' in checked) {
    throw new CarillonError('usage-invalid', `simulator: ${checked.problem}`, {
      remedy: 'Correct the option named above.',
    });
  }
  const given = checked.value;
  return { ...defaultOptions, ...given, customer: { ...defaultOptions.customer, ...given.customer } };
}
