import { unsentReason } from '../../rules/alerts.ts';
import type { RaisedAlert } from '../alerts/alerts.ts';
import { run, some } from '../answers.ts';
import type { Database } from '../database.ts';

/** Where people are told of alerts, and what waits for each address. */
export const alertAddressKinds = ['slack', 'email', 'url', 'monitor'] as const;
export type AlertAddressKind = (typeof alertAddressKinds)[number];

type NewAlertAddress = {
  id: string;
  kind: AlertAddressKind;
  /** The address, and what signs for it, sealed. */
  sealed: string;
  /** What may be shown of it. */
  shown: string;
  /** Codes and severities; null is every alert. */
  only: readonly string[] | null;
  /** The least seconds between two messages. */
  atMost: number;
};

export type AlertAddressRow = Omit<NewAlertAddress, 'only'> & {
  only: string[] | null;
  /** When it may be sent its next message; null where no process sends any. */
  nextAt: Date | null;
  /** Why, and since when, messages do not arrive; null while they do. */
  reason: string | null;
  since: Date | null;
  sent: number;
  failed: number;
  sentAt: Date | null;
  createdAt: Date;
  /** Alerts that wait for the next message. */
  held: number;
};

/** An address that this process sends a message to. */
export type DueAddress = Pick<AlertAddressRow, 'id' | 'kind' | 'sealed' | 'atMost'> & {
  tries: number;
  /** Since when messages do not arrive; now, while they do. */
  since: Date;
};

/** An alert that was raised or is over; `times`: how often it changed since the address was told. */
export type AlertNotice = {
  number: number;
  type: 'alert.raised' | 'alert.cleared';
  at: Date;
  times: number;
  /** As it is stored: times are text. */
  alert: Omit<RaisedAlert, 'since'> & { since: string };
};

export function createAlertAddresses(db: Database) {
  const list = (id: string | null) =>
    db.query('alert-addresses/list', { id, unsentReason }) as Promise<AlertAddressRow[]>;
  return {
    /** False when there are as many as allowed. */
    add: ({ id, kind, sealed, shown, only, atMost }: NewAlertAddress, most: number): Promise<boolean> =>
      some(db, 'alert-addresses/add', { id, kind, sealed, shown, only, atMost, most }),

    list: () => list(null),

    async find(id: string): Promise<AlertAddressRow | null> {
      return (await list(id))[0] ?? null;
    },

    remove: (id: string): Promise<void> => run(db, 'alert-addresses/remove', { id }),

    /** Only addresses that this process can open, by the mark of what sealed them. */
    claim: (claimant: string, seconds: number, most: number, mark: string): Promise<DueAddress[]> =>
      db.query('alert-addresses/claim', { claimant, seconds, most, opens: `${mark}.` }) as Promise<
        DueAddress[]
      >,

    notices: (id: string): Promise<AlertNotice[]> =>
      db.query('alert-addresses/notices', { id }) as Promise<AlertNotice[]>,

    /** False when this process has lost its claim. */
    save: (
      id: string,
      claimant: string,
      sent: { numbers: readonly number[]; error: string | null; waitSeconds: number },
    ): Promise<boolean> =>
      some(db, 'alert-addresses/save', {
        id,
        claimant,
        sent: sent.numbers.map(String),
        error: sent.error,
        waitSeconds: sent.waitSeconds,
      }),

    /** Saves what came of a beat: why a monitor did not take it, or null. */
    saveBeat: (id: string, error: string | null): Promise<void> =>
      run(db, 'alert-addresses/save_beat', { id, error }),

    wake: (id: string): Promise<void> => run(db, 'alert-addresses/wake', { id }),
  };
}
