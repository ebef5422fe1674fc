import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** Logs go to stderr, so that stdout stays what the user asked for; phone numbers are masked, secrets never enter. */
export type Log = Logger;

const phone = /\+\d{6,15}/g;

/** `+14155550123` becomes `+1415•••23`: enough to recognise, too little to dial. */
export function maskPhone(text: string): string {
  return text.replace(
    phone,
    (number) => `${number.slice(0, Math.max(2, number.length - 7))}•••${number.slice(-2)}`,
  );
}

export function createLog(level: string, stream?: DestinationStream): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => maskPhone(line),
      },
    },
    stream ?? destination({ dest: 2, sync: true }),
  );
}
