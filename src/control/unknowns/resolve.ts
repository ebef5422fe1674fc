import { CarillonError } from '../../base/errors.ts';
import { settle } from '../../dispatch/settle.ts';
import type { Lane } from '../../lane/lane.ts';
import type { AttemptReport } from '../../ledger/reports/reports.ts';
import type { Call } from '../../voice/call.ts';
import { findMismatch } from '../../voice/mismatch.ts';
import { act, faultError, type ServiceAccess } from '../service/access.ts';

/** Settles an unknown attempt by what a person found out, from the service's own record where there is one. */
type Finding = {
  as: 'called' | 'not-called';
  reason?: string | undefined;
  /** As not called, even where the service began to answer that it made the call. */
  force?: true | undefined;
};

/** `call_id`: the call that a person found at the service. */
export type NamedUnknown = { attempt: string; call_id?: string | undefined };

type Resolver = {
  /** Returns the attempt as it stands after; throws, without a change, if it cannot be done. */
  one(named: NamedUnknown, finding: Finding): Promise<AttemptReport>;
  /** Settles as many as it can, for one reason; returns which, and why not the others. */
  many(named: readonly NamedUnknown[], finding: Finding): Promise<Resolved>;
};

type Resolved = {
  resolved: string[];
  failed: { attempt: string; code: string; detail: string }[];
};

