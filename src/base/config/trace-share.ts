import { wrong } from './keys.ts';

/**
 * The share of attempts that is told to OpenTelemetry, for the samplers that follow a parent: an attempt's spans have one
 * that no process has made, so Carillon says whether it is sampled. The other samplers decide by themselves.
 */
export function parseTraceShare(sampler: string | undefined, share: string | undefined): number {
  if (sampler === 'parentbased_always_off') return 0;
  if (sampler !== 'parentbased_traceidratio') return 1;
  const value = Number(share ?? 1);
  if (value >= 0 && value <= 1) return value;
  throw wrong('OTEL_TRACES_SAMPLER_ARG', `is not a share from 0 to 1: ${share}`);
}
