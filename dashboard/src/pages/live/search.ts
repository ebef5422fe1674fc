/** The part of the calls in progress that is shown. */
export type LiveSearch = { campaign?: string; key?: string; phase?: 'ringing' | 'talking' };

export function readLiveSearch({ campaign, key, phase }: Record<string, unknown>): LiveSearch {
  return {
    ...(typeof campaign === 'string' && campaign ? { campaign } : {}),
    ...(typeof key === 'string' && key ? { key } : {}),
    ...(phase === 'ringing' || phase === 'talking' ? { phase } : {}),
  };
}
