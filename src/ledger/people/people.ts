import { value } from '../answers.ts';
import type { Database } from '../database.ts';
import { jsonOf } from '../json.ts';
import { createExpect } from './expect.ts';
import { createImport } from './import.ts';

/** The people of a campaign: they come in by an import, and are changed or taken off the list one by one. */

/** The changes of a person; null empties a field. */
export type PersonChange = {
  phone?: string;
  place?: string;
  name?: string | null;
  agent?: string | null;
  variables?: Record<string, unknown>;
};
/** Why a person was not changed, or stays on the list. */
export type PersonRefusal =
  | 'gone'
  | 'erased'
  | 'called'
  | 'twice'
  | 'suppressed'
  | 'live'
  | 'unknown'
  | 'over';

export function createPeople(db: Database) {
  return {
    import: createImport(db),
    expect: createExpect(db),

    /** Returns why nothing was changed; null when it was. */
    change: (id: number, change: PersonChange): Promise<PersonRefusal | null> =>
      value(db, 'people/change', { recipientId: id, change: jsonOf(change) }),

    /** Returns why the person stays; null when they are off the list. */
    remove: (id: number): Promise<PersonRefusal | null> => value(db, 'people/remove', { recipientId: id }),

    /** Grows with every change of the person's row; `locked` keeps the row unchanged until the transaction ends. */
    async versionOf(id: number, locked = false): Promise<string | null> {
      const name = locked ? 'people/version' : 'people/version_seen';
      const [row]: { version: string }[] = await db.query(name, { recipientId: id });
      return row?.version ?? null;
    },

    /** The variables that go to the service with the person's next call. */
    async variablesOf(id: number): Promise<Record<string, unknown>> {
      const [row]: { variables: Record<string, unknown> }[] = await db.query('people/variables_of', {
        recipientId: id,
      });
      return row?.variables ?? {};
    },

    /** Changes with everything that reaches a call of the people who are meant, and with each call of theirs. */
    async digest(of: { campaign?: string; outcomes?: readonly string[]; phone?: string }): Promise<string> {
      const { campaign = null, outcomes = null, phone = null } = of;
      const [row]: { digest: string }[] = await db.query('people/digest', { campaign, outcomes, phone });
      return row!.digest;
    },

    /** Null when the campaign has nobody with this phone. */
    idOf: (campaignId: string, phone: string): Promise<number | null> =>
      value(db, 'people/id_of', { campaignId, phone }),

    /** Returns how many waiting people can never be called; `why` is the reason of each place. */
    async skipNever(campaignId: string, never: readonly { place: string; why: string }[]): Promise<number> {
      const places = never.map((each) => each.place);
      const reasons = never.map((each) => each.why);
      let skipped = 0;
      for (;;) {
        const [row]: { skipped: number; moved: number }[] = await db.query('people/skip_never', {
          campaignId,
          places,
          reasons,
        });
        skipped += row!.skipped;
        if (row!.moved === row!.skipped) return skipped;
      }
    },
  };
}
