import type { AlertAddress } from '../../api/description.ts';

/** The kinds of addresses in words. */
export const kindWords: Readonly<Record<AlertAddress['kind'], string>> = {
  slack: 'Slack',
  email: 'e-mail',
  url: 'a program',
};
