import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseS3 } from '../../src/base/config/s3.ts';
import { CarillonError } from '../../src/base/errors.ts';
import { exportOf, nameOfAddress, shownAddress } from '../../src/intake/remote/address.ts';
import { type AddressOptions, openAddress, unpackedOf } from '../../src/intake/remote/open.ts';
import { startS3Store } from '../support/s3-store.ts';
import { selfSigned } from '../voice/servers.ts';

/** A list by its address: what may be reached, how much of it is read, and what is told of it. */
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Web = { port: number; requests: { path: string; headers: Record<string, unknown> }[] };

async function serve(listener: RequestListener, tls?: { key: string; cert: string }): Promise<Web> {
  const requests: Web['requests'] = [];
  const heard: RequestListener = (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    listener(request, response);
  };
  const server = tls ? createTlsServer(tls, heard) : createServer(heard);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

const s3 = parseS3(() => undefined);
const allowed = { listAllowPrivate: true, s3 };
const loopback = async () => [{ address: '127.0.0.1', family: 4 }];
const at = (address: string) => async () => [{ address, family: 4 }];

async function readWhole(address: string, options: AddressOptions = {}, access = allowed) {
  const { opened, format } = await openAddress(address, access, options);
  open.push({ close: () => opened.handle.close() });
  const bytes = opened.handle.createReadStream({ start: 0, autoClose: false });
  return { text: await text(bytes), format, file: opened.file };
}

async function refusal(text: string, options: AddressOptions = {}, access = allowed): Promise<string> {
  const error = await readWhole(text, options, access).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CarillonError);
  const { message, remedy, code } = error as CarillonError;
  expect(['file-unreadable', 'config-invalid', 'usage-invalid']).toContain(code);
  expect(message).not.toContain('\n');
  return `${message} ${remedy}`;
}

const list = 'phone\n+14155550123\n';

describe('a list on the web', () => {
  it.each([
    ['/people.csv', 'text/html-no', 'csv'],
    ['/people.ndjson?x=1', '', 'ndjson'],
    ['/export', 'application/json; charset=utf-8', 'json'],
    ['/export', 'text/csv', 'csv'],
    ['/export', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
    ['/export', 'application/octet-stream', 'csv'],
  ])('at %s of type %j is %s', async (path, type, format) => {
    const { port } = await serve((_, response) =>
      response.writeHead(200, { 'content-type': type }).end(list),
    );
    expect(await readWhole(`http://localhost:${port}${path}`)).toMatchObject({ text: list, format });
  });

  it('gets a user and a password where the address has them, and no other host does', async () => {
    const other = await serve((_, response) => response.end(list));
    const first = await serve((_, response) =>
      response.writeHead(302, { location: `http://localhost:${other.port}/people.csv` }).end(),
    );
    const { file } = await readWhole(`http://ann:p%40ss@localhost:${first.port}/people.csv?token=secret#x`);
    expect(first.requests[0]).toMatchObject({
      path: '/people.csv?token=secret',
      headers: { authorization: `Basic ${Buffer.from('ann:p@ss').toString('base64')}` },
    });
    expect(other.requests[0]!.headers).not.toHaveProperty('authorization');
    expect(file).toBe(`http://localhost:${first.port}/people.csv`);
  });

  it('gets a password with a percent sign as it stands', async () => {
    const { port, requests } = await serve((_, response) => response.end(list));
    expect(await readWhole(`http://ann:50%off@localhost:${port}/people.csv`)).toMatchObject({ text: list });
    expect(requests[0]!.headers.authorization).toBe(`Basic ${Buffer.from('ann:50%off').toString('base64')}`);
  });

  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: string) => bytes],
  ])('that is packed for the way with %s is unpacked', async (encoding, pack) => {
    const { port } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(pack(list)),
    );
    expect(await readWhole(`http://localhost:${port}/people.csv`)).toMatchObject({ text: list });
  });

  it('is read with TLS that is trusted only', async () => {
    const tls = selfSigned();
    const { port } = await serve((_, response) => response.end(list), tls);
    const url = `https://localhost:${port}/people.csv`;
    expect(await readWhole(url, { tls: { ca: tls.cert } })).toMatchObject({ text: list });
    expect(await refusal(url)).toMatch(/no trusted TLS connection/);
  });
});

