import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/base/config/config.ts';
import { freePort } from './support/ports.ts';
import { canUseRedis } from './support/redis.ts';
import { readYaml, type Yaml } from './support/yaml.ts';

/** The container files must match the program: its commands, variables and paths. */
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

type Service = {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  depends_on?: Record<string, { condition: string; required?: boolean }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  profiles?: string[];
  ports?: string[];
  volumes?: string[];
  restart?: string;
  stop_grace_period?: string;
  user?: string;
  cap_drop?: string[];
  security_opt?: string[];
  read_only?: boolean;
  networks?: string[];
  logging?: { options?: Record<string, string> };
};

const compose = readYaml(read('docker-compose.yml')) as unknown as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build);
const dispatchers = ['api', 'worker'];
/** The passwords that the top of the file tells to put into .env. */
const passwords = { POSTGRES_PASSWORD: '0a1b2c', REDIS_PASSWORD: '3d4e5f' };
const dockerfile = read('Dockerfile');

/** Fills in `${NAME:-fallback}` and `${NAME:?words}` as Compose does. */
function fillIn(text: string, env: Record<string, string>): string {
  return text.replace(
    /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind?: string, rest?: string) => {
      if (env[name]) return env[name];
      if (kind === '?') throw new Error(`${name}: ${rest}`);
      return rest ?? '';
    },
  );
}

function settingsOf(name: string, given: Record<string, string> = { API_TOKEN: 'token' }) {
  const env = { ...passwords, ...given };
  const settings = compose.services[name]!.environment ?? {};
  return loadConfig(
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, fillIn(value, env)])),
  );
}

