import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Client } from '../../../src/base/postgres/client.ts';

/** An impostor may say these instead of proving that it knows the password: a length, and Postgres's word for it. */
const asks = {
  'asks for the password in the clear': [8, 3],
  'asks for it as MD5': [12, 5, 0x01020304],
  'asks for nothing': [8, 0],
};

test.each(Object.entries(asks))('a server that %s is told nothing', async (_, [length, ...words]) => {
  const heard: Buffer[] = [];
  const answer = Buffer.alloc(length! + 1);
  answer.write('R');
  for (const [at, word] of [length!, ...words].entries()) answer.writeInt32BE(word, 1 + at * 4);
  const ready = Buffer.from('5a0000000549', 'hex');
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket: Socket) => {
    closed.push(once(socket, 'close'));
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.on('data', (piece) => heard.push(piece));
      socket.write(words[0] === 0 ? Buffer.concat([answer, ready]) : answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new Client({
    connectionString: `postgres://carillon:the-password@127.0.0.1:${port}/postgres?require_auth=scram-sha-256`,
  });
  client.on('error', () => undefined);
  await expect(client.connect()).rejects.toThrow(/does not prove that it knows the password/);
  await Promise.all(closed);
  expect(Buffer.concat(heard).toString('latin1')).toBe('');
  server.close();
});
