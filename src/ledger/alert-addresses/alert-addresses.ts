import { unsentReason } from '../../rules/alerts.ts';
import type { RaisedAlert } from '../alerts/alerts.ts';
import { run } from '../answers.ts';
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
    db.query('alert-addresses/list', [id, unsentReason]) as Promise<AlertAddressRow[]>;
  return {
    /** False when there are as many as allowed. */
    async add(address: NewAlertAddress, most: number): Promise<boolean> {
      const { id, kind, sealed, shown, only, atMost } = address;
      const values = [id, kind, sealed, shown, only, atMost, most] as const;
      return (await db.query('alert-addresses/add', values)).length > 0;
    },

    list: () => list(null),

    async find(id: string): Promise<AlertAddressRow | null> {
      return (await list(id))[0] ?? null;
    },

    remove: (id: string): Promise<void> => run(db, 'alert-addresses/remove', [id]),

    /** Only addresses that this process can open, by the mark of what sealed them. */
    claim: (claimant: string, seconds: number, most: number, mark: string): Promise<DueAddress[]> =>
      db.query('alert-addresses/claim', [claimant, seconds, most, `${mark}.`]) as Promise<DueAddress[]>,

    notices: (id: string): Promise<AlertNotice[]> =>
      db.query('alert-addresses/notices', [id]) as Promise<AlertNotice[]>,

    /** False when this process has lost its claim. */
    async save(
      id: string,
      claimant: string,
      {
        numbers,
        error,
        waitSeconds,
      }: { numbers: readonly number[]; error: string | null; waitSeconds: number },
    ): Promise<boolean> {
      const values = [id, claimant, numbers.map(String), error, waitSeconds] as const;
      return (await db.query('alert-addresses/save', values)).length > 0;
    },

    /** Saves what came of a beat: why a monitor did not take it, or null. */
    saveBeat: (id: string, error: string | null): Promise<void> =>
      run(db, 'alert-addresses/save_beat', [id, error]),

    wake: (id: string): Promise<void> => run(db, 'alert-addresses/wake', [id]),
  };
}