describe('docker-compose.yml', () => {
  it('starts the program with commands and options that exist', () => {
    expect(ours.map(([name]) => name).sort()).toEqual(['api', 'migrate', 'simulator', 'worker']);
    for (const [, service] of ours) {
      const [name, ...args] = service.command!;
      const help = spawnSync(process.execPath, [join(root, 'bin', 'carillon.js'), name!, '--help'], {
        encoding: 'utf8',
      });
      expect([name, help.status, help.stderr]).toEqual([name, 0, '']);
      expect(help.stdout).toContain(`carillon ${name}`);
      for (const option of args.filter((each) => each.startsWith('--'))) {
        expect(help.stdout).toMatch(new RegExp(`${option}\\b`));
      }
    }
  });

  it('sets no variable that the program does not read', () => {
    const known = [...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map((match) => match[1]);
    for (const [, service] of ours) {
      for (const name of Object.keys(service.environment ?? {})) expect(known).toContain(name);
    }
  });

  it('gives valid settings that name the services of this file', () => {
    for (const name of [...dispatchers, 'migrate']) {
      const config = settingsOf(name);
      expect(new URL(config.databaseUrl!).hostname).toBe('postgres');
      expect(new URL(config.redisUrl!).hostname).toBe('valkey');
      expect(config.home).toBe('/var/lib/carillon');
      expect(compose.services[name]!.volumes).toContain('home:/var/lib/carillon');
    }
    const url = new URL(settingsOf('worker').databaseUrl!);
    const given = Object.entries(compose.services.postgres!.environment!);
    expect(Object.fromEntries(given.map(([name, value]) => [name, fillIn(value, passwords)]))).toEqual({
      POSTGRES_USER: url.username,
      POSTGRES_PASSWORD: url.password,
      POSTGRES_DB: url.pathname.slice(1),
    });
  });

  it('has no password of its own, and stops where one is missing', () => {
    for (const name of Object.keys(passwords)) {
      expect(() => settingsOf('worker', { [name]: '' })).toThrow(`${name}: Set it in .env`);
    }
    expect(read('docker-compose.yml')).not.toMatch(/PASSWORD: [^$]|requirepass [^$]/);
    const [line] = /for name in .*;/.exec(read('docker-compose.yml'))!;
    for (const name of ['API_TOKEN', ...Object.keys(passwords)]) expect(line).toContain(name);
  });

  it('gives no container a privilege, and its settings only to what dials or serves', () => {
    for (const [name, service] of services) {
      expect([name, service.cap_drop, service.security_opt, service.read_only]).toEqual([
        name,
        ['ALL'],
        ['no-new-privileges:true'],
        true,
      ]);
      expect(service.logging?.options).toHaveProperty('max-size');
      const isStore = ['postgres', 'valkey'].includes(name);
      if (isStore) expect(service.networks).toEqual(['stores']);
      // The images of the stores start as root unless told otherwise; ours names its user itself.
      if (!service.build && !service.profiles) expect(service.user).toBe(name);
      const reads = service.env_file !== undefined || service.environment?.VOICE_API_KEYS !== undefined;
      expect([name, reads]).toEqual([name, dispatchers.includes(name)]);
    }
  });

  it.runIf(canUseRedis('the Redis of docker-compose.yml'))(
    'starts a queue that wants the password',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'carillon-compose-'));
      const port = await freePort();
      const [shell, flag, script] = compose.services.valkey!.command!.map((part) =>
        part.replaceAll('$$', '$').replace('valkey-server', 'redis-server'),
      );
      const server = spawn(shell!, [flag!, `${script} --bind 127.0.0.1 --port ${port}`], {
        cwd: folder,
        env: { PATH: process.env.PATH, TMPDIR: folder, REDIS_PASSWORD: passwords.REDIS_PASSWORD },
        stdio: 'ignore',
      });
      /** Asks it these lines, in Redis' own protocol. */
      const ask = async (...lines: string[]) => {
        const socket = connect(port, '127.0.0.1');
        try {
          await once(socket, 'connect');
          socket.end([...lines, 'QUIT', ''].join('\r\n'));
          return await text(socket);
        } catch (error) {
          return (error as Error).message;
        }
      };
      try {
        await expect.poll(() => ask('PING')).toContain('-NOAUTH');
        const known = await ask(`AUTH ${passwords.REDIS_PASSWORD}`, 'CONFIG GET maxmemory-policy');
        expect(known).toContain('noeviction');
      } finally {
        server.kill('SIGKILL');
        await once(server, 'exit');
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it('calls the trial’s simulator until a service is named', () => {
    const { baseUrl, keys } = settingsOf('worker').voice;
    const { profiles, command } = compose.services.simulator!;
    expect(profiles).toEqual(['trial']);
    expect(baseUrl).toBe(`http://simulator:${command![command!.indexOf('--port') + 1]}/v1`);
    expect(command![command!.indexOf('--host') + 1]).toBe('0.0.0.0');
    expect(keys).toHaveLength(1);
    const real = settingsOf('worker', {
      VOICE_BASE_URL: 'https://voice.example/v1',
      VOICE_API_KEYS: 'main=one',
    });
    expect(real.voice).toMatchObject({
      baseUrl: 'https://voice.example/v1',
      keys: [{ name: 'main', secret: 'one' }],
    });
  });

  it('serves the API only with a token, on the loopback of the host', () => {
    expect(() => settingsOf('api', {})).toThrow('API_TOKEN');
    const config = settingsOf('api');
    expect([config.host, config.port, config.apiToken]).toEqual(['0.0.0.0', 3000, 'token']);
    expect(compose.services.api!.ports!.map((port) => fillIn(port, {}))).toEqual(['127.0.0.1:3000:3000']);
    for (const [name, service] of services)
      if (name !== 'api' && name !== 'jaeger') expect(service.ports).toBeUndefined();
    for (const port of compose.services.jaeger!.ports!) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('waits for what it needs: healthy servers and a migrated ledger', () => {
    for (const name of ['api', 'worker']) {
      expect(compose.services[name]!.depends_on).toEqual({
        postgres: { condition: 'service_healthy' },
        valkey: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
        simulator: { condition: 'service_started', required: false },
        sdk: { condition: 'service_completed_successfully', required: false },
      });
    }
    expect(compose.services.migrate).toMatchObject({
      restart: 'no',
      depends_on: { postgres: { condition: 'service_healthy' }, valkey: { condition: 'service_healthy' } },
    });
    for (const name of ['postgres', 'valkey'])
      expect(compose.services[name]!.healthcheck!.test).toBeDefined();
  });

  it('has no health check for a process that serves nothing', () => {
    expect(compose.services.api!.healthcheck).toBeUndefined();
    for (const name of ['worker', 'migrate', 'simulator']) {
      expect(compose.services[name]!.healthcheck).toEqual({ disable: true });
    }
  });

  it('gives a stopping process as long as a request may take', () => {
    const { timeoutMs } = settingsOf('worker').voice;
    expect(Number.parseInt(compose.services.worker!.stop_grace_period!, 10) * 1_000).toBeGreaterThan(
      timeoutMs + 5_000,
    );
  });

  it('reads .env if there is one, and lets Redis evict nothing', () => {
    for (const name of dispatchers)
      expect(compose.services[name]!.env_file).toEqual([{ path: '.env', required: false }]);
    const command = compose.services.valkey!.command!.join(' ');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(command).toContain('--appendonly yes');
  });

  it('names every volume that it uses', () => {
    const used = services
      .flatMap(([, service]) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0]!)
      .filter((volume) => !volume.startsWith('.'));
    expect(Object.keys(compose.volumes).sort()).toEqual([...new Set(used)].sort());
  });
});

describe('the profile `traces`', () => {
  const { sdk, collector } = compose.services;
  const load = read('ops/opentelemetry/otel.mjs');

  it('installs what the set-up file imports, of the versions that the tests use', () => {
    const { devDependencies, dependencies } = JSON.parse(read('package.json'));
    const command = sdk!.command!.at(-1)!;
    const installed = [...command.matchAll(/(@opentelemetry\/[a-z-]+)@([\d.]+)/g)];
    const imported = [...load.matchAll(/from '(@opentelemetry\/[a-z-]+)'/g)].map(([, name]) => name);
    expect(installed.map(([, name]) => name).sort()).toEqual(imported.sort());
    for (const [, name, version] of installed)
      expect([name, { ...devDependencies, ...dependencies }[name!]]).toEqual([
        name,
        expect.stringMatching(new RegExp(`^[~^]${version!.replace('.', '\\.')}\\.`)),
      ]);
  });

  it('names files, services and ports that exist', () => {
    const top = read('docker-compose.yml');
    expect(top).toContain('NODE_OPTIONS=--import=/otel/otel.mjs');
    expect(sdk!.command!.at(-1)).toContain('cp /setup/otel.mjs /otel/');
    const [port] = /:(\d+)$/m
      .exec(/OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/collector:\d+/.exec(top)![0])!
      .slice(1);
    expect(
      existsSync(join(root, 'ops/opentelemetry', collector!.command!.at(-1)!.slice('/setup/'.length))),
    ).toBe(true);
    const settings = read('ops/opentelemetry/collector.yaml');
    expect(settings).toContain(`endpoint: 0.0.0.0:${port}`);
    expect(settings).toContain('endpoint: jaeger:4317');
    for (const name of ['sdk', 'collector', 'jaeger'])
      expect(compose.services[name]!.profiles).toEqual(['traces']);
  });
});

describe('the image', () => {
  it('runs unprivileged, with the same entry as a checkout', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^ENTRYPOINT \["node", "bin\/carillon\.js"\]$/m);
    expect(last).toMatch(/^CMD \["up"\]$/m);
    expect(last).toMatch(/HEALTHCHECK[\s\S]*\/healthz/);
    expect(last).not.toMatch(/^RUN npm /m);
    expect(last).toContain('rm -rf /usr/local/lib/node_modules /usr/local/bin/npm');
    expect(last).toMatch(/^COPY .*\bLICENSE NOTICE /m);
    expect(dockerfile).toContain('--omit=dev --omit=optional');
  });

  it('copies only files that exist and that .dockerignore lets through', () => {
    const ignored = read('.dockerignore').split('\n');
    expect(ignored).toContain('*');
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      match[1]!.split(' '),
    );
    for (const source of sources.filter((each) => each !== '.')) {
      expect(existsSync(join(root, source))).toBe(true);
      expect(ignored).toContain(`!${source}`);
    }
    for (const line of ignored.filter((each) => each.startsWith('!'))) {
      expect([line, existsSync(join(root, line.slice(1)))]).toEqual([line, true]);
    }
    expect(ignored.some((line) => line.startsWith('!.env') || line.startsWith('!node_modules'))).toBe(false);
  });

  it('has a health check that starts no Node: well where /healthz answers 200, and else not', async () => {
    const check = /HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(dockerfile)![1]!;
    const [program, ...args] = JSON.parse(check) as [string, ...string[]];
    expect(program).toBe('bash');
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/healthz' ? status : 404).end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const ask = async (asked: string) => {
      const child = spawn(program, args, { env: { PATH: process.env.PATH, PORT: asked }, stdio: 'ignore' });
      const [code] = await once(child, 'exit');
      return code === 0;
    };
    expect(await ask(port)).toBe(true);
    status = 503;
    expect(await ask(port)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await ask(port)).toBe(false);
  });

  it('runs a Node that the package supports', () => {
    const versions = [...dockerfile.matchAll(/^FROM node:(\d+)/gm)].map((match) => Number(match[1]));
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions) expect(version).toBeGreaterThanOrEqual(20);
  });
});

