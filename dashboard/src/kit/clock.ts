export const toMinute = { hour: 'numeric', minute: '2-digit' } as const;
export const clock = new Intl.DateTimeFormat(undefined, toMinute);
export const dayTime = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', ...toMinute });
