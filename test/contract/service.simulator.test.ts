import { startSimulator } from '../../simulator/server.ts';
import { serviceContract } from './service.ts';

serviceContract('the simulator', ({ keys, perMinute, speed }) =>
  startSimulator({
    keys,
    speed,
    rate: perMinute === null ? null : perMinute / 60,
    limiter: 'sliding',
    windowMs: 60_000,
  }),
);
