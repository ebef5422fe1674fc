import type { AlertAddress } from '../../api/description.ts';

/** Without its scheme, and without the mark of what is not shown. */
export const addressText = ({ address }: AlertAddress) => address.replace(/^https?:\/\/|\/•+$/g, '');
