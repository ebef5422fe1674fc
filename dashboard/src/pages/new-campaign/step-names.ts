import { readChoices } from '../../api/search.ts';

/** The steps of the path by name: their addresses are known on every page, their fields only here. */
export const steps = ['people', 'calls', 'hours', 'limits', 'check'] as const;
export type Step = (typeof steps)[number];

/** Each step has its own address, so that Back and reload stay in place. */
export const readStep = readChoices({ step: steps });
