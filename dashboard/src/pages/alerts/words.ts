import type { AlertAddress } from '../../api/description.ts';

/** A monitor only hears that Carillon lives. */
export const isTold = ({ kind }: AlertAddress) => kind !== 'monitor';

/** Without its scheme, and without the mark of what is not shown. */
export const addressText = ({ address }: AlertAddress) => address.replace(/^https?:\/\/|\/•+$/g, '');
