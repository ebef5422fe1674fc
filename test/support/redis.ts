import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';

/** A Redis for one test: its own port, nothing on disk, gone at the end. */
export type TestRedis = {
  url: string;
  port: number;
  /** Stops it cleanly and removes its folder. */
  stop(): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Restarts it on the same port, empty or with the last snapshot. */
  restart(from?: 'nothing' | 'snapshot'): Promise<void>;
  /** Saves its data to disk, so that `restart` can later bring back this older state. */
  snapshot(): Promise<void>;
  /** Stops it with its connections open, until `thaw`. */
  freeze(): void;
  thaw(): void;
};

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * Whether tests that need Redis can run here. Skipped tests are printed; with CI_REQUIRE_ALL=1 a missing Redis is a
 * failure.
 */
export function canUseRedis(what: string): boolean {
  if (hasRedis()) return true;
  const line = `${what}: redis-server is not on the PATH; install redis (apt-get install redis-server, brew install redis)`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}

/** `more` is asked for its arguments at each start: a port among them may be taken in between, too. */
export async function startRedis(more: () => Promise<string[]> = async () => []): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-redis-'));
  let port = await freePort();
  const kept = join(folder, 'kept.rdb');
  let child: ChildProcess | undefined;
  let args = await more();

  // A test that never finishes must not leave a server behind.
  const cleanUp = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', cleanUp);

  async function start(): Promise<void> {
    child = spawn(
      'redis-server',
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        folder,
        ...args,
      ],
      { stdio: 'ignore' },
    );
    const ended = once(child, 'exit').then(() => {
      throw new Error(`redis-server ended on port ${port}`);
    });
    ended.catch(() => {});
    await Promise.race([answers(port, child), ended]);
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await ended;
  }
  for (let tries = 1; ; tries++) {
    try {
      await start();
      break;
    } catch (error) {
      // Another process took the port in between.
      if (tries === 5) throw error;
      port = await freePort();
      args = await more();
    }
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async stop() {
      await end('SIGTERM');
      process.off('exit', cleanUp);
      rmSync(folder, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    restart: async (from = 'nothing') => {
      await end('SIGKILL');
      rmSync(join(folder, 'dump.rdb'), { force: true });
      if (from === 'snapshot' && existsSync(kept)) copyFileSync(kept, join(folder, 'dump.rdb'));
      await start();
    },
    async snapshot() {
      await tell(port, 'SAVE');
      copyFileSync(join(folder, 'dump.rdb'), kept);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}

/** Sends one command without a client and returns the first piece of the answer. */
export async function tell(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', (data) => resolve(data.toString()));
      socket.write(`${command}\r\n`);
    });
  } finally {
    socket.destroy();
  }
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const pong = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false));
      socket.once('data', (data) => resolve(/^(\+PONG|-NOAUTH)/.test(data.toString())));
      socket.write('PING\r\n');
    });
    socket.destroy();
    if (pong) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A Cluster of masters that share the slots evenly, each with its replicas. */
export type TestCluster = {
  /** For the engine, by the first node. */
  url: string;
  masters: TestRedis[];
  /** The masters, then their replicas. */
  nodes: TestRedis[];
  stop(): Promise<void>;
};

/** `tls`: each node has a port for TLS too, by which they and their clients talk. */
export async function startCluster(
  masters: number,
  replicas = 0,
  tls: readonly string[] | null = null,
): Promise<TestCluster> {
  const nodes = await Promise.all(
    Array.from({ length: masters * (1 + replicas) }, async () => {
      let bus = 0;
      let secure = 0;
      const redis = await startRedis(async () => {
        bus = await freePort();
        secure = tls ? await freePort() : 0;
        return [
          ...(tls
            ? [...tls, '--tls-port', String(secure), '--tls-cluster', 'yes', '--tls-replication', 'yes']
            : []),
          ...[
            '--cluster-enabled',
            'yes',
            '--cluster-port',
            String(bus),
            '--cluster-announce-ip',
            '127.0.0.1',
          ],
          ...['--cluster-node-timeout', '1500', '--cluster-replica-validity-factor', '0'],
          // Otherwise all lanes would stop with one master.
          ...['--cluster-require-full-coverage', 'no'],
        ];
      });
      return { redis, bus, port: tls ? secure : redis.port };
    }),
  );
  const told = async (node: { redis: TestRedis }, pattern: RegExp, command: string) => {
    for (;;) {
      const answer = await tell(node.redis.port, command);
      if (pattern.test(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  for (const [at, node] of nodes.slice(0, masters).entries()) {
    const from = Math.round((at * 16_384) / masters);
    const to = Math.round(((at + 1) * 16_384) / masters) - 1;
    await told(node, /^\+OK/, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
    await told(node, /^\+OK/, `CLUSTER SET-CONFIG-EPOCH ${at + 1}`);
  }
  for (const { port, bus } of nodes.slice(1))
    await told(nodes[0]!, /^\+OK/, `CLUSTER MEET 127.0.0.1 ${port} ${bus}`);
  for (const node of nodes)
    await told(node, new RegExp(`cluster_known_nodes:${nodes.length}`), 'CLUSTER INFO');
  for (const [at, node] of nodes.slice(masters).entries()) {
    const id = (await told(nodes[at % masters]!, /^\$40/, 'CLUSTER MYID')).split('\r\n')[1];
    await told(node, /^\+OK/, `CLUSTER REPLICATE ${id}`);
    await told(node, /master_link_status:up/, 'INFO replication');
  }
  for (const node of nodes) await told(node, /cluster_state:ok/, 'CLUSTER INFO');
  return {
    url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${nodes[0]!.port}?cluster=true`,
    masters: nodes.slice(0, masters).map(({ redis }) => redis),
    nodes: nodes.map(({ redis }) => redis),
    async stop() {
      await Promise.all(nodes.map(({ redis }) => redis.stop()));
    },
  };
}
