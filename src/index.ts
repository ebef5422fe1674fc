/** The library's public face: a client of the voice service that tells "refused" from "may have happened". */
export type {
  Call,
  Caller,
  CallInput,
  CallRef,
  CallStage,
  Placed,
  ServiceAgent,
  ServiceNumber,
} from './voice/call.ts';
export type { Answer, PageAsk, RequestOptions, VoiceClient, VoiceOptions } from './voice/client.ts';
export { createVoiceClient } from './voice/client.ts';
export type { ServiceDescription } from './voice/description.ts';
export type { Fault, FaultKind } from './voice/faults.ts';
export { loadService, serviceNames } from './voice/load-service.ts';
export type { Outcome } from './voice/outcomes.ts';