describe('an address that is refused', () => {
  const careful = { listAllowPrivate: false, s3 };

  it.each([
    ['http://crm.example/people.csv', 'starts with http://, which is allowed only with LIST_ALLOW_PRIVATE=1'],
    ['https://127.0.0.1/people.csv', '127.0.0.1 is on a private network'],
    ['https://[::ffff:10.0.0.1]/people.csv', 'is on a private network'],
    ['https://2130706433/people.csv', '127.0.0.1 is on a private network'],
    ['https://169.254.169.254/latest/meta-data', 'is not an address of a receiver'],
    ['https://crm.example:25/people.csv', 'port 25, which is not a port of web servers'],
    ['https://exa mple/people.csv', 'it is not an address'],
  ])('%s: %s', async (address, why) => {
    expect(await refusal(address, { resolve: at('8.8.8.8') }, careful)).toContain(why);
  });

  it('is one whose name leads to a private network, also where only one of its addresses does', async () => {
    const both = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.1.2.3', family: 4 },
    ];
    const told = await refusal('https://crm.example/people.csv', { resolve: both }, careful);
    expect(told).toContain('crm.example is 10.1.2.3, which is on a private network');
    expect(told).toContain('LIST_ALLOW_PRIVATE=1');
  });

  it('is each one of a redirect, by where its name leads then', async () => {
    const inside = await serve((_, response) => response.end('secret'));
    for (const target of [
      'http://169.254.169.254/latest',
      'file:///etc/passwd',
      `ftp://localhost:${inside.port}/`,
    ]) {
      const { port } = await serve((_, response) => response.writeHead(302, { location: target }).end());
      expect(await refusal(`http://localhost:${port}/people.csv`)).toMatch(
        /not an address of a receiver|does not start with https/,
      );
    }
    // Allowed to private networks or not, a name is judged each time that it is used.
    let asked = 0;
    const resolve = async () => [{ address: ++asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
    const { port } = await serve((_, response) => response.writeHead(302, { location: '/again' }).end());
    expect(await refusal(`http://crm.example:${port}/people.csv`, { resolve })).toContain(
      'crm.example is 169.254.169.254',
    );
    expect(inside.requests).toEqual([]);
  });

  it('connects to the address that was checked, whatever the name says a moment later', async () => {
    const { port, requests } = await serve((_, response) => response.end(list));
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return loopback();
    };
    // The name has no address but the one that was checked: were it asked again, nothing would be found.
    expect(await readWhole(`http://rebind.invalid:${port}/people.csv`, { resolve })).toMatchObject({
      text: list,
    });
    expect([asked, requests.length, requests[0]!.headers.host]).toEqual([1, 1, `rebind.invalid:${port}`]);
  });

  it('redirects for ever', async () => {
    const { port, requests } = await serve((_, response) =>
      response.writeHead(302, { location: '/people.csv' }).end(),
    );
    expect(await refusal(`http://localhost:${port}/people.csv`)).toContain('redirected too often');
    expect(requests.length).toBe(6);
  });
});

