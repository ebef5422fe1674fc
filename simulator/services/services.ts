/** Every service that the simulator can speak like, by the name that the option has. */
import type { Dialect } from '../dialect.ts';
import type { ServiceName } from '../settings.ts';
import { bland } from './bland.ts';
import { bolna } from './bolna.ts';
import { dograh } from './dograh.ts';
import { elevenlabs } from './elevenlabs.ts';
import { retell } from './retell.ts';
import { standard } from './standard.ts';
import { synthflow } from './synthflow.ts';
import { ultravox } from './ultravox.ts';
import { vapi } from './vapi.ts';

export const services: Record<ServiceName, Dialect> = {
  standard,
  vapi,
  retell,
  elevenlabs,
  bolna,
  synthflow,
  bland,
  ultravox,
  dograh,
};
