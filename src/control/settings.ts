import { z } from 'zod';
import type { Config } from '../base/config/config.ts';
import { version } from '../base/version.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { keepShape, showKeep } from './people/keep.ts';
import { listProcesses, processShape } from './processes/dialers.ts';

/** The settings that a process has read, and what it runs on; secrets are never shown. */
export const settingsAnswer = z
  .object({
    process: z.string().describe('The process that answers: the settings are its own.'),
    settings: z.array(
      z.object({
        name: z.string(),
        set: z.boolean().describe('If not, the default applies.'),
        from: z.enum(['environment', '.env']).nullable(),
        secret: z.boolean(),
        value: z
          .string()
          .nullable()
          .describe('Null for a secret; for VOICE_API_KEYS, the names of the keys.'),
      }),
    ),
    keep: keepShape,
    versions: z.object({ carillon: z.string(), node: z.string(), postgres: z.string() }),
    ledger: z.object({
      kind: z.enum(['embedded', 'postgres']),
      clock_ahead_ms: z.int().describe('How far this machine’s clock is ahead of the ledger’s.'),
      findings: z.array(z.string()).describe('Faults of the server, each with what to do.'),
    }),
    queue: z.object({ kind: z.enum(['redis', 'postgres']), findings: z.array(z.string()) }),
    processes: z.array(processShape),
  })
  .meta({ id: 'Settings' });
export type Settings = z.output<typeof settingsAnswer>;

type SettingsDeps = {
  config: Pick<Config, 'settings' | 'databaseUrl' | 'keepDays'>;
  ledger: Ledger;
  engine: Engine;
  permit: { aheadMs(): number };
  dialer: string;
};

export async function showSettings(deps: SettingsDeps): Promise<Settings> {
  const { config, ledger, engine, permit, dialer } = deps;
  const [processes, server, findings, keep] = await Promise.all([
    listProcesses(ledger),
    ledger.server(),
    engine.findings(),
    showKeep(deps),
  ]);
  return {
    process: dialer,
    settings: config.settings.map((each) => ({ ...each, set: each.from !== null })),
    keep,
    versions: { carillon: version, node: process.versions.node, postgres: server.version },
    ledger: {
      kind: config.databaseUrl ? 'postgres' : 'embedded',
      clock_ahead_ms: Math.round(permit.aheadMs()),
      findings: server.findings,
    },
    queue: { kind: engine.kind, findings },
    processes: processes.items,
  };
}