describe('an answer that is no list', () => {
  it('is cut at the limit: ten gigabytes are neither read nor kept', async () => {
    let sent = 0;
    const piece = Buffer.alloc(65_536, '1');
    const pieces = function* () {
      while (sent < 10_000_000_000) {
        sent += piece.length;
        yield piece;
      }
    };
    const { port } = await serve((request, response) => {
      if (request.url === '/told.csv') response.setHeader('content-length', 10_000_000_000);
      Readable.from(pieces()).pipe(response);
    });
    for (const name of ['told.csv', 'endless.csv']) {
      const told = await refusal(`http://localhost:${port}/${name}`, { mostBytes: 1_000_000 });
      expect(told).toContain('it is longer than 1,000,000 bytes');
    }
    expect(sent).toBeLessThan(100_000_000);
  });

  it('is cut at the limit after it was unpacked, and refused where it cannot be', async () => {
    let answer: [string, Buffer] = ['gzip', gzipSync(Buffer.alloc(10_000_000, '1'))];
    const { port } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': answer[0] }).end(answer[1]),
    );
    const told = () => refusal(`http://localhost:${port}/people.csv`, { mostBytes: 1_000_000 });
    expect(await told()).toContain('it is longer than 1,000,000 bytes');
    answer = ['gzip', gzipSync(list).subarray(0, 20)];
    expect(await told()).toContain('it cannot be unpacked');
    answer = ['br', Buffer.from(list)];
    expect(await told()).toContain('it cannot be unpacked');
    answer = ['zstd', Buffer.from(list)];
    expect(await told()).toContain('its Content-Encoding is "zstd"');
  });

  it('is told as broken also when it broke before anyone read it', async () => {
    const body = Readable.from([gzipSync(list).subarray(0, 20)]);
    const unpacked = unpackedOf({ headers: { 'content-encoding': 'gzip' }, body }) as Readable;
    await new Promise((resolve) => unpacked.once('close', resolve));
    await expect(unpacked.toArray()).rejects.toThrow('unexpected end of file');
  });

  it('is given up when it does not arrive in time, or stops in the middle', async () => {
    const slow = await serve((_, response) => void response.write('phone\n'));
    expect(await refusal(`http://localhost:${slow.port}/people.csv`, { timeoutMs: 200 })).toContain(
      'it did not arrive within 0.2 s',
    );
    const never = await serve(() => undefined);
    expect(await refusal(`http://localhost:${never.port}/people.csv`, { timeoutMs: 200 })).toContain(
      'within 0.2 s',
    );
    const torn = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('phone\n', () => response.destroy());
    });
    expect(await refusal(`http://localhost:${torn.port}/people.csv`)).toMatch(
      /closed the connection|reset the connection|aborted/,
    );
  });

  it('says what the server said, without the secrets of the address', async () => {
    const { port } = await serve((_, response) => response.writeHead(404).end());
    const told = await refusal(`http://user:hunter2@localhost:${port}/people.csv?sig=hunter3`);
    expect(told).toContain(`http://localhost:${port}/people.csv cannot be read: it answered 404`);
    expect(told).not.toContain('hunter');
    const web = await serve((_, response) =>
      response.setHeader('content-type', 'text/html').end('<html>Log in'),
    );
    expect(await refusal(`http://localhost:${web.port}/people.csv`)).toMatch(
      /it answered with a web page .*login/,
    );
  });
});

describe('a Google sheet', () => {
  const sheet = 'https://docs.google.com/spreadsheets/d/1AbC-d_E/edit?usp=sharing';
  it.each([
    [`${sheet}#gid=7`, undefined, 'https://docs.google.com/spreadsheets/d/1AbC-d_E/export?format=csv&gid=7'],
    [
      'https://docs.google.com/spreadsheets/u/1/d/1AbC/edit?gid=0#gid=0',
      undefined,
      'https://docs.google.com/spreadsheets/d/1AbC/export?format=csv&gid=0',
    ],
    [sheet, undefined, 'https://docs.google.com/spreadsheets/d/1AbC-d_E/export?format=csv'],
    [`${sheet}#gid=7`, 'Leads', 'https://docs.google.com/spreadsheets/d/1AbC-d_E/export?format=xlsx'],
    [
      'https://docs.google.com/spreadsheets/d/e/2PACX-1v/pubhtml?gid=3',
      undefined,
      'https://docs.google.com/spreadsheets/d/e/2PACX-1v/pub?output=csv&gid=3',
    ],
    [
      'https://example.com/spreadsheets/d/1AbC/edit',
      undefined,
      'https://example.com/spreadsheets/d/1AbC/edit',
    ],
  ])('at %s (%s) is read from its export', (address, name, wanted) => {
    expect(exportOf(new URL(address), name).href).toBe(wanted);
  });

  it('that is private is told in one line', async () => {
    const tls = selfSigned();
    const { port, requests } = await serve((request, response) => {
      if (request.url?.startsWith('/spreadsheets'))
        response.writeHead(302, { location: '/ServiceLogin' }).end();
      else response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html>Sign in');
    }, tls);
    // The stand-in's certificate is of localhost only.
    const names = { ca: tls.cert, checkServerIdentity: () => undefined };
    const told = await refusal(`https://docs.google.com:${port}/spreadsheets/d/1AbC/edit#gid=3`, {
      resolve: loopback,
      tls: names,
    });
    expect(told).toMatch(/the sheet is private, and answered with a web page .*Anyone with the link/);
    expect(requests.map(({ path }) => path)).toEqual([
      '/spreadsheets/d/1AbC/export?format=csv&gid=3',
      '/ServiceLogin',
    ]);
  });
});

