import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock, systemClock } from './base/clock.ts';
import type { Config } from './base/config/config.ts';
import { createKeyRing, type KeyRing } from './base/config/key-ring.ts';
import { createLifecycle, type Lifecycle } from './base/lifecycle.ts';
import type { Log } from './base/log.ts';
import { createSeal } from './base/seal.ts';
import { readSecret } from './base/secret.ts';
import { tellsCost } from './control/campaigns/budget.ts';
import { readPolicyFile } from './control/policies/set.ts';
import type { ServiceAccess } from './control/service/access.ts';
import { createDialPermit, type DialPermit } from './dispatch/trust/dial-permit.ts';
import { createLastSeen } from './dispatch/trust/last-seen.ts';
import { createSameKeys, type SameKeys } from './dispatch/trust/same-keys.ts';
import { startEmbedded } from './embedded/embedded.ts';
import { type Ledger, openLedger } from './ledger/ledger.ts';
import { authOf } from './voice/address.ts';
import { describeCreate } from './voice/clients.ts';
import { readHook } from './voice/hooks.ts';
import { type LoadedService, loadService } from './voice/load-service.ts';
import { optOutRules } from './voice/opt-out.ts';
import { overrideFault } from './voice/person-fields.ts';

/** The ledger opened, without queue and client: a command that only reads or writes the ledger does not load these. */
export type LedgerOnly = {
  config: Config;
  log: Log;
  clock: Clock;
  described: LoadedService;
  ledger: Ledger;
  /** Whether this process may dial, by the contact rules and by its clock. */
  permit: DialPermit;
  keyRing: KeyRing;
  /** Its keys, compared with those of the processes that dial. */
  sameKeys: SameKeys;
  /** This process's id on the attempts that it opens. */
  dialer: string;
  ledgerUrl: string;
  /** True if an empty embedded ledger was made just now; the user is told. */
  fresh: boolean;
  lifecycle: Lifecycle;
};

export type OpenDeps = { log: Log; clock?: Clock };

/** The time limit for closing what is already open after a failed start. */
export const stopMs = 10_000;

/** Opens only the ledger: for what needs neither keys nor the service. */
export async function openLedgerOnly(config: Config, deps: OpenDeps): Promise<LedgerOnly> {
  const described = loadService(config.voice.service, config.voice.profilePath);
  const file = config.policyPath === undefined ? null : readPolicyFile(config.policyPath, true);
  const lifecycle = createLifecycle(deps.log);
  const clock = deps.clock ?? systemClock;
  try {
    const { databaseUrl, home } = config;
    const own = databaseUrl ? null : lifecycle.add(await startEmbedded({ home, log: deps.log }));
    const url = databaseUrl ?? own!.url;
    const fresh = own?.fresh ?? false;
    const ledger = lifecycle.add(
      await openLedger(
        url,
        config.voice.baseUrl ?? '',
        deps.log,
        undefined,
        () => createSeal(readSecret(config)),
        config.voice.queueMs,
      ),
    );
    const lastSeen = lifecycle.add(
      createLastSeen({ ledger, home, clock, log: deps.log, isOwnServer: own !== null, died: own?.died }),
    );
    await lastSeen.begin();
    const dialer = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
    const keyRing = lifecycle.add(createKeyRing(config, clock, deps.log));
    const sameKeys = createSameKeys({ processes: ledger.processes, config, keyRing, dialer });
    const { maxCost } = config.voice;
    const keepBudget = maxCost && (() => ledger.budgets.keep(dialer, maxCost));
    const permit = createDialPermit({ ledger, file, lastSeen, sameKeys, keepBudget, clock, log: deps.log });
    // This process shows what its file would impose, until it dials.
    ledger.policies.assume(file?.policy ?? null);
    await ledger.policies.refresh();
    const { log } = deps;
    const given = { config, log, clock, described, dialer, keyRing };
    return { ...given, ledger, permit, sameKeys, ledgerUrl: url, fresh, lifecycle };
  } catch (error) {
    await lifecycle.stop(stopMs);
    throw error;
  }
}

/** Serves verbs that can do without the service and take a person's word instead. */
export function withoutKeys(
  { ledger, config, described, clock, keyRing }: LedgerOnly,
  choices: Pick<ServiceAccess, 'note' | 'patienceMs'>,
): ServiceAccess {
  return {
    ...choices,
    ledger,
    baseUrl: config.voice.baseUrl ?? '',
    lanes: [],
    clock,
    optOut: optOutRules(described.description.opt_out),
    readHook: (hook) =>
      readHook(
        described.description,
        hook,
        { set: config.hookKey, apiKeys: keyRing.keys().map((key) => key.secret) },
        clock.now(),
      ),
    tellsCost: tellsCost(described.description),
    auth: authOf(described.description, config.voice.auth),
    overrideFault: (override) => overrideFault(described.description, override),
    describe: (input) => describeCreate(described.description, config.voice.baseUrl ?? '', input),
    deadlineMs: config.voice.callDeadlineMs,
    addJobs: async () => undefined,
    pollSooner: async () => undefined,
    hangUp: async () => undefined,
  };
}
