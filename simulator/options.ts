/** The door to the options: their type, their defaults, and the one check of them. */
import { CarillonError } from '../src/base/errors.ts';
import { checkOptions } from './schema.ts';
import { defaultOptions, type Settings } from './settings.ts';

export type { Settings, SimulatorOptions } from './settings.ts';
export { defaultOptions };

/** The settings, or one line that names the option that cannot be used. */
export function validateOptions(options: unknown): Settings {
  const checked = checkOptions(options);
  if ('problem' in checked) {
    throw new CarillonError('usage-invalid', `simulator: ${checked.problem}`, {
      remedy: 'Correct the option that is named.',
    });
  }
  const given = checked.value;
  return { ...defaultOptions, ...given, customer: { ...defaultOptions.customer, ...given.customer } };
}
