/** The steps of the path by name: their addresses are known on every page, their fields only here. */
export const steps = ['people', 'calls', 'hours', 'limits', 'check'] as const;
export type Step = (typeof steps)[number];

export const isStep = (given: unknown): given is Step => steps.includes(given as Step);