describe('the name of a list', () => {
  it.each([
    ['https://crm.example/lists/March%20leads.csv', 'March leads'],
    ['https://b.s3.amazonaws.com/march.csv?X-Amz-Signature=abc', 'march'],
    ['s3://bucket/folder/march.ndjson', 'march'],
    ['https://crm.example/export.csv?list=7', null],
    ['https://crm.example/', null],
    ['https://docs.google.com/spreadsheets/d/1AbC/edit', null],
  ])('%s is %j', (address, name) => {
    expect(nameOfAddress(address)).toBe(name);
  });

  it('is shown without what may be a secret', () => {
    expect(shownAddress('https://ann:pw@crm.example/a.csv?sig=1#2')).toBe('https://crm.example/a.csv');
    expect(shownAddress('https://ann:pw@crm example/a.csv?sig=1')).toBe('https://crm example/a.csv');
    expect(shownAddress('people.csv')).toBe('people.csv');
    // Where the password ends is told by its last sign only.
    for (const word of ['pa?ss', 'pa#ss', '12?ss', '12#ss', 'a?b@c'])
      expect(shownAddress(`https://ann:${word}@crm.example/a.csv`)).toBe('https://...');
    expect(shownAddress('https://crm.example/a.csv?key=p@ss')).toBe('https://...');
  });
});

describe('a list in a bucket', () => {
  it('is read with the credentials, and a refusal is told in the store’s words', async () => {
    const store = await startS3Store();
    open.push(store);
    const access = { listAllowPrivate: false, s3: parseS3((name) => store.env[name]) };
    const key = "/lists/a folder/März+1 (new)'s=&.csv";
    store.objects.set(key, { bytes: Buffer.from(list), type: 'binary/octet-stream' });
    expect(await readWhole(`s3:/${key}`, {}, access)).toMatchObject({ text: list, format: 'csv' });
    expect(await refusal('s3://lists/other.csv', {}, access)).toContain(
      's3://lists/other.csv cannot be read: NoSuchKey: as told (404)',
    );
    const wrong = { ...access, s3: { ...access.s3, secret: 'another' } };
    expect(await refusal('s3://lists/other.csv', {}, wrong)).toContain('SignatureDoesNotMatch');
    expect(await refusal('s3://lists/other.csv')).toContain('AWS_ACCESS_KEY_ID');
    expect(await refusal('s3://lists', {}, access)).toContain('not the address of an object');
    expect(await refusal('s3://b/k.csv', {}, access)).toMatch(/"b" is not the name of a bucket.* 3 to 63/);
    const before = store.requests.length;
    for (const key of ['../other/ok.csv', 'a/../../other/ok.csv', './people.csv', 'a/..'])
      expect(await refusal(`s3://lists/${key}`, {}, access)).toContain('is a part of its key');
    expect(store.requests.length).toBe(before);
    // Only the beginning of what a store says is read.
    let sent = 0;
    store.instead = (_, response) => {
      const piece = Buffer.alloc(65_536, 'x');
      const more = () => (++sent < 10_000 ? piece : null);
      const body = new Readable({ read: () => void body.push(more()) });
      return Boolean(body.pipe(response.writeHead(403)));
    };
    expect(await refusal('s3://lists/other.csv', {}, access)).toContain('the store answered 403');
    expect(sent).toBeLessThan(1_000);
    store.instead = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(list));
      return true;
    };
    expect(await readWhole('s3://lists/packed.csv', {}, access)).toMatchObject({ text: list });
  });

  it('is asked for again where the store fails for a moment', async () => {
    const store = await startS3Store();
    open.push(store);
    store.objects.set('/lists/a.csv', { bytes: Buffer.from(list), type: 'text/csv' });
    let failed = 0;
    store.instead = (_, response) => {
      if (failed++ >= 2) return false;
      response.writeHead(503).end();
      return true;
    };
    const access = { listAllowPrivate: false, s3: parseS3((name) => store.env[name]) };
    expect(await readWhole('s3://lists/a.csv', {}, access)).toMatchObject({ text: list });
  });
});
