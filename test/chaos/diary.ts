/** The trouble that the harness made for processes, proxies and servers, and when, by the machine's clock. */
export type Trouble = {
  what: 'ledger' | 'queue' | 'service';
  how: string;
  from: number;
  to: number;
};

/** Nobody may be dialled between these moments. */
export type Ban = { why: 'canceled' | 'paused' | 'closed' | 'lost'; from: number; to: number };

/** The ledger was put back to what it was at a backup, until a person confirmed that. */
export type Loss = {
  /** Everything that was committed after `madeAt` is gone; some of what was committed after `beganAt` is. */
  beganAt: number;
  madeAt: number;
  /** The server was killed, and was back with the older data. */
  from: number;
  backAt: number;
  /** When the ledger declared that it had lost history; null when it never did. */
  noticedAt: number | null;
  confirmedAt: number;
  /** A person had settled whom they wanted to: what runs from now on has something to do. */
  settledAt: number;
  /** Confirmed with `--lost-since`. */
  since: boolean;
  /** How many people became unknown by the confirmation. */
  marked: number;
  /** Faults that must not be: a campaign that ran before the confirmation. */
  faults: string[];
};

/** Something came back at this moment, and dialling can continue. */
export type Comeback = { what: 'worker' | 'crew' | 'queue' | 'ledger' | 'last'; at: number };

export type Diary = {
  troubles: Trouble[];
  bans: Ban[];
  losses: Loss[];
  comebacks: Comeback[];
  counts: Map<string, number>;
  notes: string[];
  /** Faults that the harness itself saw. */
  breaches: string[];
  begin(what: Trouble['what'], how: string): () => void;
  ban(why: Ban['why'], from: number): Ban;
  count(name: string): void;
  note(text: string): void;
};

export const never = Number.POSITIVE_INFINITY;

export function openDiary(): Diary {
  const troubles: Trouble[] = [];
  const bans: Ban[] = [];
  const losses: Loss[] = [];
  const comebacks: Comeback[] = [];
  const counts = new Map<string, number>();
  const notes: string[] = [];
  const breaches: string[] = [];
  return {
    troubles,
    bans,
    losses,
    comebacks,
    counts,
    notes,
    breaches,
    begin(what, how) {
      const trouble: Trouble = { what, how, from: Date.now(), to: never };
      troubles.push(trouble);
      return () => {
        trouble.to = Date.now();
      };
    },
    ban(why, from) {
      const ban: Ban = { why, from, to: never };
      bans.push(ban);
      return ban;
    },
    count: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    note: (text) => void notes.push(`${new Date().toISOString().slice(11, 23)} ${text}`),
  };
}
