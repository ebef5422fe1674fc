/** The part of the calls in progress that is shown. */
export type LiveSearch = { campaign?: string; key?: string; phase?: 'ringing' | 'talking' };
