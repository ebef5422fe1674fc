import { type ChildProcess, spawn } from 'node:child_process';

/** Child processes of a benchmark: each has a deadline, and none outlives it. */
export type ChildOptions = {
  env: Record<string, string | undefined>;
  cwd: string;
  signal: AbortSignal;
  /** It is killed, by its own id, if it has not ended by then. */
  deadlineMs: number;
};

export type Ended = { stdout: string; seconds: number };

/** Runs a program to its end. If it fails or is late, the error quotes its last lines. */
export function runToEnd(args: string[], options: ChildOptions): Promise<Ended> {
  return startRun(args, options).ended;
}

/** The same, but returns the process id at once, to measure the process while it runs. */
export function startRun(args: string[], options: ChildOptions): { pid: number; ended: Promise<Ended> } {
  const { child, output } = start(args, options);
  const began = performance.now();
  const ended = new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), options.deadlineMs);
    const giveUp = () => child.kill('SIGTERM');
    options.signal.addEventListener('abort', giveUp, { once: true });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', giveUp);
      const { stdout, stderr } = output;
      if (code === 0) return resolve({ stdout, seconds: (performance.now() - began) / 1_000 });
      const words = stderr.trim().split('\n').slice(-3).join(' / ');
      reject(new Error(`${args.find((arg) => arg.endsWith('.js'))} ended with ${signal ?? code}: ${words}`));
    });
  });
  return { pid: child.pid!, ended };
}

export type Service = { pid: number; firstLine: string; stop(): Promise<void> };

/** Starts a program that runs until it is stopped, and waits for its first line. */
export async function startService(
  args: string[],
  options: Omit<ChildOptions, 'deadlineMs'>,
  command = process.execPath,
): Promise<Service> {
  const { child, output } = start(args, options, command);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const firstLine = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [line, more] = output.stdout.split('\n');
      if (more !== undefined) resolve(line!);
    });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`the service ended at once: ${output.stderr.trim()}`)));
  });
  return {
    pid: child.pid!,
    firstLine,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

function start(args: string[], { env, cwd }: Pick<ChildOptions, 'env' | 'cwd'>, command = process.execPath) {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return { child, output };
}