describe('the reader of YAML', () => {
  it.each<[string, Yaml]>([
    ['a: 1\nb:\n  c: "x"\n  d: true', { a: 1, b: { c: 'x', d: true } }],
    ['a:\n  - one\n  - k: 1\n    l: 2\n  - ["x", 3]', { a: ['one', { k: 1, l: 2 }, ['x', 3]] }],
    ['a: &x\n  k: 1\n  l: 2\nb:\n  <<: *x\n  l: 3', { a: { k: 1, l: 2 }, b: { k: 1, l: 3 } }],
    ['# words\na: "# no" # words\nb:', { a: '# no', b: null }],
  ])('reads %j', (text, value) => {
    expect(readYaml(text)).toEqual(value);
  });

  it.each(['a: |\n  text', 'a: 1\n   b: 2', 'a: *gone', 'a: 1\na: 2', '\ta: 1', 'only words'])(
    'refuses %j',
    (text) => {
      expect(() => readYaml(text)).toThrow();
    },
  );
});

describe('ops/systemd', () => {
  it('starts long-lived commands as a user without rights, and gives them time to stop', () => {
    const unit = read('ops/systemd/carillon@.service');
    const lines = Object.fromEntries(
      [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(lines).toMatchObject({
      User: 'carillon',
      ExecStart: '/usr/bin/env carillon %i',
      NoNewPrivileges: 'yes',
    });
    const named = [...unit.matchAll(/carillon@(\w+)/g)].map(([, name]) => name);
    expect(named).toEqual(['api', 'worker', 'up']);
    const seconds = Number(
      /Give a process (\d+) seconds to stop/.exec(read('docs/guides/production.md'))![1],
    );
    expect(Number(lines.TimeoutStopSec)).toBeGreaterThanOrEqual(seconds);
  });
});
