import { z } from 'zod';

/** A job carries an id. The truth about it is in the ledger. */
export const payload = z.object({ attemptId: z.uuid() });
export type Payload = z.infer<typeof payload>;
