/** What the harness did to processes, proxies and servers, and when, by the machine's clock. */
export type Trouble = {
  what: 'ledger' | 'queue' | 'service';
  how: string;
  from: number;
  to: number;
};

/** Nobody may be dialled between these moments. */
export type Ban = { why: 'canceled' | 'paused' | 'closed'; from: number; to: number };

/** Something came back at this moment, and dialling can continue. */
export type Comeback = { what: 'worker' | 'crew' | 'queue' | 'ledger' | 'last'; at: number };

export type Diary = {
  troubles: Trouble[];
  bans: Ban[];
  comebacks: Comeback[];
  counts: Map<string, number>;
  notes: string[];
  /** What the harness itself saw that must not be. */
  breaches: string[];
  begin(what: Trouble['what'], how: string): () => void;
  ban(why: Ban['why'], from: number): Ban;
  count(name: string): void;
  note(text: string): void;
};

const never = Number.POSITIVE_INFINITY;

export function openDiary(): Diary {
  const troubles: Trouble[] = [];
  const bans: Ban[] = [];
  const comebacks: Comeback[] = [];
  const counts = new Map<string, number>();
  const notes: string[] = [];
  const breaches: string[] = [];
  return {
    troubles,
    bans,
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
