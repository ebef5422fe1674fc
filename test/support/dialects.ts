import type { ServiceName } from '../../simulator/settings.ts';
import { describeService } from '../../src/voice/load-service.ts';

/** A service as the simulator speaks it: what an account there must set, and a list that soon tells. */
export function profileOf(service: ServiceName) {
  const { list, settings } = describeService(service);
  const own = settings && 'telephony_configuration_id' in settings ? { telephony_configuration_id: '1' } : {};
  const workspace = settings && 'workspace' in settings ? { workspace: 'ws_1' } : {};
  return {
    extends: service,
    settings: { ...settings, ...own, ...workspace },
    ...(list ? { list: { lag_seconds: 4 } } : {}),
  };
}

/** One of its agents, by its name where agents are listed. */
export function agentOf(service: ServiceName): string {
  return service === 'standard' || service === 'bland' ? 'agent-1' : 'Reminder';
}

/** One of its numbers. */
export const caller = '+14155550100';