/** Anything but a uuid cannot be an attempt’s id, and would be a broken statement to Postgres. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A service without keys cannot be asked: then a person's word counts. */
export function createResolver(service: ServiceAccess): Resolver {
  const { ledger, clock } = service;
  const { reports, unknowns } = ledger;

  /** Nobody may be called again while the first request may still arrive, nor when the service has the call. */
  async function free(attempt: AttemptReport, named: string | undefined, finding: Finding): Promise<void> {
    const { reason, force } = finding;
    const callId = attempt.callId ?? named;
    if (callId) {
      throw new CarillonError('attempt-state', `The service accepted this call, as ${callId}`, {
        remedy: 'It was made: resolve it as called.',
      });
    }
    if (attempt.reason === 'accepted' && !force) {
      throw new CarillonError('attempt-state', 'The service began to answer that it made this call', {
        remedy:
          'Resolve it as called. If you are sure that nobody was called, resolve it as not called with --force, or `"force": true` in a request.',
      });
    }
    if (await unknowns.free(attempt.id, reason, force)) return;
    const now = await reports.attempt(attempt.id);
    if (now?.state !== 'unknown' || now.callId || !now.freeFrom) throw notUnknown(now ?? attempt);
    const left = Math.max(1, Math.ceil((now.freeFrom.getTime() - clock.now()) / 1_000));
    throw new CarillonError('attempt-state', 'The request of this attempt may still be on its way', {
      remedy: `Try again in ${left} s.`,
    });
  }

  /** The call's id is known, from the person or from the service: its own record settles the attempt. */
  async function call(attempt: AttemptReport, named: string | undefined, { reason }: Finding): Promise<void> {
    const callId = named ?? attempt.callId;
    if (!callId) return close(attempt, reason);
    await refuseOtherCall(attempt, callId);
    const told = await fetchCall(attempt, callId, named !== undefined);
    const outcome = told?.stage.kind === 'ended' ? told.stage.outcome : null;
    // The service lost the call, or still says that it is in progress: a person has the last word.
    if (named === undefined && outcome === null) return close(attempt, reason);
    const placed = await place(attempt, callId, reason ?? null);
    const loaded = told && outcome !== null ? await ledger.attempts.load(attempt.id) : null;
    if (loaded) await settle(service, loaded, outcome!, told!);
    else await follow(placed);
  }

  /** An attempt has one call, and a call one attempt. */
  async function refuseOtherCall(attempt: AttemptReport, callId: string): Promise<void> {
    if (attempt.callId && attempt.callId !== callId) {
      throw new CarillonError('attempt-state', `The attempt has a call already, ${attempt.callId}`, {
        remedy: 'Leave the call’s id out, or give that one.',
      });
    }
    if (!attempt.callId) await refuseTaken(attempt, callId);
  }

  async function refuseTaken(attempt: AttemptReport, callId: string): Promise<void> {
    const owner = await reports.attemptOf(attempt.baseUrl, callId);
    if (!owner || owner === attempt.id) return;
    throw new CarillonError('attempt-state', `The call ${callId} belongs to the attempt ${owner}`, {
      remedy: 'Check the call’s id.',
    });
  }

  async function place(attempt: AttemptReport, callId: string, reason: string | null) {
    const placed = await unknowns.place(attempt.id, callId, service.deadlineMs / 1_000, reason);
    if (placed) return placed;
    // Another finding was faster.
    await refuseTaken(attempt, callId);
    throw notUnknown((await reports.attempt(attempt.id)) ?? attempt);
  }

  /** Asks with the key that made the call, or with any other of the same service. */
  function laneOf(attempt: AttemptReport): Lane | undefined {
    if (attempt.baseUrl !== service.baseUrl) return undefined;
    return service.lanes.find((each) => each.id === attempt.laneId) ?? service.lanes[0];
  }

  /** Without a queue, the reconciler finds it. */
  async function follow(placed: { id: string; laneId: number }): Promise<void> {
    const lane = service.lanes.find((each) => each.id === placed.laneId);
    if (lane) await service.addJobs(lane, 'track', [placed.id]);
  }

  async function close(attempt: AttemptReport, reason: string | undefined): Promise<void> {
    if (await unknowns.called(attempt.id, reason)) return;
    throw notUnknown((await reports.attempt(attempt.id)) ?? attempt);
  }

  /** Null when nobody can be asked, or when the service no longer knows a call that it named itself. */
  async function fetchCall(attempt: AttemptReport, callId: string, named: boolean): Promise<Call | null> {
    const lane = laneOf(attempt);
    if (!lane) {
      service.note(
        'The service was not asked for the call: the attempt is of another service, or no key is set.',
      );
      return null;
    }
    const answer = await act(lane, service, (client) => client.get({ id: callId, agentId: attempt.agentId }));
    if (!answer.ok) {
      const { fault } = answer;
      if (fault.kind !== 'refused' || !fault.missing)
        throw faultError(fault, lane.name, `Nothing was changed, as the call ${callId} cannot be fetched`);
      if (!named) return null;
      throw new CarillonError(
        'call-unknown',
        `Nothing was changed: the service does not know the call ${callId}`,
      );
    }
    const mismatch = findMismatch({ ...attempt, callId }, answer.value);
    if (mismatch === null) return answer.value;
    if (named) {
      throw new CarillonError('attempt-state', `Nothing was changed: asked for ${callId}, ${mismatch}`, {
        remedy:
          'Check the call’s id; if the call was made but its record is not available, resolve it without the id.',
      });
    }
    service.note(`The record was not used: asked for ${callId}, ${mismatch}.`);
    return null;
  }

  /** Settles the plain ones in few statements; `many` looks at the others one by one, to say why. */
  async function freeAll(named: readonly NamedUnknown[], { reason, force }: Finding) {
    const freed = new Set<string>();
    const plain = named.flatMap(({ attempt, call_id }) => (!call_id && uuid.test(attempt) ? [attempt] : []));
    for (let i = 0; i < plain.length; i += 1_000) {
      for (const id of await unknowns.freeAll(plain.slice(i, i + 1_000), reason ?? null, force))
        freed.add(id);
    }
    return freed;
  }

  const resolver: Resolver = {
    async one({ attempt: id, call_id: named }, finding) {
      const attempt = await reports.attempt(id);
      if (!attempt) throw new CarillonError('attempt-unknown', `The attempt was not found: ${id}`);
      if (attempt.state !== 'unknown') throw notUnknown(attempt);
      await (finding.as === 'not-called' ? free : call)(attempt, named, finding);
      return (await reports.attempt(id)) ?? attempt;
    },

    async many(all, finding) {
      const resolved: string[] = [];
      const failed: Resolved['failed'] = [];
      const freed = finding.as === 'not-called' ? await freeAll(all, finding) : null;
      for (const named of all) {
        const { attempt } = named;
        try {
          if (!freed?.has(attempt)) await resolver.one(named, finding);
          resolved.push(attempt);
        } catch (error) {
          if (!(error instanceof CarillonError) || error.code === 'ledger-unreachable') throw error;
          failed.push({ attempt, code: error.code, detail: error.message });
        }
      }
      return { resolved, failed };
    },
  };
  return resolver;
}

export function notUnknown({ id, state }: { id: string; state: string }): CarillonError {
  return new CarillonError('attempt-state', `The attempt ${id} is not unknown, it is ${state}`);
}
