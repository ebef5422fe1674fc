/** The library's public face: a client of the voice service that tells "refused" from "may have happened". */
export type { Answer, NumbersPage, RequestOptions, VoiceClient, VoiceOptions } from './voice/client.ts';
export { createVoiceClient } from './voice/client.ts';
export type { Fault, FaultKind } from './voice/faults.ts';
export type { Caller, CallInput, Outcome, Profile } from './voice/profile.ts';
export { defaultProfile, loadProfile, outcomeOf } from './voice/profile.ts';
export type { CallRecord, CreatedCall, PhoneNumber, ValidationError } from './voice/wire.ts';
